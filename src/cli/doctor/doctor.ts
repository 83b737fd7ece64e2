import { createClient } from '../../client/client.ts';
import { ENGLISH_MODEL, MULTILINGUAL_MODEL, namesOfLanguages } from '../../contract/advised-models.ts';
import type { StoredLanguages } from '../../contract/stored-languages.ts';
import { parseDaemonUrl } from '../daemon-url.ts';
import { CommandFailure } from '../failure.ts';
import { findProfile, openSession, type Session } from '../session.ts';
import { DEFAULT_URL, type Settings } from '../settings.ts';
import { checkKey, checkKeyStorage } from './account-checks.ts';
import { checkAssistants } from './assistant-checks.ts';
import { checkDaemon, readyState } from './daemon-check.ts';
import { checkDataFolder } from './data-folder-check.ts';
import { type Finding, runCheck } from './finding.ts';
import { checkHooks } from './hook-checks.ts';
import type { DoctorDependencies, Subject } from './subject.ts';

const TIMEOUT_MS = 5000;

/** Says what searches and memories can be expected of, and what would improve them. Nothing while other checks fail. */
async function checkRecall({ session, url, fetch }: Subject): Promise<Finding[]> {
  if (session instanceof CommandFailure) return [];
  const client = createClient({ baseUrl: url, apiKey: session.apiKey, retries: 0, timeoutMs: TIMEOUT_MS, fetch });
  const [settings, state, stored] = await Promise.all([
    client.providerSettings.get().catch(() => undefined),
    readyState(fetch, url),
    // Older daemons do not know it.
    client.retrieval.languages().catch(() => undefined),
  ]);
  // Something else may respond there, which another check reports.
  if (settings?.extraction === undefined || state === undefined) return [];
  return [
    checkMeaning(state.embedder !== undefined || settings.embedding !== null, stored),
    settings.extraction.model !== null && settings.extraction.onAppend
      ? { check: 'Extraction', state: 'ok', message: `memories are extracted with ${settings.extraction.model.model}` }
      : {
          check: 'Extraction',
          state: 'ok',
          message: 'off: what is said comes back as the sentence that says it',
          fix: 'svc extract --with claude (or codex, gemini, opencode, qwen) forms memories of it. svc provider use extraction PROVIDER MODEL, then svc provider settings --on-append on, does so by itself',
        },
  ];
}

function checkMeaning(hasModel: boolean, stored: StoredLanguages | undefined): Finding {
  const check = 'Search';
  const needsOther = stored?.needsMultilingualModel === true;
  if (hasModel && !needsOther) return { check, state: 'ok', message: 'by words and by meaning' };
  const texts = needsOther ? `; texts are in ${namesOfLanguages(stored.languages)}` : '';
  return {
    ...{ check, state: 'ok' },
    message: hasModel
      ? `by words, and by meaning with a model for English${texts}`
      : `by words alone: what is worded differently may not be found${texts}`,
    fix: needsOther
      ? `svc model add ${MULTILINGUAL_MODEL} on the daemon's machine searches by meaning in and across them`
      : `svc model add ${ENGLISH_MODEL} on the daemon's machine searches by meaning too`,
  };
}

/** A keychain call takes up to 20 s, and the last check makes two. */
const LIMIT_MS = 45_000;

/** Runs all checks and returns their findings in a fixed order. Changes nothing, except that a probe is written and deleted. */
export async function diagnose(dependencies: DoctorDependencies): Promise<Finding[]> {
  const { settings, nodeVersion, version } = dependencies;
  const program: Finding = { check: 'Program', state: 'ok', message: `svc ${version} on Node.js ${nodeVersion}` };
  const stored = await runCheck('Settings', async () => [checkSettings(settings)], LIMIT_MS);
  if (stored.some(({ state }) => state === 'problem')) return [program, ...stored];
  const session = await openSession(dependencies).catch(expected);
  const subject = { ...dependencies, session, url: urlOf(session, dependencies) };
  const checks: [string, (subject: Subject) => Promise<Finding[]>][] = [
    ['Daemon', checkDaemon],
    ['Key storage', checkKeyStorage],
    ['Key', checkKey],
    ['Recall', checkRecall],
    ['Data folder', checkDataFolder],
    ['Assistants', checkAssistants],
    ['Hooks', checkHooks],
  ];
  const found = await Promise.all(checks.map(([check, run]) => runCheck(check, () => run(subject), LIMIT_MS)));
  return [program, ...stored, ...found.flat()];
}

function checkSettings(settings: Settings): Finding {
  const count = Object.keys(settings.profiles()).length;
  const profiles = count === 0 ? 'no profile yet' : count === 1 ? '1 profile' : `${count} profiles`;
  return { check: 'Settings', state: 'ok', message: `${settings.folder}, ${profiles}` };
}

function urlOf(session: Session | CommandFailure, { settings, profile }: DoctorDependencies): string {
  if (!(session instanceof CommandFailure)) return session.url;
  return findProfile(settings, profile)?.profile.url ?? parseDaemonUrl(settings.overrides.url ?? DEFAULT_URL);
}

function expected(error: unknown): CommandFailure {
  if (error instanceof CommandFailure) return error;
  throw error;
}

import { ASSISTANTS } from '../assistants/assistant-table.ts';
import {
  type ConfiguredEntry,
  findInstalledAssistants,
  type InspectedFile,
  inspectFiles,
} from '../assistants/inspect-assistants.ts';
import { lastFour } from '../assistants/mask-secrets.ts';
import { tildify } from '../assistants/outcome.ts';
import { CommandFailure } from '../failure.ts';
import { loginCommand } from './account-checks.ts';
import type { Finding } from './finding.ts';
import { findStarted } from './started-program.ts';
import type { Subject } from './subject.ts';

type Verdict = Omit<Finding, 'check'>;

/** Checks the svc entry of every assistant that is installed or has one: that it leads to this daemon with a valid key. */
export async function checkAssistants(subject: Subject): Promise<Finding[]> {
  const { environment } = subject;
  const installed = new Set(await findInstalledAssistants(environment));
  const findings = await Promise.all(
    ASSISTANTS.map(async (assistant): Promise<Finding[]> => {
      const check = assistant.title;
      const files = (await inspectFiles(assistant, environment)).filter(({ entry, error }) => entry || error);
      if (files.length > 0) {
        return Promise.all(files.map(async (file) => ({ check, ...(await checkFile(file, subject)) })));
      }
      const fix = `svc mcp-config ${assistant.id}`;
      return installed.has(assistant) ? [{ check, state: 'warning', message: 'installed, but not set up', fix }] : [];
    }),
  );
  return findings.flat();
}

async function checkFile(file: InspectedFile, subject: Subject): Promise<Verdict> {
  const { assistant, scope, entry, error } = file;
  const path = tildify(file.path, subject.environment.home);
  const write = `svc mcp-config ${assistant.id}${scope === 'project' ? ' --scope project' : ''}`;
  if (error !== undefined || !entry) {
    return { state: 'problem', message: `${path}: ${error}`, fix: `repair that file, then ${write}` };
  }
  if (entry.transport === 'http')
    return checkHttpEntry(entry, { ...subject, path, write: `${write} --transport http` });
  if (entry.transport === 'stdio') return checkBridgeEntry(entry, { ...subject, path, write });
  return { state: 'problem', message: `${path}: the entry names neither a command nor a URL`, fix: write };
}

/** `path` of the file, and the command that writes its entry anew. */
interface EntrySubject extends Subject {
  path: string;
  write: string;
}

function checkHttpEntry({ leadsTo, keys }: ConfiguredEntry, { url, session, path, write }: EntrySubject): Verdict {
  const origin = URL.canParse(leadsTo) ? new URL(leadsTo).origin : leadsTo;
  if (origin !== url) {
    return { state: 'warning', message: `${path} leads to ${origin}, you are signed in at ${url}`, fix: write };
  }
  const current = session instanceof CommandFailure ? undefined : session.apiKey;
  const other = current === undefined ? undefined : keys.find((key) => key !== current);
  if (other !== undefined) {
    return { state: 'problem', message: `${path} contains another key, …${lastFour(other)}`, fix: write };
  }
  return { state: 'ok', message: `${path}, over HTTP` };
}

async function checkBridgeEntry(
  { command }: ConfiguredEntry,
  { environment, settings, path, write }: EntrySubject,
): Promise<Verdict> {
  const started = await findStarted(command, environment);
  if ('missing' in started) {
    return { state: 'problem', message: `${path} starts ${started.missing}, which does not exist`, fix: write };
  }
  const profile = profileIn(command);
  if (profile !== undefined && settings.profile(profile) === undefined) {
    const message = `${path} uses profile ${profile}, which does not exist`;
    return { state: 'problem', message, fix: `${loginCommand(profile)}, or ${write}` };
  }
  return { state: 'ok', message: `${path}, through the bridge` };
}

function profileIn(command: readonly string[]): string | undefined {
  const index = command.indexOf('--profile');
  return index === -1 ? undefined : command[index + 1];
}

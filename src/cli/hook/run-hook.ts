import { join } from 'node:path';
import { fenceMark } from '../../contract/fence.ts';
import { systemRandom } from '../../lib/random.ts';
import { createKeychain } from '../../outside/keychain/keychain.ts';
import type { CommandContext } from '../command-context.ts';
import { findProfile, openSession as openAccount } from '../session.ts';
import { openSettings } from '../settings.ts';
import { capture } from './capture.ts';
import { saidText } from './captured-text.ts';
import { type HookDaemon, isListening } from './daemon-request.ts';
import {
  forgetsContext,
  HOOK_CLIENTS,
  HOOK_EVENTS,
  type HookClient,
  type HookEventName,
  type HookInput,
  hookOutput,
  parseHookInput,
} from './hook-event.ts';
import { createOutbox, type HookAccount } from './outbox.ts';
import { OWN_RUN_VARIABLE } from './own-run.ts';
import { projectName } from './project-name.ts';
import { forgetInjected, isWorthRecalling, recallForPrompt, recallForStart } from './recall.ts';
import {
  openSession,
  pruneSessions,
  type SessionFile,
  type StateDependencies,
  sessionFolder,
  sessionKey,
  withoutState,
} from './session-state.ts';
import { isShared, joinedSpaces, memoryNotice, memoryOf, type SessionMemory } from './tie.ts';

/** How long a hook may take from the start of its process, unless the command line says otherwise. */
export const DEFAULT_LIMIT_MS = 800;
const MAX_LIMIT_MS = 60_000;
/** The process needs this long to exit. */
const EXIT_MS = 40;
/** Requests and locks are given up in time to note what was not sent: this share of the limit before it. */
const CLEANUP_SHARE = 0.15;
/** A keychain that asks its owner for a password is not waited for. */
const KEYCHAIN_TIMEOUT_MS = 450;
const MAX_INPUT_BYTES = 32 * 1024 * 1024;

/** The words of a `svc hook` command line, unchecked. An option without its value is `true`. */
export interface HookCall {
  event?: string | undefined;
  client?: string | boolean;
  /** Milliseconds. */
  timeout?: string | boolean;
  debug?: string | boolean;
}

/**
 * Runs one hook within its time, of which `spentMs` are over. Never throws; the reason why it did nothing goes to standard
 * error with `debug`.
 */
export async function runHook(
  call: HookCall,
  context: CommandContext,
  spentMs = process.uptime() * 1000,
): Promise<void> {
  const debug = (reason: string) => {
    if (call.debug) context.terminal.error(`svc hook: ${reason}\n`);
  };
  try {
    if (context.environment.env[OWN_RUN_VARIABLE]) throw new Error('svc itself runs this assistant');
    const leftMs = Math.max(1, Math.floor(limitMs(call) - spentMs - EXIT_MS));
    const workMs = Math.max(1, Math.floor(leftMs - CLEANUP_SHARE * limitMs(call)));
    const work = respond(call, context, AbortSignal.timeout(workMs), debug);
    await Promise.race([work, new Promise((resolve) => setTimeout(resolve, leftMs))]);
  } catch (error) {
    debug((error as Error).message);
  }
}

function limitMs({ timeout }: HookCall): number {
  const wanted = typeof timeout === 'string' ? Number(timeout) : 0;
  return wanted > 0 ? Math.min(wanted, MAX_LIMIT_MS) : DEFAULT_LIMIT_MS;
}

async function respond(
  call: HookCall,
  context: CommandContext,
  signal: AbortSignal,
  debug: (reason: string) => void,
): Promise<void> {
  const event = HOOK_EVENTS.find((known) => known === call.event);
  if (!event) throw new Error(`the event must be one of ${HOOK_EVENTS.join(', ')}`);
  const client = HOOK_CLIENTS.find((known) => known === call.client);
  if (!client) throw new Error(`--client must be one of ${HOOK_CLIENTS.join(', ')}`);
  if (context.input.isTty) throw new Error('an assistant sends the input of a hook; standard input is a terminal');
  const account = openHookAccount(context, signal);
  const input = parseHookInput(await readInput(context.input.stream), context.environment.cwd);
  const named = await account.named;
  const { nowMs } = context.clock;
  const dependencies = { folder: join(context.settingsFolder, 'hooks'), nowMs, signal };
  // Leave out the client: Cursor and Copilot CLI also run the hooks in Claude Code's settings, for the same session.
  const own = openSession(dependencies, sessionKey(named.name, input.sessionId));
  const isBeginning = event === 'session-start' && input.source !== 'compact';
  // Recall goes on without the session's file. Nothing is stored then: it may belong to another project or space.
  let hasState = true;
  const goOn = ({ message }: Error) => {
    hasState = false;
    debug(message);
  };
  const folder = (await sessionFolder(own, input.cwd, isBeginning).catch(goOn)) ?? input.cwd;
  const memory = await memoryOf(openSettings(context.environment), folder);
  const { tie } = memory;
  const session = tie ? openSession(dependencies, sessionKey(named.name, input.sessionId, tie.id)) : own;
  const project = await projectName(folder);
  const outbox = createOutbox(dependencies, debug);
  const redact = context.environment.env.SVC_REDACT !== 'off';
  const keep = async () => {
    if (forgetsContext(event, client, input)) await forgetInjected(session);
    await capture(event, input, session, { client, redact, nowMs });
    if (event === 'stop' || event === 'pre-compact' || event === 'session-end') {
      await outbox.enqueue(session.key, {
        ...{ account: named.name, space: tie?.id, project },
        cut: event === 'session-end',
      });
    }
  };
  if (hasState) await keep().catch(goOn);
  const daemon = await account.daemon.catch(async (error: unknown) => {
    if (isShared(memory) && event === 'session-start') {
      context.terminal.out(hookOutput(event, client, memoryNotice(memory, undefined), input));
    }
    throw error;
  });
  const recalling = recall(event, input, {
    client,
    daemon,
    memory,
    session: hasState ? session : withoutState(session),
    folder,
    project,
    dependencies,
    debug,
  }).then((output) => {
    if (output === undefined) debug('nothing to recall');
    else context.terminal.out(output);
  });
  const outcomes = await Promise.allSettled([recalling, outbox.send(daemon, named)]);
  for (const outcome of outcomes) if (outcome.status === 'rejected') debug((outcome.reason as Error).message);
}

/** The account that a hook works for: its name in the hooks' files at once, its daemon when the key was read. */
function openHookAccount(
  { environment }: CommandContext,
  signal: AbortSignal,
): { named: Promise<HookAccount>; daemon: Promise<HookDaemon> } {
  const settings = openSettings(environment);
  const { env, platform } = environment;
  const opened = openAccount({ settings, keychain: createKeychain({ env, platform, timeoutMs: KEYCHAIN_TIMEOUT_MS }) });
  // All of these may fail before anything waits for them.
  opened.catch(() => {});
  const known = settings.overrides.apiKey === undefined ? findProfile(settings, undefined) : undefined;
  const listening = known && isListening(known.profile.url, signal);
  async function connect(): Promise<HookDaemon> {
    if ((await listening) === false) throw new Error(`nothing listens at ${known?.profile.url}`);
    const { url, apiKey } = await opened;
    return { url, apiKey, signal };
  }
  // Another account may sign in with the same profile: what was said before is not for it.
  const named = known
    ? Promise.resolve({
        name: `${known.profile.tenantId} ${known.profile.url}`,
        formerName: `${known.name} ${known.profile.url}`,
      })
    : opened.then(({ url, apiKey }) => ({ name: `${sessionKey(apiKey)} ${url}` }));
  const daemon = connect();
  for (const promise of [named, daemon]) promise.catch(() => {});
  return { named, daemon };
}

async function readInput(stream: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    bytes += chunk.length;
    if (bytes > MAX_INPUT_BYTES) throw new Error('the input is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

async function recall(
  event: HookEventName,
  input: HookInput,
  parts: {
    client: HookClient;
    daemon: HookDaemon;
    memory: SessionMemory;
    session: SessionFile;
    folder: string;
    project: string | undefined;
    dependencies: StateDependencies;
    debug: (reason: string) => void;
  },
): Promise<string | undefined> {
  const { client, daemon, memory, session, folder, project, dependencies, debug } = parts;
  const place = { daemon, memory, session };
  const mark = fenceMark(systemRandom);
  if (event === 'session-start') {
    await pruneSessions(dependencies).catch(() => {});
    const recalled = recallForStart(place, { folder, project, mark });
    if (!isShared(memory)) return recalled.then((text) => text && hookOutput(event, client, text, input));
    const [joined, text] = await Promise.all([
      joinedSpaces(daemon),
      recalled.catch(({ message }: Error) => debug(message)),
    ]);
    const notice = memoryNotice(memory, joined);
    return hookOutput(event, client, text ? `${notice}\n\n${text}` : notice, input);
  }
  if (event !== 'prompt' || input.prompt === undefined) return undefined;
  // The daemon stores what was searched.
  const prompt = saidText(input.prompt);
  if (!isWorthRecalling(prompt)) return undefined;
  const text = await recallForPrompt(place, { prompt, project, mark });
  return text && hookOutput(event, client, text, input);
}

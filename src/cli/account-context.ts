import { hostname } from 'node:os';
import type { Fetch } from '../client/client.ts';
import { type Random, systemRandom } from '../lib/random.ts';
import { createKeychain, type Keychain } from '../outside/keychain/keychain.ts';
import type { CommandContext } from './command-context.ts';
import { createHttpFetch } from './http-fetch.ts';
import type { Profile } from './settings.ts';

/** A stored sign-in. */
export interface StoredSignIn {
  profileName: string;
  profile: Profile;
  apiKey: string;
}

/** Waits between two polls. Rejects when the signal aborts. */
export type Pause = (ms: number, signal: AbortSignal) => Promise<void>;

/** Dependencies of sign-in, sign-out and status. */
export interface AccountContext
  extends Pick<CommandContext, 'terminal' | 'input' | 'environment' | 'clock' | 'stopSignal'> {
  random: Random;
  /** The streams to draw on, if both are a terminal. */
  screen?: { stdin: NodeJS.ReadStream; stderr: NodeJS.WriteStream } | undefined;
  /** This machine's name, shown on the page that confirms the sign-in. */
  hostName: string;
  /** Defaults to the system keychain. */
  keychain?: Keychain;
  fetch?: Fetch;
  /** Defaults to a timer. */
  pause?: Pause;
  /** Called with the new key, so that assistants configured with the previous one can be updated. */
  afterLogin?: (signIn: StoredSignIn) => Promise<void>;
}

/** Adds the process's dependencies to a command context. */
export function createAccountContext(
  context: CommandContext,
  afterLogin?: AccountContext['afterLogin'],
): AccountContext {
  const screen = canDraw(context) ? { stdin: process.stdin, stderr: process.stderr } : undefined;
  const machine = { random: systemRandom, hostName: hostname(), fetch: createHttpFetch() };
  return { ...context, ...machine, screen, ...(afterLogin && { afterLogin }) };
}

/** Screen readers, CI logs and dumb terminals get plain lines instead of a drawn screen. */
function canDraw({ input, terminal, environment: { env } }: CommandContext): boolean {
  const isInteractive = !env.CI || env.CI === 'false' || env.CI === '0';
  const isPlain = env.TERM === 'dumb' || env.INK_SCREEN_READER === 'true';
  return input.isTty && terminal.errorIsTty && isInteractive && !isPlain;
}

const ATTENDED_TIMEOUT_MS = 60_000;
const UNATTENDED_TIMEOUT_MS = 10_000;

/**
 * Opens the system keychain. On a terminal it waits long enough for the user to type a password into the keychain's
 * prompt, and says that it is waiting.
 */
export function openKeychain(
  { keychain, environment, input, terminal }: AccountContext,
  timeoutMs = input.isTty ? ATTENDED_TIMEOUT_MS : UNATTENDED_TIMEOUT_MS,
): Keychain {
  if (keychain) return keychain;
  return createKeychain({
    env: environment.env,
    platform: environment.platform,
    timeoutMs,
    onSlow: () => terminal.error('Waiting for the keychain; it may be asking you to unlock it.\n'),
  });
}

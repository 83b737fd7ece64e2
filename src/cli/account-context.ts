import { hostname } from 'node:os';
import type { Fetch } from '../client/client.ts';
import { type Random, systemRandom } from '../lib/random.ts';
import { createKeychain, type Keychain } from '../outside/keychain/keychain.ts';
import type { CommandContext } from './command-context.ts';
import { createHttpFetch } from './http-fetch.ts';
import type { Profile } from './settings.ts';

/** A sign-in that was kept. */
export interface StoredSignIn {
  profileName: string;
  profile: Profile;
  apiKey: string;
}

/** All that sign-in, sign-out and status take from outside. */
export interface AccountContext
  extends Pick<CommandContext, 'terminal' | 'input' | 'environment' | 'clock' | 'stopSignal'> {
  random: Random;
  /** The streams to draw on, where both ends are a terminal. */
  screen?: { stdin: NodeJS.ReadStream; stderr: NodeJS.WriteStream } | undefined;
  /** The name of this machine, for the page that asks whether to sign it in. */
  hostName: string;
  /** The machine's own keychain where absent. */
  keychain?: Keychain;
  fetch?: Fetch;
  /** What a new key is news for: entries of assistants that hold the one before it. */
  afterLogin?: (signIn: StoredSignIn) => Promise<void>;
}

/** What the process adds to the context of every command. */
export function createAccountContext(
  context: CommandContext,
  afterLogin?: AccountContext['afterLogin'],
): AccountContext {
  const screen = canDraw(context) ? { stdin: process.stdin, stderr: process.stderr } : undefined;
  const machine = { random: systemRandom, hostName: hostname(), fetch: createHttpFetch() };
  return { ...context, ...machine, screen, ...(afterLogin && { afterLogin }) };
}

/** Drawing is for eyes: a screen reader, a log of continuous integration and a simple terminal get plain lines. */
function canDraw({ input, terminal, environment: { env } }: CommandContext): boolean {
  const isWatched = !env.CI || env.CI === 'false' || env.CI === '0';
  const isSimple = env.TERM === 'dumb' || env.INK_SCREEN_READER === 'true';
  return input.isTty && terminal.errorIsTty && isWatched && !isSimple;
}

const ASKED_MS = 60_000;
const UNASKED_MS = 10_000;

/**
 * The keychain of this machine. Where a person sits, it waits long enough to type a password into its prompt, and says
 * that it waits.
 */
export function openKeychain({ keychain, environment, input, terminal }: AccountContext): Keychain {
  if (keychain) return keychain;
  return createKeychain({
    env: environment.env,
    platform: environment.platform,
    timeoutMs: input.isTty ? ASKED_MS : UNASKED_MS,
    onSlow: () => terminal.error('Waiting for the keychain; it may be asking you to unlock it.\n'),
  });
}

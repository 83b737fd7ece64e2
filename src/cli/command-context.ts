import type { Clock } from '../lib/clock.ts';
import type { ActingSpace } from './acting-space.ts';
import type { Environment } from './settings.ts';

/** Standard output and standard error. */
export interface Terminal {
  out(text: string): void;
  error(text: string): void;
}

/** Called by a command that completes but should exit with a code other than 0. */
export type SetExitCode = (exitCode: number) => void;

/** The daemon and key that a command uses. */
export interface Session {
  profileName: string;
  /** Scheme, host and port of the daemon. */
  url: string;
  apiKey: string;
  /** The space to act in, if not the own account. */
  space?: ActingSpace | undefined;
}

/** Standard output and standard error, with the properties of the terminal. */
export interface CommandTerminal extends Terminal {
  /** Standard output is a terminal, so a person reads it rather than a program. */
  isTty: boolean;
  /** Standard error is a terminal, so progress can be drawn there. */
  errorIsTty: boolean;
  /** Width of the terminal in columns; 80 if there is none. */
  columns: number;
  /** Whether to use colors, considering `NO_COLOR`, `TERM=dumb` and pipes. */
  color: boolean;
  /** Aborted when the reader of standard output goes away (`| head`), so that long work stops. */
  closed: AbortSignal;
}

/** Standard input. */
export interface CommandInput {
  /** Standard input is a terminal, so questions can be asked. */
  isTty: boolean;
  stream: AsyncIterable<Uint8Array>;
  /**
   * Prompts on standard error and returns the typed line. Call it only if `isTty`. A `hidden` answer is not echoed, and
   * Ctrl-C at a hidden prompt throws `CommandFailure`.
   */
  ask(question: string, options?: { hidden: true }): Promise<string>;
}

/** Dependencies of the memory commands and the bridge. */
export interface CommandContext {
  terminal: CommandTerminal;
  input: CommandInput;
  environment: Environment;
  /** The settings folder, also used for small caches. Created on first write. */
  settingsFolder: string;
  clock: Clock;
  /**
   * Opens the session of a profile (`--profile`, otherwise the current one) in a space (`--space`, otherwise the one in
   * use). Throws `NotSignedInError`.
   */
  session(profile?: string, space?: string): Promise<Session>;
  /** Resolves when the process is asked to stop. */
  stopSignal(): Promise<string>;
}

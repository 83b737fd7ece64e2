import type { Clock } from '../lib/clock.ts';
import type { Environment } from './settings.ts';

/** What a command writes to. */
export interface Terminal {
  out(text: string): void;
  error(text: string): void;
}

/** Told by a command that did its work to the end and yet does not end with 0. */
export type SetExitCode = (exitCode: number) => void;

/** What a signed-in command works with. */
export interface Session {
  profileName: string;
  /** Scheme, host and port of the daemon. */
  url: string;
  apiKey: string;
}

/** Where a command writes, and what stands at the other end. */
export interface CommandTerminal extends Terminal {
  /** Standard output is a terminal: a person reads, not a program. */
  isTty: boolean;
  /** Standard error is a terminal: progress may be drawn there. */
  errorIsTty: boolean;
  /** Width of the terminal in columns; 80 where there is none. */
  columns: number;
  /** Colors may be used (`NO_COLOR`, `TERM=dumb` and pipes have been looked at). */
  color: boolean;
  /** Aborted once nobody reads standard output any more (`| head`): long work stops. */
  closed: AbortSignal;
}

/** Where a command reads. */
export interface CommandInput {
  /** Standard input is a terminal: questions can be asked. */
  isTty: boolean;
  stream: AsyncIterable<Uint8Array>;
  /**
   * Asks on standard error and returns the line that is typed. Call it only where `isTty`. Nothing of a `hidden` answer
   * is shown, and Ctrl-C there throws `CommandFailure`.
   */
  ask(question: string, options?: { hidden: true }): Promise<string>;
}

/** All that the memory commands and the bridge take from outside. */
export interface CommandContext {
  terminal: CommandTerminal;
  input: CommandInput;
  environment: Environment;
  /** The folder of the settings, where small things may be kept; made by whoever writes first. */
  settingsFolder: string;
  clock: Clock;
  /** The session of the profile (`--profile`, else the one in use). Throws `NotSignedInError`. */
  session(profile?: string): Promise<Session>;
  /** Resolves when the process is asked to stop. */
  stopSignal(): Promise<string>;
}

import { UnreachableError } from '../client/transport.ts';
import { AppError } from '../contract/errors.ts';
import { EXIT } from './exit.ts';

/** Ctrl-C, as shells have it (128 + SIGINT). */
export const EXIT_INTERRUPTED = 130;

/**
 * An end that a command foresees: what went wrong and what to do, in words for a person, and the exit code. An empty
 * message says that the command has told it all already.
 */
export class CommandFailure extends Error {
  override readonly name: string = 'CommandFailure';
  readonly exitCode: number;

  constructor(exitCode: number, message = '') {
    super(message);
    this.exitCode = exitCode;
  }
}

/** Nobody is signed in, or no longer: exit code 3. */
export class NotSignedInError extends CommandFailure {
  override readonly name = 'NotSignedInError';

  constructor(message = 'Not signed in. Run svc login.') {
    super(EXIT.notSignedIn, message);
  }
}

/** Every error that a command may end with, as a failure; `undefined` for what is a fault of ours. */
export function toFailure(error: unknown): CommandFailure | undefined {
  if (error instanceof CommandFailure) return error;
  if (error instanceof UnreachableError) {
    const advice = 'Start it with svc serve, or name another with SVC_URL.';
    return new CommandFailure(EXIT.unreachable, `${error.message}\n${advice}`);
  }
  if (!(error instanceof AppError)) return undefined;
  if (error.code !== 'unauthenticated') return new CommandFailure(EXIT.failed, error.message);
  return new NotSignedInError('The key is no longer valid: a newer sign-in replaced it. Run svc login.');
}

import { ApiError, UnreachableError } from '../client/errors.ts';
import { AppError } from '../contract/errors.ts';
import { messageForPerson } from './daemon-message.ts';
import { EXIT } from './exit.ts';

/** Exit code after Ctrl-C, by shell convention: 128 + SIGINT. */
export const EXIT_INTERRUPTED = 130;

/**
 * An expected failure of a command: a message that says what went wrong and what to do, and the exit code. The message
 * is empty if the command has already reported it.
 */
export class CommandFailure extends Error {
  override readonly name: string = 'CommandFailure';
  readonly exitCode: number;

  constructor(exitCode: number, message = '') {
    super(message);
    this.exitCode = exitCode;
  }
}

/** Not signed in, or no longer: exit code 3. */
export class NotSignedInError extends CommandFailure {
  override readonly name = 'NotSignedInError';

  constructor(message = 'Not signed in. Run svc login.') {
    super(EXIT.notSignedIn, message);
  }
}

/** Converts an expected error to a failure with its exit code; returns `undefined` for a bug. */
export function toFailure(error: unknown): CommandFailure | undefined {
  if (error instanceof CommandFailure) return error;
  if (error instanceof UnreachableError) {
    // A daemon answered in the end.
    if (error.cause instanceof ApiError) return new CommandFailure(EXIT.failed, error.message);
    const advice = 'Start it with svc serve, or point to another with SVC_URL.';
    return new CommandFailure(EXIT.unreachable, `${error.message}\n${advice}`);
  }
  if (!(error instanceof ApiError || error instanceof AppError)) return undefined;
  if (error.code !== 'unauthenticated') return new CommandFailure(EXIT.failed, messageForPerson(error));
  const unknown = 'The key is no longer valid: it was revoked or replaced by a newer sign-in. Run svc login.';
  return new NotSignedInError(whyKeyEnded(error) ?? unknown);
}

/** Returns why the daemon rejects a key that was replaced or revoked, or `undefined` if it does not know the key. */
export function whyKeyEnded(error: unknown): string | undefined {
  return error instanceof ApiError && error.problem.endedBy !== undefined ? error.detail : undefined;
}

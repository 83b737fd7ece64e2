/**
 * Why the daemon could not answer a message. The text goes to the assistant: what is the matter, what was (not) done,
 * and what the person in front of it can do.
 */
export class BridgeError extends Error {
  override readonly name = 'BridgeError';
}

const NO_RESTART = 'Then call the tool again; the assistant need not be restarted.';

export function notSignedIn(): BridgeError {
  return new BridgeError(
    `svc is not signed in on this machine, so nothing was read or stored. Ask the user to run \`svc login\` in a terminal. ${NO_RESTART}`,
  );
}

export function keyUnavailable(reason: string): BridgeError {
  return new BridgeError(
    `svc cannot get at its key, so nothing was read or stored: ${reason} Ask the user to run \`svc status\` in a terminal. ${NO_RESTART}`,
  );
}

export function keyRejected(): BridgeError {
  return new BridgeError(
    `The svc key kept on this machine is no longer valid (a new sign-in replaces it), so nothing was read or stored. Ask the user to run \`svc login\` in a terminal. ${NO_RESTART}`,
  );
}

export function daemonUnreachable(url: string): BridgeError {
  return new BridgeError(
    `No svc daemon answers at ${url}, so nothing was read or stored. Ask the user to start it with \`svc serve\`, or to look with \`svc status\`. ${NO_RESTART}`,
  );
}

export function connectionLost(url: string): BridgeError {
  return new BridgeError(
    `The connection to the svc daemon at ${url} broke before it answered; it is not known whether it was done. Call the tool again: the same content again makes no second memory.`,
  );
}

export function notADaemon(url: string, status: number): BridgeError {
  return new BridgeError(
    `What answers at ${url} is no svc daemon (HTTP ${status}), so nothing was read or stored. Ask the user to look with \`svc status\`.`,
  );
}

/** A refusal of the whole request (too many, too large, not available), in the daemon's own words. */
export function requestRejected(code: string, detail: string, retryAfterSeconds: number | undefined): BridgeError {
  const wait = retryAfterSeconds === undefined ? '' : ` Wait ${retryAfterSeconds} s before the next call.`;
  return new BridgeError(`${code}: ${detail} Nothing was done.${wait}`);
}

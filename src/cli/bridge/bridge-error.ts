/**
 * Explains to the assistant why the daemon did not answer a message: what failed, whether anything was done, and what
 * the user can do about it.
 */
export class BridgeError extends Error {
  override readonly name = 'BridgeError';
}

const NO_RESTART = 'Then call the tool again; there is no need to restart the assistant.';

export function notSignedIn(): BridgeError {
  return new BridgeError(
    `svc is not signed in on this machine, so nothing was read or stored. Ask the user to run \`svc login\` in a terminal. ${NO_RESTART}`,
  );
}

export function keyUnavailable(reason: string): BridgeError {
  return new BridgeError(
    `svc cannot read its key, so nothing was read or stored: ${reason} Ask the user to run \`svc status\` in a terminal. ${NO_RESTART}`,
  );
}

/** `why` is what the daemon said about the key, if it knows. */
/** `command` is how to sign in again: a device gets another token, which leaves the API key alone. */
export function keyRejected(
  command: 'svc login' | 'svc login --device',
  why = 'The svc key stored on this machine is no longer valid (a new sign-in replaces it).',
): BridgeError {
  return new BridgeError(
    `${why} Nothing was read or stored. Ask the user to run \`${command}\` in a terminal. ${NO_RESTART}`,
  );
}

export function daemonUnreachable(url: string): BridgeError {
  return new BridgeError(
    `No svc daemon responds at ${url}, so nothing was read or stored. Ask the user to start it with \`svc serve\`, or to check with \`svc status\`. ${NO_RESTART}`,
  );
}

const IN_DOUBT =
  'so the call may or may not have taken effect. Call the tool again: adding the same content twice does not create a second memory. Only conversation_append stores its messages again: look for them with memory_search before.';

export function connectionLost(url: string): BridgeError {
  return new BridgeError(`The connection to the svc daemon at ${url} broke before it answered, ${IN_DOUBT}`);
}

/** A proxy answered for the daemon, which may be down, restarting or slow. */
export function gatewayFailed(url: string, status: number): BridgeError {
  return new BridgeError(
    `The proxy in front of the svc daemon at ${url} got no answer from it (HTTP ${status}), ${IN_DOUBT}`,
  );
}

export function notADaemon(url: string, status: number): BridgeError {
  return new BridgeError(
    `The server at ${url} is not an svc daemon (HTTP ${status}), so nothing was read or stored. Ask the user to check with \`svc status\`.`,
  );
}

/** The daemon rejected the whole request (rate limited, too large, unavailable); quotes its problem document. */
export function requestRejected(code: string, detail: string, retryAfterSeconds: number | undefined): BridgeError {
  const wait = retryAfterSeconds === undefined ? '' : ` Wait ${retryAfterSeconds} s before the next call.`;
  return new BridgeError(`${code}: ${detail} Nothing was done.${wait}`);
}

/**
 * Why the daemon could not answer a message. The text goes to the assistant: what is the matter, what was (not) done,
 * and what the person in front of it can do.
 */
export class Outage extends Error {
  override readonly name = 'Outage';
}

const NO_RESTART = 'Then call the tool again; the assistant need not be restarted.';

export function notSignedIn(): Outage {
  return new Outage(
    `svc is not signed in on this machine, so nothing was read or stored. Ask the user to run \`svc login\` in a terminal. ${NO_RESTART}`,
  );
}

export function noSession(reason: string): Outage {
  return new Outage(
    `svc cannot get at its key, so nothing was read or stored: ${reason} Ask the user to run \`svc status\` in a terminal. ${NO_RESTART}`,
  );
}

export function keyRefused(): Outage {
  return new Outage(
    `The svc key kept on this machine is no longer valid (a new sign-in replaces it), so nothing was read or stored. Ask the user to run \`svc login\` in a terminal. ${NO_RESTART}`,
  );
}

export function unreachable(url: string): Outage {
  return new Outage(
    `No svc daemon answers at ${url}, so nothing was read or stored. Ask the user to start it with \`svc serve\`, or to look with \`svc status\`. ${NO_RESTART}`,
  );
}

export function brokenOff(url: string): Outage {
  return new Outage(
    `The connection to the svc daemon at ${url} broke before it answered; it is not known whether it was done. Call the tool again: the same content again makes no second memory.`,
  );
}

export function noDaemon(url: string, status: number): Outage {
  return new Outage(
    `What answers at ${url} is no svc daemon (HTTP ${status}), so nothing was read or stored. Ask the user to look with \`svc status\`.`,
  );
}

/** A refusal of the whole request (too many, too large, not available), in the daemon's own words. */
export function refused(code: string, detail: string, retryAfterSeconds: number | undefined): Outage {
  const wait = retryAfterSeconds === undefined ? '' : ` Wait ${retryAfterSeconds} s before the next call.`;
  return new Outage(`${code}: ${detail} Nothing was done.${wait}`);
}

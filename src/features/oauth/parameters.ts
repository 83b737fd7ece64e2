import { OAuthError } from './oauth-error.ts';

/** The parameters of an OAuth request by name. */
export type Parameters = Readonly<Record<string, string | undefined>>;

/**
 * Reads the parameters of a query or form. Empty ones count as omitted (RFC 6749, section 3.1). Throws `invalid_request`
 * if one is given twice.
 */
export function readParameters(entries: Iterable<readonly [string, string]>): Parameters {
  const found = new Map<string, string>();
  for (const [name, value] of entries) {
    if (value === '') continue;
    if (found.has(name)) throw new OAuthError('invalid_request', `${shown(name)} is given more than once.`);
    found.set(name, value);
  }
  return Object.fromEntries(found);
}

/** Returns a parameter that must be there. Throws `invalid_request`. */
export function required(parameters: Parameters, name: string): string {
  const value = parameters[name];
  if (value === undefined) throw new OAuthError('invalid_request', `${name} is missing.`);
  return value;
}

/** The query by which a client chooses other tools of the same resource, and structured answers. */
const CHOSEN = /\?(?:(?:tools=[a-z]+|structured=true)(?:&(?=.)|$))+$/;

/** Throws `invalid_target` if the request is for another resource (RFC 8707). */
export function requireResource({ resource }: Parameters, own: string): void {
  if (resource === undefined || resource.replace(CHOSEN, '') === own) return;
  throw new OAuthError('invalid_target', `resource must be ${own}.`);
}

function shown(name: string): string {
  return name.replace(/[^\w-]/g, '').slice(0, 40);
}

import type { Scope } from '../../contract/scopes.ts';
import { OAuthError } from './oauth-error.ts';

/** The scopes that an OAuth client may be granted: never the account itself. */
export type OAuthScope = Exclude<Scope, 'account'>;

/** The default first. */
export const OAUTH_SCOPES: readonly OAuthScope[] = ['memory', 'memory:read'];

/**
 * Returns the widest known scope of a request, or the default if it names none. Unknown ones, such as `offline_access`,
 * are ignored. Throws `invalid_scope` if all are unknown.
 */
export function requestedScope(text: string | undefined, missing: OAuthScope = 'memory'): OAuthScope {
  if (text === undefined) return missing;
  const names = text.split(' ');
  const found = OAUTH_SCOPES.find((scope) => names.includes(scope));
  if (found === undefined) throw new OAuthError('invalid_scope', `scope must be ${OAUTH_SCOPES.join(' or ')}.`);
  return found;
}

/** Whether `wanted` gives no more than `granted`. */
export function isWithin(wanted: OAuthScope, granted: OAuthScope): boolean {
  return granted === 'memory' || wanted === 'memory:read';
}

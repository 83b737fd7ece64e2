import { OPERATIONS } from '../../contract/all-operations.ts';
import { AppError } from '../../contract/errors.ts';
import { SCOPES, type Scope } from '../../contract/scopes.ts';
import type { Principal } from './keys.ts';

const REFUSALS: Record<Scope, string> = {
  'memory:read': 'This connection may not read memories.',
  memory: 'This connection may only read. Connect again with the scope "memory" to change something.',
  account:
    'This connection may not manage the account. Use the API key, or sign in to the web app with it or by email.',
};

/** Returns the scope that an operation needs. `path` is as in the API document, such as `/v1/memories/{id}`. */
export function scopeOf(method: string, path: string): Scope {
  const isRead = method === 'GET' || method === 'HEAD';
  return OPERATIONS[`${method} ${path}`]?.scope ?? (isRead ? 'memory:read' : 'memory');
}

/** Whether the caller's credential has a scope. */
export function hasScope({ scope }: Pick<Principal, 'scope'>, needed: Scope): boolean {
  return SCOPES.indexOf(scope) >= SCOPES.indexOf(needed);
}

/** Throws `forbidden`, with the scope that is needed, if the caller's credential does not have it. */
export function requireScope(principal: Pick<Principal, 'scope'>, needed: Scope): void {
  if (hasScope(principal, needed)) return;
  throw new AppError('forbidden', REFUSALS[needed], { extra: { scope: needed } });
}

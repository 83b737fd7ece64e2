import { OPERATIONS } from '../../contract/all-operations.ts';
import { AppError } from '../../contract/errors.ts';
import { SCOPES, type Scope } from '../../contract/scopes.ts';
import { SCOPE_OF_ROLE } from '../../contract/space-names.ts';
import type { Principal } from './keys.ts';

const REFUSALS: Record<Scope, string> = {
  'memory:read': 'This connection may not read memories.',
  memory: 'This connection may only read. Connect again with the scope "memory" to change something.',
  account:
    'This connection may not manage the account. Use the API key, or sign in to the web app with it or by email.',
};

/** Returns the scope that an operation needs. `path` is as in the API document, such as `/v1/memories/{id}`. */
export function scopeOf(method: string, path: string): Scope {
  return operationOf(method, path)?.scope ?? (asRead(method) === 'GET' ? 'memory:read' : 'memory');
}

/** Whether an operation acts on the caller's own account and in no space. `path` is as in `scopeOf`. */
export function isPersonal(method: string, path: string): boolean {
  return operationOf(method, path)?.personal === true;
}

function operationOf(method: string, path: string) {
  return OPERATIONS[`${asRead(method)} ${path}`];
}

/** HEAD needs what GET needs: its headers tell what is there. */
const asRead = (method: string) => (method === 'HEAD' ? 'GET' : method);

/** Whether the caller's credential has a scope. */
export function hasScope({ scope }: Pick<Principal, 'scope'>, needed: Scope): boolean {
  return SCOPES.indexOf(scope) >= SCOPES.indexOf(needed);
}

/** Throws `forbidden`, with the scope that is needed, if the caller's credential does not have it. */
export function requireScope(principal: Pick<Principal, 'scope' | 'space'>, needed: Scope): void {
  if (hasScope(principal, needed)) return;
  const { space } = principal;
  if (space && !hasScope({ scope: SCOPE_OF_ROLE[space.role] }, needed)) {
    const message = `You are ${space.role} of the space ${JSON.stringify(space.name)}, which is not enough for this.`;
    // Another token with more scope would not help.
    throw new AppError('forbidden', message, { extra: { role: space.role } });
  }
  throw new AppError('forbidden', REFUSALS[needed], { extra: { scope: needed } });
}

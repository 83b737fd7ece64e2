import type { Scope } from './scopes.ts';

/** The header that names the space in which a request acts. Characters that headers cannot carry are percent-encoded. */
export const SPACE_HEADER = 'x-svc-space';
/** The name of the caller's own account among spaces. Free of schemas, because the client reads it too. */
export const OWN_SPACE = 'default';
/** The most spaces that a request reads. */
export const MAX_READ_SPACES = 8;
/** The roles of members, each of which may do what those before it may. */
export const ROLES_IN_SPACE = ['reader', 'writer', 'owner'] as const;
export type SpaceRole = (typeof ROLES_IN_SPACE)[number];
/** What a role may do, as the scope of credentials: an owner manages the space like an account. */
export const SCOPE_OF_ROLE: Record<SpaceRole, Scope> = { reader: 'memory:read', writer: 'memory', owner: 'account' };

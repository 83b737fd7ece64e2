/** What a credential may do, each more than the one before. An API key has the last. */
export const SCOPES = ['memory:read', 'memory', 'account'] as const;
export type Scope = (typeof SCOPES)[number];

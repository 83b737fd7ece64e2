/** What a credential may do; each scope includes those before it. An API key has the last. */
export const SCOPES = ['memory:read', 'memory', 'account'] as const;
export type Scope = (typeof SCOPES)[number];

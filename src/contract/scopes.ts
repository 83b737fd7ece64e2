/** The scopes of credentials, each of which includes those before it. An API key has the last. */
export const SCOPES = ['memory:read', 'memory', 'account'] as const;
export type Scope = (typeof SCOPES)[number];

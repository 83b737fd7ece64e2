/** The origin of a memory: the most specific id in its source. */
export const SOURCE_KINDS = ['message', 'episode', 'conversation', 'none'] as const;
export type SourceKind = (typeof SOURCE_KINDS)[number];

/** Expiry filters: within `EXPIRES_SOON_MS`, or at any time. */
export const EXPIRIES = ['soon', 'any'] as const;
export type Expiry = (typeof EXPIRIES)[number];
export const EXPIRES_SOON_DAYS = 30;
export const EXPIRES_SOON_MS = EXPIRES_SOON_DAYS * 86_400_000;

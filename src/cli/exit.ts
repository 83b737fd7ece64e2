/** Exit codes, documented in `svc --help`. */
export const EXIT = { done: 0, failed: 1, usage: 2, notSignedIn: 3, unreachable: 4 } as const;

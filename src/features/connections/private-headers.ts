/** Headers of responses with secrets: they keep them out of caches, and their address from other sites. */
export const PRIVATE_HEADERS = { 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' } as const;

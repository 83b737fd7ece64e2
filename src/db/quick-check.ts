/** Files up to this size are checked at each start (about a quarter of a second). */
export const QUICK_CHECK_BYTES = 64 * 1024 * 1024;

const API_KEY = /^svc_live_[0-9a-f]{32}$/;
const FRAGMENT = /^#key=(.*)$/;

/** A signed-in session. The key exists only in this object, nowhere else in the browser. */
export interface Session {
  readonly key: string;
  /** Whether the key was just created by a sign-in, so that it cannot be shown again later. */
  readonly fresh: boolean;
}

/**
 * Removes `#key=…` from the address bar and the tab's history entry, so that the key cannot be seen, copied or
 * bookmarked there. Also removes an invalid key and reports it as `malformed`.
 */
export function takeKeyFromAddress(): Session | 'malformed' | undefined {
  const match = FRAGMENT.exec(location.hash);
  if (!match) return undefined;
  history.replaceState(null, '', location.pathname + location.search);
  const key = (match[1] ?? '').trim();
  return isApiKey(key) ? { key, fresh: true } : 'malformed';
}

/** Whether a text has the format of an API key. Only the daemon knows whether the key is valid. */
export function isApiKey(text: string): boolean {
  return API_KEY.test(text);
}

/** Masks all of the key but its prefix and last four characters. */
export function maskKey(key: string): string {
  return `svc_live_${'•'.repeat(12)}${key.slice(-4)}`;
}

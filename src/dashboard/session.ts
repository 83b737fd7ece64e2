const API_KEY = /^svc_live_[0-9a-f]{32}$/;
const FRAGMENT = /^#key=(.*)$/;

/** Who is looking at the page. The key lives in this object and nowhere else in the browser. */
export interface Session {
  readonly key: string;
  /** The key was made by the sign-in that led here: nobody can show it again later. */
  readonly fresh: boolean;
}

/**
 * Takes `#key=…` out of the address, and out of the tab's history entry with it, so that the key is in no address that
 * is seen, copied or bookmarked. An unusable key is removed as well and reported as `malformed`.
 */
export function takeKeyFromAddress(): Session | 'malformed' | undefined {
  const match = FRAGMENT.exec(location.hash);
  if (!match) return undefined;
  history.replaceState(null, '', location.pathname + location.search);
  const key = (match[1] ?? '').trim();
  return isApiKey(key) ? { key, fresh: true } : 'malformed';
}

/** Whether a text has the form of a key; whether it is valid only the daemon knows. */
export function isApiKey(text: string): boolean {
  return API_KEY.test(text);
}

/** The key with all but its prefix and last four characters hidden. */
export function maskKey(key: string): string {
  return `svc_live_${'•'.repeat(12)}${key.slice(-4)}`;
}

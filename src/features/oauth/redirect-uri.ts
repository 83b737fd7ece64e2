const MAX_CHARACTERS = 2000;
/** `http` is only for a program on the user's own machine (RFC 8252, section 7.3). */
const LOOPBACK = /^http:\/\/(127\.0\.0\.1|\[::1\]|localhost)(?::\d{1,5})?(\/[^#]*)?$/;
/** Schemes of desktop apps without the dot that RFC 8252 (section 7.1) asks for. */
const APP_SCHEMES = new Set(['cursor', 'vscode', 'vscode-insiders', 'windsurf', 'zed', 'warp', 'kiro', 'claude']);

/** A domain name in reverse order, as RFC 8252 (section 7.1) asks for: `com.example.app`. */
const DOTTED_SCHEME = /^[a-z][a-z0-9+-]*(\.[a-z0-9][a-z0-9+-]*)+$/;

/**
 * Whether a client may register a redirect URI: https, http to a loopback address, or the scheme of an app. Never with a
 * user, a fragment or a scheme that a browser runs.
 */
export function isRedirectUri(text: unknown): text is string {
  if (typeof text !== 'string' || text.length > MAX_CHARACTERS) return false;
  if (!/^[!-~]+$/.test(text) || /[\\#"<>]/.test(text) || !URL.canParse(text)) return false;
  const url = new URL(text);
  if (url.username !== '' || url.password !== '') return false;
  const scheme = url.protocol.slice(0, -1);
  if (scheme === 'https') return /^https:\/\/[^/]/.test(text) && url.hostname !== '';
  if (scheme === 'http') return LOOPBACK.test(text);
  return (DOTTED_SCHEME.test(scheme) || APP_SCHEMES.has(scheme)) && text.startsWith(`${scheme}:/`);
}

/** Whether a redirect URI is one of those registered: the same text, except for the port of a loopback address. */
export function isRegistered(redirectUri: string, registered: readonly string[]): boolean {
  if (!isRedirectUri(redirectUri)) return false;
  const wanted = withoutLoopbackPort(redirectUri);
  return registered.some((one) => one === redirectUri || withoutLoopbackPort(one) === wanted);
}

function withoutLoopbackPort(uri: string): string {
  const [, host, rest = '/'] = LOOPBACK.exec(uri) ?? [];
  return host === undefined ? uri : `http://${host}${rest}`;
}

/** Names where a redirect URI leads, for a person: a host, this computer, or an app. */
export function destinationOf(redirectUri: string): string {
  const { protocol, host, hostname } = new URL(redirectUri);
  if (LOOPBACK.test(redirectUri)) return `a program on this computer (${hostname})`;
  return protocol === 'https:' ? host : `the app that opens ${protocol} links`;
}

/** Adds parameters to a redirect URI; those that are undefined are left out. */
export function redirectTo(redirectUri: string, parameters: Record<string, string | undefined>): string {
  const url = new URL(redirectUri);
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined) url.searchParams.set(name, value);
  }
  return url.href;
}

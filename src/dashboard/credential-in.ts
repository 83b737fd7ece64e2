const API_KEY = /^svc_live_[0-9a-f]{32}$/;

/** A credential from the address: a key that a sign-in just issued, or a one-use ticket of `svc open`. */
export type AddressCredential =
  | { kind: 'key' | 'ticket'; value: string }
  | { kind: 'operator'; value: string }
  | { kind: 'malformed' };

/** Reads `#key=…`, `#ticket=…` or `#operator=…`; undefined if the fragment is none of them. */
export function credentialIn(fragment: string): AddressCredential | undefined {
  const match = /^#(key|ticket|operator)=(.*)$/.exec(fragment);
  if (!match) return undefined;
  const kind = match[1] as 'key' | 'ticket' | 'operator';
  const value = (match[2] ?? '').trim();
  if (kind === 'key' ? isApiKey(value) : /^[\w-]{16,200}$/.test(value)) return { kind, value };
  return { kind: 'malformed' };
}

/** Whether a text has the format of an API key. Only the daemon knows whether the key is valid. */
export function isApiKey(text: string): boolean {
  return API_KEY.test(text);
}

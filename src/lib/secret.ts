import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { Random } from './random.ts';

const API_KEY = /^svc_live_[0-9a-f]{32}$/;
const DEVICE_TOKEN = /^svc_dev_[\w-]{43}$/;
/** Crockford's base 32: no letters that look like digits. */
const CODE_ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** Generates an API key: `svc_live_` and 128 random bits in lower-case hex. */
export function mintApiKey(random: Random): string {
  return `svc_live_${random.bytes(16).toString('hex')}`;
}

/** Whether a text has the form of an API key. */
export function isApiKey(text: string): boolean {
  return API_KEY.test(text);
}

/** Generates the token of a device: `svc_dev_` and 256 random bits in base64url. */
export function mintDeviceToken(random: Random): string {
  return `svc_dev_${mintToken(random)}`;
}

/** Whether a text has the form of a device's token. */
export function isDeviceToken(text: string): boolean {
  return DEVICE_TOKEN.test(text);
}

/** Generates a 256-bit token in base64url, for links, cookies and verifiers. */
export function mintToken(random: Random): string {
  return random.bytes(32).toString('base64url');
}

/** Generates an eight-character code (40 random bits) for a person to type, e.g. `7KQ2-M9XD`. */
export function mintCode(random: Random): string {
  const letters = Array.from(random.bytes(8), (byte) => CODE_ALPHABET[byte % 32]).join('');
  return `${letters.slice(0, 4)}-${letters.slice(4)}`;
}

/** Normalizes a typed code to the form of `mintCode`: case, width, spaces, dashes and the look-alikes O, I and L. */
export function normalizeCode(typed: string): string {
  const letters = typed
    .normalize('NFKC')
    .toUpperCase()
    .replace(/[\s\p{Pd}]/gu, '')
    .replaceAll('O', '0')
    .replace(/[IL]/g, '1');
  return `${letters.slice(0, 4)}-${letters.slice(4)}`;
}

/** Hashes a key or token with SHA-256, in hex: the only form in which one is stored. */
export function hashSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

/** The PKCE S256 challenge of a verifier (RFC 7636): base64url SHA-256. */
export function codeChallengeOf(verifier: string): string {
  return createHash('sha256').update(verifier).digest('base64url');
}

/** Compares in constant time. */
export function equalSecrets(a: string, b: string): boolean {
  return timingSafeEqual(createHash('sha256').update(a).digest(), createHash('sha256').update(b).digest());
}

/** Derives the token against cross-site requests from the token of a session. The session's hash does not reveal it. */
export function csrfTokenOf(sessionToken: string): string {
  return createHmac('sha256', sessionToken).update('svc csrf').digest('base64url');
}

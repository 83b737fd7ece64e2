import { createCipheriv, createDecipheriv, createHmac, hkdfSync } from 'node:crypto';
import type { Random } from './random.ts';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Encrypts with AES-256-GCM (NIST SP 800-38D). `context` is authenticated: the ciphertext opens under the same one only. */
export function seal(key: Buffer, plaintext: Buffer, context: string, random: Random): Buffer {
  const nonce = random.bytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(context));
  const body = Buffer.concat([cipher.update(plaintext), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), body]);
}

/** Decrypts. Throws if the ciphertext was altered, or was sealed with another key or context. */
export function unseal(key: Buffer, sealed: Buffer, context: string): Buffer {
  const nonce = sealed.subarray(0, NONCE_BYTES);
  const tag = sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES);
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES })
    .setAAD(Buffer.from(context))
    .setAuthTag(tag);
  const body = sealed.subarray(NONCE_BYTES + TAG_BYTES);
  return Buffer.concat([decipher.update(body), decipher.final()]);
}

/** Derives a key for one purpose with HKDF (RFC 5869), so that no key serves two purposes. */
export function deriveKey(key: Buffer, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', key, '', `svc:${purpose}`, 32));
}

/** Authenticated encryption and message authentication with the daemon's own key. */
export interface Sealer {
  /** Like `seal`, for UTF-8 text. */
  seal(plaintext: string, context: string): Buffer;
  /** Like `unseal`, for UTF-8 text. */
  open(sealed: Buffer, context: string): string;
  /** HMAC-SHA-256 of a text for a purpose, base64url. */
  authenticate(text: string, purpose: string): string;
}

/** `key` is 32 bytes. */
export function createSealer({ key, random }: { key: Buffer; random: Random }): Sealer {
  const sealKey = deriveKey(key, 'seal');
  const macKey = deriveKey(key, 'mac');
  return {
    seal: (plaintext, context) => seal(sealKey, Buffer.from(plaintext), context, random),
    open: (sealed, context) => unseal(sealKey, sealed, context).toString('utf8'),
    authenticate: (text, purpose) => createHmac('sha256', macKey).update(`${purpose}\0${text}`).digest('base64url'),
  };
}

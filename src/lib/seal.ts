import { createCipheriv, createDecipheriv, createHmac, hkdfSync } from 'node:crypto';
import type { Random } from './random.ts';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Authenticated encryption and message authentication under the daemon's master key. */
export interface Sealer {
  /** AES-256-GCM (NIST SP 800-38D); `context` is bound to the ciphertext, so that it opens in its own place only. */
  seal(plaintext: string, context: string): Buffer;
  /** Throws where the ciphertext was altered or sealed for another context. */
  open(sealed: Buffer, context: string): string;
  /** HMAC-SHA-256 of a text for a purpose, base64url. */
  authenticate(text: string, purpose: string): string;
}

/** `masterKey` is 32 bytes; each use gets its own key by HKDF (RFC 5869). */
export function createSealer({ masterKey, random }: { masterKey: Buffer; random: Random }): Sealer {
  const derive = (use: string) => Buffer.from(hkdfSync('sha256', masterKey, '', `svc:${use}`, 32));
  const sealKey = derive('seal');
  const macKey = derive('mac');
  return {
    seal(plaintext, context) {
      const nonce = random.bytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', sealKey, nonce).setAAD(Buffer.from(context));
      const body = Buffer.concat([cipher.update(plaintext, 'utf8'), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), body]);
    },
    open(sealed, context) {
      const nonce = sealed.subarray(0, NONCE_BYTES);
      const tag = sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES);
      const decipher = createDecipheriv('aes-256-gcm', sealKey, nonce).setAAD(Buffer.from(context)).setAuthTag(tag);
      const body = sealed.subarray(NONCE_BYTES + TAG_BYTES);
      return Buffer.concat([decipher.update(body), decipher.final()]).toString('utf8');
    },
    authenticate: (text, purpose) => createHmac('sha256', macKey).update(`${purpose}\0${text}`).digest('base64url'),
  };
}

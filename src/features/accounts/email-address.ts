import { isIPv4 } from 'node:net';
import { domainToASCII } from 'node:url';
import { AppError } from '../../contract/errors.ts';

const LOCAL_PART = /^[\p{L}\p{N}\p{M}!#$%&'*+/=?^_`{|}~-]+(?:\.[\p{L}\p{N}\p{M}!#$%&'*+/=?^_`{|}~-]+)*$/u;
const DOMAIN = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*$/;

/**
 * Normalizes an email address to the form that identifies its account: NFKC, trimmed, lower case, international domains
 * in ASCII (RFC 5890). Accepts exactly one recipient: rejects quoting, comments, lists, control characters and numeric
 * hosts. Idempotent. Throws `invalid_request`.
 */
export function normalizeEmail(text: string): string {
  // Normalize twice: lower-casing can leave a letter and a combining mark that compose into one character (J̌ → ǰ).
  const address = text.normalize('NFKC').trim().toLowerCase().normalize('NFKC');
  const at = address.lastIndexOf('@');
  const local = address.slice(0, at);
  const domain = domainToASCII(address.slice(at + 1));
  const normal = `${local}@${domain}`;
  const fits = at > 0 && Buffer.byteLength(local) <= 64 && Buffer.byteLength(normal) <= 254;
  // domainToASCII parses a host that ends in a number, such as 127.1 or 0x7f.1, as an IPv4 address.
  const isValid = fits && LOCAL_PART.test(local) && DOMAIN.test(domain) && !isIPv4(domain);
  // domainToASCII silently drops some characters, so allow only letters, digits, hyphens and dots in its input.
  if (!isValid || !/^[\p{L}\p{N}\p{M}.-]+$/u.test(address.slice(at + 1))) {
    const errors = [{ path: '/email', message: 'must be a single email address' }];
    throw new AppError('invalid_request', 'email must be a single email address, without quotes, comments or lists.', {
      errors,
    });
  }
  return normal;
}

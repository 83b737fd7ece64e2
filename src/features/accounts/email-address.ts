import { domainToASCII } from 'node:url';
import { AppError } from '../../contract/errors.ts';

const LOCAL_PART = /^[\p{L}\p{N}\p{M}!#$%&'*+/=?^_`{|}~-]+(?:\.[\p{L}\p{N}\p{M}!#$%&'*+/=?^_`{|}~-]+)*$/u;
const DOMAIN = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*$/;

/**
 * The one form of an address, under which its account is kept: compatibility-folded (NFKC), trimmed, lower case, an
 * international domain in its ASCII form (RFC 5890). Exactly one recipient: quoting, comments, lists and control
 * characters are refused. Throws `invalid_request`.
 */
export function normalizeEmail(text: string): string {
  const address = text.normalize('NFKC').trim().toLowerCase();
  const at = address.lastIndexOf('@');
  const local = address.slice(0, at);
  const domain = domainToASCII(address.slice(at + 1));
  const normal = `${local}@${domain}`;
  const sound =
    at > 0 && Buffer.byteLength(local) <= 64 && normal.length <= 254 && LOCAL_PART.test(local) && DOMAIN.test(domain);
  // domainToASCII would drop what comes before it parses: the domain must hold nothing but letters, digits, - and dots.
  if (!sound || !/^[\p{L}\p{N}\p{M}.-]+$/u.test(address.slice(at + 1))) {
    const errors = [{ path: '/email', message: 'must be one e-mail address' }];
    throw new AppError('invalid_request', 'This is not one e-mail address that svc can write to.', { errors });
  }
  return normal;
}

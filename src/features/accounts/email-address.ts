import { isIPv4 } from 'node:net';
import { domainToASCII } from 'node:url';
import { AppError } from '../../contract/errors.ts';

const LOCAL_PART = /^[\p{L}\p{N}\p{M}!#$%&'*+/=?^_`{|}~-]+(?:\.[\p{L}\p{N}\p{M}!#$%&'*+/=?^_`{|}~-]+)*$/u;
const DOMAIN = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*$/;

/**
 * The one form of an address, under which its account is kept: compatibility-folded (NFKC), trimmed, lower case, an
 * international domain in its ASCII form (RFC 5890). Exactly one recipient: quoting, comments, lists, control
 * characters and numeric hosts are refused. The form of a form is itself. Throws `invalid_request`.
 */
export function normalizeEmail(text: string): string {
  // Folded again: lower-casing can leave a letter and a mark that fold into one (J̌ → ǰ).
  const address = text.normalize('NFKC').trim().toLowerCase().normalize('NFKC');
  const at = address.lastIndexOf('@');
  const local = address.slice(0, at);
  const domain = domainToASCII(address.slice(at + 1));
  const normal = `${local}@${domain}`;
  const fits = at > 0 && Buffer.byteLength(local) <= 64 && Buffer.byteLength(normal) <= 254;
  // domainToASCII reads a host that ends in a number, such as 127.1 or 0x7f.1, as an IPv4 address.
  const sound = fits && LOCAL_PART.test(local) && DOMAIN.test(domain) && !isIPv4(domain);
  // domainToASCII would drop what comes before it parses: the domain must hold nothing but letters, digits, - and dots.
  if (!sound || !/^[\p{L}\p{N}\p{M}.-]+$/u.test(address.slice(at + 1))) {
    const errors = [{ path: '/email', message: 'must be one e-mail address' }];
    throw new AppError('invalid_request', 'This is not one e-mail address that svc can write to.', { errors });
  }
  return normal;
}

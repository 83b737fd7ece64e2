import ipaddr from 'ipaddr.js';

/** Where IPv6 has addresses of the internet at all; what `ipaddr.js` does not know elsewhere counts as unicast for it. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');
/** NAT64 as every network may use it: the last four bytes are an IPv4 address. */
const NAT64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96');
/** Looks public, but is the inside of a cloud: the services that Azure gives each machine. */
const CLOUD_SERVICE = '168.63.129.16';

/**
 * Whether an address, as the system's resolver writes it, is one machine of the internet. An IPv6 address that carries
 * an IPv4 address is judged by that one, or refused where nobody needs its kind (6to4, Teredo).
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const inner = carried(ipaddr.process(address));
  if (inner.range() !== 'unicast') return false;
  return inner instanceof ipaddr.IPv6 ? inner.match(GLOBAL_UNICAST) : inner.toString() !== CLOUD_SERVICE;
}

function carried(address: ipaddr.IPv4 | ipaddr.IPv6): ipaddr.IPv4 | ipaddr.IPv6 {
  if (!(address instanceof ipaddr.IPv6) || !address.match(NAT64)) return address;
  return new ipaddr.IPv4(address.toByteArray().slice(-4));
}

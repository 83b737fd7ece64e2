import ipaddr from 'ipaddr.js';

/** The only public range of IPv6; `ipaddr.js` reports `unicast` for unassigned addresses outside of it too. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');
/** The well-known NAT64 prefix: the last four bytes are an IPv4 address. */
const NAT64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96');
/** Looks public, but is Azure's internal platform service, available to every virtual machine. */
const CLOUD_SERVICE = '168.63.129.16';

/**
 * Whether an address, as returned by the system's resolver, is public unicast. An IPv6 address that embeds an IPv4
 * address is judged by the latter, or rejected for formats without legitimate use (6to4, Teredo).
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

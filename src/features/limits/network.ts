import { isIPv4, isIPv6 } from 'node:net';

/**
 * Returns the network that an IP address is rate-limited as: IPv4 addresses (also IPv4-mapped IPv6) as themselves, IPv6
 * addresses as their /64, which is usually one subscriber. Ignores a port or zone. Everything else counts as a single
 * caller, `unknown`, so that made-up text neither escapes a limit nor fills memory.
 */
export function networkOf(address: string | undefined): string {
  const plain = withoutPort(address ?? '').replace(/%.*$/, '');
  if (isIPv4(plain)) return plain;
  if (!isIPv6(plain)) return 'unknown';
  const groups = groupsOf(plain);
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
  if (isMapped)
    return groups
      .slice(6)
      .map((group) => `${group >> 8}.${group & 0xff}`)
      .join('.');
  return `${groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':')}::/64`;
}

function withoutPort(address: string): string {
  return /^\[(.*)\](?::\d+)?$/.exec(address)?.[1] ?? address.replace(/^([\d.]+):\d+$/, '$1');
}

/** Parses the eight groups of an IPv6 address in any text form (RFC 4291, section 2.2). */
function groupsOf(address: string): number[] {
  const hexadecimal = address.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_, ...bytes: string[]) => {
    const [a, b, c, d] = bytes.map(Number);
    return `${((a! << 8) | b!).toString(16)}:${((c! << 8) | d!).toString(16)}`;
  });
  const [head = [], tail = []] = hexadecimal
    .split('::')
    .map((side) => (side === '' ? [] : side.split(':').map((group) => Number.parseInt(group, 16))));
  return [...head, ...Array<number>(8 - head.length - tail.length).fill(0), ...tail];
}

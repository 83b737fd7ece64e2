import { isIPv4, isIPv6 } from 'node:net';

/**
 * Under what an address is counted. An IPv4 address as itself, also when it is mapped into IPv6; an IPv6 address as its
 * /64, since one subscriber has all of that. A port that a proxy left on it and a zone do not matter, and all that is no
 * address is one caller, so that made-up text neither escapes a limit nor fills the memory.
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

/** The eight groups of an IPv6 address in any of its written forms (RFC 4291, section 2.2). */
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

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { networkOf } from '../../../src/features/limits/network.ts';

describe('the network that an IP address is rate-limited as', () => {
  test.each([
    ['203.0.113.7', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['::FFFF:203.0.113.7', '203.0.113.7'],
    ['::ffff:cb00:7107', '203.0.113.7'],
    ['0:0:0:0:0:ffff:203.0.113.7', '203.0.113.7'],
    ['0000:0000:0000:0000:0000:ffff:cb00:7107', '203.0.113.7'],
    ['203.0.113.7:51234', '203.0.113.7'],
    ['[2001:db8::1]:443', '2001:db8:0:0::/64'],
    ['[2001:db8::1]', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['::', '0:0:0:0::/64'],
    ['2001:DB8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0db8:0001:0002::', '2001:db8:1:2::/64'],
    ['2001:db8:1:2:ffff:ffff:ffff:ffff', '2001:db8:1:2::/64'],
    ['1:2:3:4:5:6:7::', '1:2:3:4::/64'],
    ['::2:3:4:5:6:7:8', '0:2:3:4::/64'],
    ['64:ff9b::203.0.113.7', '64:ff9b:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ])('%s is %s', (address, network) => {
    expect(networkOf(address)).toBe(network);
  });

  test.each([undefined, '', 'unknown', '_hidden', 'overflow', '999.1.1.1', '1.2.3', '2001:db8::g', 'x'.repeat(20_000)])(
    'counts text that is not an address (%.20s) as one caller',
    (address) => {
      expect(networkOf(address)).toBe('unknown');
    },
  );

  test('counts a /64 as one caller in any notation, and two /64s as two', () => {
    const group = fc.integer({ min: 0, max: 0xffff });
    const network = fc.tuple(fc.integer({ min: 1, max: 0xffff }), group, group, group);
    const host = fc.tuple(group, group, group, group);
    const write = (groups: number[], full: boolean) =>
      groups.map((value) => (full ? value.toString(16).padStart(4, '0').toUpperCase() : value.toString(16))).join(':');
    fc.assert(
      fc.property(network, network, host, host, fc.boolean(), (one, other, first, second, full) => {
        const here = networkOf(write([...one, ...first], full));
        expect(networkOf(write([...one, ...second], !full))).toBe(here);
        expect(networkOf(new URL(`http://[${write([...one, ...first], full)}]`).hostname)).toBe(here);
        expect(networkOf(write([...other, ...first], full)) === here).toBe(String(one) === String(other));
      }),
    );
  });
});

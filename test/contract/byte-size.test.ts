import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatExactSize, formatSize, parseSize } from '../../src/contract/byte-size.ts';

test.each([
  ['0', 0],
  ['512', 512],
  ['512B', 512],
  ['64KiB', 65_536],
  ['1 GiB', 1_073_741_824],
  ['2TiB', 2_199_023_255_552],
])('%s is read as %i bytes', (text, bytes) => {
  expect(parseSize(text)).toBe(bytes);
});

test.each(['', 'GiB', '1GB', '1gib', '1.5GiB', '-1', '1e3', '1  GiB', '999999TiB', '9999999999999999'])(
  '%s is not a size',
  (text) => {
    expect(parseSize(text)).toBeUndefined();
  },
);

test.each([
  [0, '0 B'],
  [1023, '1023 B'],
  [1024, '1 KiB'],
  [1_610_612_736, '1.5 GiB'],
  [1_073_741_823, '1023 MiB'],
  [13_107_200, '12.5 MiB'],
  [2 ** 52, '4096 TiB'],
])('%i bytes are shown as %s', (bytes, text) => {
  expect(formatSize(bytes)).toBe(text);
});

test('an exact size is read back as the same number of bytes', () => {
  fc.assert(fc.property(fc.maxSafeNat(), (bytes) => parseSize(formatExactSize(bytes)) === bytes));
  expect([formatExactSize(50 * 1024 ** 3), formatExactSize(1500), formatExactSize(0)]).toEqual(['50GiB', '1500', '0']);
});

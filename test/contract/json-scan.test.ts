import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { type JsonCounts, type JsonLimits, JsonScan, scanJson } from '../../src/contract/json-scan.ts';
import { MAX_JSON, parseStorable } from '../../src/contract/storable.ts';
import { codePoint } from '../helpers/code-point.ts';

const UNLIMITED: JsonLimits = { depth: 1000, objectMembers: 1e6, members: 1e6, values: 1e6 };

/** Counts what `scanJson` counts, in the parsed value. */
function countsOf(value: unknown): JsonCounts & { objectMembers: number } {
  if (typeof value !== 'object' || value === null) return { depth: 0, objectMembers: 0, members: 0, values: 1 };
  const own = Array.isArray(value) ? 0 : Object.keys(value).length;
  const inside = Object.values(value).map(countsOf);
  const total = (name: 'members' | 'values') => inside.reduce((sum, counts) => sum + counts[name], 0);
  return {
    depth: 1 + Math.max(0, ...inside.map(({ depth }) => depth)),
    objectMembers: Math.max(own, ...inside.map(({ objectMembers }) => objectMembers)),
    members: own + total('members'),
    values: 1 + total('values'),
  };
}

const text = fc.oneof(
  fc.string({ unit: codePoint }),
  fc.constantFrom('"', '\\', '\\"', '[{', '}]', ':,', '\u2028', '漢'),
);
const json = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 6 },
    text,
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.constantFrom(true, false, null, -0, 1e-7),
    fc.array(tie('value'), { maxLength: 5 }),
    fc.dictionary(text, tie('value'), { maxKeys: 5 }),
  ),
})).value;

const escaped = (string: string) =>
  `"${string.replace(/[\s\S]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)}"`;

/** JSON with white space, and with every character of its texts escaped in half of the cases. */
const written = fc
  .tuple(json, fc.constantFrom(undefined, 1, '\t', ' \r\n'), fc.boolean())
  .map(([value, space, isEscaped]) => {
    const plain = JSON.stringify(value, undefined, space);
    return isEscaped ? plain.replace(/"(?:[^"\\]|\\.)*"/g, (string) => escaped(JSON.parse(string))) : plain;
  });

describe('the scan of JSON', () => {
  test('counts what a walk of the parsed value counts, and refuses exactly what exceeds a limit', () => {
    fc.assert(
      fc.property(
        written,
        fc.record({ depth: fc.nat(5), objectMembers: fc.nat(4), members: fc.nat(9), values: fc.nat(20) }),
        (given, limits) => {
          const { objectMembers, ...counts } = countsOf(JSON.parse(given));
          expect(scanJson(Buffer.from(given), UNLIMITED)).toEqual(counts);
          const isWithin =
            counts.depth <= limits.depth &&
            objectMembers <= limits.objectMembers &&
            counts.members <= limits.members &&
            counts.values <= limits.values;
          expect(scanJson(Buffer.from(given), limits)).toEqual(isWithin ? counts : expect.any(String));
        },
      ),
      { numRuns: 500 },
    );
  });

  test('counts the same in text that arrives in pieces', () => {
    const limitsOf = fc.oneof(
      fc.constant(UNLIMITED),
      fc.constant({ depth: 3, objectMembers: 3, members: 5, values: 9 }),
    );
    fc.assert(
      fc.property(written, limitsOf, fc.integer({ min: 1, max: 7 }), (given, limits, size) => {
        const bytes = Buffer.from(given);
        const scan = new JsonScan(limits);
        let found: JsonCounts | string | undefined;
        for (let start = 0; start < bytes.length; start += size)
          found ??= scan.read(bytes.subarray(start, start + size));
        expect(found ?? scan.end()).toEqual(scanJson(bytes, limits));
      }),
      { numRuns: 500 },
    );
  });

  test('reads any bytes to their end', () => {
    const structural = fc.constantFrom(...Buffer.from('"\\[]{}:, 1n'));
    const bytes = fc.oneof(
      fc.uint8Array(),
      fc.array(structural, { maxLength: 200 }).map((some) => Uint8Array.from(some)),
    );
    fc.assert(
      fc.property(bytes, (some) => {
        const counts = scanJson(some, UNLIMITED);
        expect(
          typeof counts === 'string' ? 0 : Math.max(counts.depth, counts.members, counts.values),
        ).toBeLessThanOrEqual(some.length);
        expect(() => scanJson(some, { depth: 0, objectMembers: 0, members: 0, values: 0 })).not.toThrow();
      }),
      { numRuns: 500 },
    );
  });
});

describe('a body', () => {
  const many = (count: number, item: (index: number) => string) =>
    Array.from({ length: count }, (_, index) => item(index)).join();
  const object = (members: number) => `{${many(members, (index) => `"${index}x":1`)}}`;

  test.each<[string, string, string, string]>([
    ['32 levels', '['.repeat(32) + ']'.repeat(32), '['.repeat(33) + ']'.repeat(33), 'is nested deeper than 32 levels'],
    ['3,000 members', object(3000), object(3001), 'has an object with more than 3000 members'],
    [
      '20,000 members in all',
      `[${many(200, () => object(100))}]`,
      `[${many(200, () => object(100))},{"a":1}]`,
      'has more than 20000 object members',
    ],
    ['50,000 values', `[${many(49_999, () => '1')}]`, `[${many(50_000, () => '1')}]`, 'has more than 50000 values'],
  ])('of %s is parsed, and a larger one is refused without parsing it', (_, accepted, refused, message) => {
    const parse = vi.spyOn(JSON, 'parse');
    try {
      expect(parseStorable(Buffer.from(accepted))).toEqual(JSON.parse(accepted));
      parse.mockClear();
      expect(() => parseStorable(Buffer.from(refused))).toThrow(
        expect.objectContaining({
          code: 'invalid_request',
          message: `The body ${message}.`,
          options: { errors: [{ path: '/', message }] },
        }),
      );
      expect(parse).not.toHaveBeenCalled();
    } finally {
      parse.mockRestore();
    }
  });

  test('of any bytes is parsed as JSON.parse does, or refused with invalid_request', () => {
    const bytes = fc.oneof(
      fc.uint8Array(),
      written.map((given) => Buffer.from(given)),
    );
    fc.assert(
      fc.property(bytes, (some) => {
        const body = Buffer.from(some);
        let value: unknown;
        try {
          value = parseStorable(body);
        } catch (error) {
          expect(error).toMatchObject({ name: 'AppError', code: 'invalid_request' });
          return;
        }
        if (body.length > 0) expect(value).toEqual(JSON.parse(body.toString('utf8').replace(/^\ufeff/, '')));
      }),
      { numRuns: 500 },
    );
  });

  test('of 1 MiB with the largest batches that the contract allows is within the limits', () => {
    const tags = Array.from({ length: 64 }, (_, index) => `t${index}`);
    const bodies = [
      {
        memories: Array(500).fill({ content: 'x'.repeat(100), tags, user: 'u', occurredAt: null, metadata: { a: 1 } }),
      },
      {
        memories: Array(500).fill({
          content: 'x',
          metadata: Object.fromEntries(tags.slice(0, 36).map((tag) => [tag, 1])),
        }),
      },
      { messages: Array(500).fill({ role: 'user', content: Array(18).fill({ type: 'text', text: 'x' }) }) },
      { ids: Array(10_000).fill('mem_01a2016d8e3577f4b5d55323fe9aeaa9') },
    ];
    for (const body of bodies)
      expect(scanJson(Buffer.from(JSON.stringify(body)), MAX_JSON)).toEqual(expect.any(Object));
  });
});

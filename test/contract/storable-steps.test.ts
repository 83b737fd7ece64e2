import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { JsonScan } from '../../src/contract/json-scan.ts';
import { parseStorable } from '../../src/contract/storable.ts';
import { parseJsonInSteps, parseStorableInSteps } from '../../src/contract/storable-steps.ts';
import { finish } from '../../src/lib/time-slices.ts';
import { codePoint } from '../helpers/code-point.ts';

const inSteps = (text: string) => finish(parseStorableInSteps(Buffer.from(text)));

/** What a parser returns, or the message of its error. */
function outcomeOf(parse: () => unknown): unknown {
  try {
    return { value: parse() };
  } catch (error) {
    const { code, message } = error as { code: string; message: string };
    return { code, message };
  }
}

/** Long enough to be taken apart wherever it stands. */
const LONG = 9000;
const name = fc.oneof(fc.string(), fc.constantFrom('a', 'b', '__proto__', 'constructor', 'hasOwnProperty', '1', '0'));
const leaf = fc.oneof(
  fc.string({ unit: codePoint }),
  fc.constantFrom(
    '"',
    '\\',
    '[{',
    '}]',
    ',',
    'x'.repeat(LONG),
    `é${'x\\😀\u0001'.repeat(LONG / 4)}`,
    '\\"'.repeat(LONG / 2),
  ),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(true, null, 2 ** 60),
);
const json = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    leaf,
    fc.array(tie('value'), { maxLength: 6 }),
    fc.array(fc.tuple(name, tie('value')), { maxLength: 6 }).map((members) => Object.fromEntries(members)),
  ),
})).value;
const written = fc
  .tuple(json, fc.constantFrom(undefined, 1, '\t', ' \r\n'))
  .map(([value, space]) => JSON.stringify(value, undefined, space));

describe('a body that is parsed in steps', () => {
  /** A text with several faults may be refused for another one of them. */
  function expectSame(text: string): void {
    const expected = outcomeOf(() => parseStorable(Buffer.from(text)));
    const isRefused = typeof expected === 'object' && expected !== null && 'code' in expected;
    const found = outcomeOf(() => inSteps(text));
    if (isRefused) expect(found).toMatchObject({ code: 'invalid_request' });
    else expect(found).toEqual(expected);
  }

  test('is parsed as at once', () => {
    fc.assert(fc.property(written, expectSame), { numRuns: 100 });
  });

  test('is refused if it is damaged, mostly where long values end', () => {
    const damage = fc.tuple(
      fc.nat(),
      fc.constantFrom('', ',', '1', '"', '[', ']', '{', '}', ':', 'null', '\ufeff', '"a":1,'),
      fc.nat(2),
    );
    fc.assert(
      fc.property(written, fc.boolean(), damage, (text, isAnywhere, [position, inserted, removed]) => {
        const longEnd = Math.max(0, text.lastIndexOf('x'.repeat(99))) + 99 + (position % 9);
        const at = isAnywhere ? position % (text.length + 1) : longEnd;
        expectSame(text.slice(0, at) + inserted + text.slice(at + removed));
      }),
      { numRuns: 300 },
    );
  });

  const long = `["${'x'.repeat(LONG)}"]`;
  test.each([
    `[${long} ${long}]`,
    `[1 ${long}]`,
    `[${long},]`,
    `[,${long}]`,
    `[${long}1]`,
    `[${long}12]`,
    `{"a":1${long}}`,
    `{${long}}`,
    `{"a" ${long}}`,
    `{"a":${long},}`,
    `{"a":${long}"b":1}`,
    `[${long}}`,
    `${long}${long}`,
    `${long}]`,
    `[${long}`,
    `[\u00a0${long}]`,
  ])('is not accepted where JSON.parse refuses it: %#', (text) => {
    expect(() => JSON.parse(text)).toThrow(SyntaxError);
    expect(outcomeOf(() => inSteps(text))).toEqual({ code: 'invalid_request', message: 'The body is not valid JSON.' });
  });

  test('a string of a megabyte is parsed 64 KiB at a time, wherever escapes and characters are', () => {
    for (const unit of ['x', 'é', '😀', '\\', '"\n', '\u0001\u0002😀a']) {
      for (const shift of ['', 'a', 'ab', 'abc']) {
        const text = shift + unit.repeat(140_000 / unit.length);
        const value = { [text]: [1, text, { a: text, b: [] }], c: text };
        expect(inSteps(JSON.stringify(value, undefined, 1))).toEqual(value);
      }
    }
    const parse = vi.spyOn(JSON, 'parse');
    inSteps(JSON.stringify({ a: 'x'.repeat(1_000_000), b: ['y'.repeat(100_000)] }));
    const lengths = parse.mock.calls.map(([text]) => text.length);
    parse.mockRestore();
    expect(Math.max(...lengths)).toBeLessThan(65 * 1024);
  });

  test('a long string that cannot be stored is refused, as at once', () => {
    const filler = 'x'.repeat(100_000);
    for (const text of [
      `{"a":"${filler}\\u0000"}`,
      `[1,"${filler}\\ud800"]`,
      `["${filler}\\u00"]`,
      `["${filler}\\x"]`,
      `["${filler}\n"]`,
    ]) {
      const expected = outcomeOf(() => parseStorable(Buffer.from(text)));
      expect(expected).toHaveProperty('message');
      expect(outcomeOf(() => inSteps(text))).toEqual(expected);
    }
  });

  test('names where the fault is, as at once', () => {
    const items = Array.from({ length: 4000 }, (_, index) => index);
    for (const value of [
      [...items, '\0'],
      { a: [long, { 'b/c': [...items, { d: '\ud800' }] }] },
      { a: [items, { constructor: { prototype: items } }] },
      JSON.parse(`{"a":[[${items}],{"__proto__":[${items}]}]}`),
    ]) {
      const text = JSON.stringify(value).replaceAll('\0', '\\u0000');
      const expected = outcomeOf(() => parseStorable(Buffer.from(text)));
      expect(expected).toHaveProperty('message');
      expect(outcomeOf(() => inSteps(text))).toEqual(expected);
    }
  });

  test('has no name twice, in one piece or in two', () => {
    for (const text of [`{"a":1,"a":2,"b":${long}}`, `{"a":1,"b":${long},"a":2}`, `{"a":${long},"a":${long}}`]) {
      expect(outcomeOf(() => inSteps(text))).toMatchObject({
        message: 'The body has an object with the same name twice.',
      });
    }
  });

  test('of 20,000 names is never parsed more than 20 KiB at once', () => {
    const object = (index: number) => Object.fromEntries(Array.from({ length: 8 }, (_, at) => [`n${index}_${at}`, 1]));
    const body = JSON.stringify({ a: [{ b: Array.from({ length: 2400 }, (_, index) => object(index)) }] });
    const parse = vi.spyOn(JSON, 'parse');
    const value = inSteps(body);
    const lengths = parse.mock.calls.map(([text]) => text.length);
    parse.mockRestore();
    expect(value).toEqual(JSON.parse(body));
    expect(Math.max(...lengths)).toBeLessThan(20 * 1024);
  });
});

describe('JSON that need not be storable is parsed in steps', () => {
  const inStepsOf = (text: string) => finish(parseJsonInSteps(Buffer.from(text)));

  test('as by JSON.parse', () => {
    const parsed = fc.property(written, (text) => {
      expect(inStepsOf(text)).toEqual(JSON.parse(text));
    });
    fc.assert(parsed, { numRuns: 100 });
    const long = `["${'é'.repeat(LONG)}"]`;
    for (const text of [`{"a":1,"a":${long}}`, `{"__proto__":${long}}`, `[1e400,"\\u0000",${long}]`, ' 1']) {
      expect(inStepsOf(text)).toEqual(JSON.parse(text));
    }
    expect(() => inStepsOf(`[${long} ${long}]`)).toThrow('not valid JSON');
  });

  test('megabytes of numbers never more than 20 KiB at once', () => {
    const row = Array.from({ length: 8192 }, (_, index) => index / 7);
    const body = Buffer.from(JSON.stringify({ data: Array.from({ length: 10 }, () => ({ embedding: row })) }));
    const parse = vi.spyOn(JSON, 'parse');
    const value = finish(parseJsonInSteps(body));
    const lengths = parse.mock.calls.map(([text]) => text.length);
    parse.mockRestore();
    expect(value).toMatchObject({ data: { length: 10, 9: { embedding: row } } });
    expect(Math.max(...lengths)).toBeLessThan(20 * 1024);
  });
});

test('a body is counted 64 KiB at a time', () => {
  const read = vi.spyOn(JsonScan.prototype, 'read');
  finish(parseStorableInSteps(Buffer.from(`["${'x'.repeat(1_000_000)}"]`)));
  const lengths = read.mock.calls.map(([bytes]) => bytes.length);
  read.mockRestore();
  expect(Math.max(...lengths)).toBe(64 * 1024);
  expect(lengths).toHaveLength(16);
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readEventData } from '../../src/cli/bridge/http-transport.ts';
import { parseMetadata } from '../../src/cli/memory/command-options.ts';
import { formatClockTime, localDay } from '../../src/cli/memory/local-day.ts';
import { formatRelativeTime } from '../../src/cli/memory/relative-time.ts';
import { shortIds } from '../../src/cli/memory/short-id.ts';
import { describeMeaning, fractionalBar, signalBars } from '../../src/cli/memory/signal-bars.ts';
import { createMemoryStyle } from '../../src/cli/memory/style.ts';
import { displayWidth, oneLine, PLAIN, printable, truncate, wrap } from '../../src/cli/memory/terminal-text.ts';
import { parseTime } from '../../src/cli/memory/time-option.ts';
import { createMatcher } from '../../src/cli/memory/word-match.ts';
import { formatCount } from '../../src/cli/number-format.ts';
import { textLines } from '../../src/cli/text-lines.ts';
import type { SearchResult } from '../../src/contract/search.ts';
import { codePoint } from '../helpers/code-point.ts';

const local = (text: string) => Date.parse(text);
const NOW = local('2026-11-20T14:05:00');

describe('terminal text', () => {
  test('printable() leaves no control or bidirectional characters', () => {
    expect(printable('a\u001b[31mb\u0007c\r\nd\te\u009b1m\u202ex')).toBe('a␛[31mb␇c\nd  e\ufffd1m\ufffdx');
    fc.assert(
      fc.property(fc.string({ unit: codePoint }), (text) => {
        expect(printable(text)).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
        expect(oneLine(text)).not.toMatch(/[\n\t]/);
      }),
    );
  });

  test.each([
    ['abc', 3],
    ['茶葉蛋', 6],
    ['e\u0301', 1],
    ['👩‍👩‍👧', 2],
    ['🇦🇹', 2],
    ['', 0],
  ])('%j is %i columns wide', (text, width) => expect(displayWidth(text)).toBe(width));

  test('each character that is taken for plain has one column and combines with no other', () => {
    const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
    const all = Array.from({ length: 0x2800 }, (_, code) => String.fromCharCode(code));
    const plain = all.filter((character) => PLAIN.test(character)).join('');
    for (const character of 'é–…→█✓') expect(plain).toContain(character);
    const parts = [...segmenter.segment(plain)];
    expect(parts).toHaveLength(plain.length);
    expect(displayWidth(plain)).toBe(plain.length);
    // A wide character makes the text one that is measured by its parts.
    expect(displayWidth(`${plain}茶`)).toBe(plain.length + 2);
  });

  test('counts and local times are formatted as Intl formats them', () => {
    const time = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
    const day = new Intl.DateTimeFormat('en-CA', { year: 'numeric', month: '2-digit', day: '2-digit' });
    const instants = fc.integer({ min: Date.parse('1971-01-01'), max: Date.parse('9998-01-01') });
    fc.assert(
      fc.property(fc.integer(), instants, (count, epochMs) => {
        expect(formatCount(count)).toBe(count.toLocaleString('en-US'));
        expect(formatClockTime(epochMs)).toBe(time.format(epochMs));
        const { year, month, day: dayOfMonth } = localDay(epochMs);
        expect([year, month, dayOfMonth]).toEqual(day.format(epochMs).split('-').map(Number));
      }),
    );
  });

  test('wrap() fits every line and loses no text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), fc.integer({ min: 4, max: 60 }), (raw, width) => {
        const text = printable(raw);
        const lines = wrap(text, width);
        for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(width);
        const bare = (some: string) => some.replace(/\s/g, '');
        expect(bare(lines.join(''))).toBe(bare(text));
        for (const line of wrap(text, width, 2)) expect(displayWidth(line)).toBeLessThanOrEqual(width);
        expect(wrap(text, width, 2).length).toBeLessThanOrEqual(2);
        expect(displayWidth(truncate(text, width))).toBeLessThanOrEqual(width);
      }),
    );
  });

  test('truncated text ends with an ellipsis', () => {
    expect(wrap('one two three four', 9, 1)).toEqual(['one two …']);
    expect(truncate('茶葉蛋', 4)).toBe('茶…');
  });

  test('bars are accurate to an eighth of a column', () => {
    expect([
      fractionalBar(0, 4),
      fractionalBar(0.5, 4),
      fractionalBar(1, 4),
      fractionalBar(2, 4),
      fractionalBar(0.03125, 4),
    ]).toEqual(['', '██', '████', '████', '▏']);
  });

  test('an explained result says which of its words matched which word of the query', () => {
    const why = { rank: 1, defaultRank: 1, signals: {}, related: [{ term: 'boss', word: 'manager' }] };
    expect(signalBars({ why } as unknown as SearchResult, 60, createMemoryStyle(false))).toEqual([
      '“manager” for “boss”',
    ]);
  });
});

describe('times', () => {
  test.each([
    ['2026-11-20T14:04:40', 'just now'],
    ['2026-11-20T13:53:00', '12 minutes ago'],
    ['2026-11-20T14:25:00', 'in 20 minutes'],
    ['2026-11-20T09:00:00', 'today 09:00'],
    ['2026-11-20T23:00:00', 'today 23:00'],
    ['2026-11-19T23:59:00', 'yesterday 23:59'],
    ['2026-11-21T08:00:00', 'tomorrow 08:00'],
    ['2026-11-17T08:00:00', '3 days ago'],
    ['2026-10-30T08:00:00', '3 weeks ago'],
    ['2026-07-20T08:00:00', '4 months ago'],
    ['2027-05-20T14:05:00', 'in 6 months'],
    ['2024-03-01T08:00:00', 'March 2024'],
  ])('formats %s as “%s”', (at, expected) => expect(formatRelativeTime(local(at), NOW)).toBe(expected));

  test.each([
    ['2026-05-01', '2026-05-01T00:00:00'],
    ['2026-05-01 14:30', '2026-05-01T14:30:00'],
    ['today', '2026-11-20T00:00:00'],
    ['Yesterday', '2026-11-19T00:00:00'],
    ['tomorrow', '2026-11-21T00:00:00'],
    ['now', '2026-11-20T14:05:00'],
    ['3 weeks ago', '2026-10-30T14:05:00'],
    ['an hour ago', '2026-11-20T13:05:00'],
    ['2d', '2026-11-18T14:05:00'],
    ['in 2 days', '2026-11-22T14:05:00'],
    ['9 months ago', '2026-02-20T14:05:00'],
    ['a year ago', '2025-11-20T14:05:00'],
  ])('parses %s', (typed, at) => {
    expect(Date.parse(parseTime(typed, NOW, 'past'))).toBe(local(at));
  });

  test('a bare duration points in the direction of the option, and months have their real length', () => {
    expect(Date.parse(parseTime('30d', NOW, 'future'))).toBe(local('2026-12-20T14:05:00'));
    expect(Date.parse(parseTime('1mo', local('2027-01-31T10:00:00'), 'future'))).toBe(local('2027-02-28T10:00:00'));
    expect(parseTime('2026-05-01T14:00:00+02:00', NOW, 'past')).toBe('2026-05-01T12:00:00.000Z');
  });

  test.each(['someday', '2026-13-01', '2026-02-31', '2026-5-1', '', 'in 3 days ago', '3 fortnights', '20'])(
    'rejects %j',
    (typed) => expect(() => parseTime(typed, NOW, 'past')).toThrow(/Expected a time such as/),
  );
});

describe('matching words', () => {
  const marked = (query: string, text: string) =>
    createMatcher(query)(text)
      .map((part) => (part.matched ? `[${part.text}]` : part.text))
      .join('');

  test.each([
    ['teas', 'Tea, TEAS and teapots', '[Tea], [TEAS] and teapots'],
    ['moving', 'She moved; they move; the move', 'She [moved]; they [move]; the [move]'],
    ['cafe', 'Das Café', 'Das [Café]'],
    ['what is the office', 'The office is in Graz', 'The [office] is in Graz'],
    ['the', 'The end', '[The] end'],
    ['stories', 'one story', 'one [story]'],
    ['茶葉', '茶葉蛋と茶', '[茶葉]蛋と茶'],
    ['running', 'run, runs, running', '[run], [runs], [running]'],
    ['', 'nothing', 'nothing'],
  ])('%j in %j', (query, text, expected) => expect(marked(query, text)).toBe(expected));

  test('the parts add up to the original text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (query, text) => {
        expect(
          createMatcher(query)(text)
            .map((part) => part.text)
            .join(''),
        ).toBe(text);
      }),
    );
  });
});

test('short ids are long enough to be distinct', () => {
  const ids = ['mem_00000000000000000000000012345678', 'mem_11111111111111111111111112345678'];
  expect([...shortIds([ids[0]!]).values()]).toEqual(['12345678']);
  expect([...shortIds(ids).values()]).toEqual(['012345678', '112345678']);
});

test('metadata is text, or JSON after :=', () => {
  expect(parseMetadata('b:=3', parseMetadata('a=x=y'))).toEqual({ a: 'x=y', b: 3 });
  expect(() => parseMetadata('novalue')).toThrow(/key=value/);
  expect(() => parseMetadata('a:={')).toThrow(/not valid JSON/);
});

describe('streams', () => {
  async function* bytes(text: string, size: number): AsyncGenerator<Uint8Array> {
    const all = Buffer.from(text);
    for (let at = 0; at < all.length; at += size) yield all.subarray(at, at + size);
  }

  test('lines do not depend on how the bytes are chunked', async () => {
    for (const size of [1, 3, 1000]) {
      const lines = await collected(textLines(bytes('\ufeffä\u2028b\r\n\n茶\nlast', size)));
      expect(lines).toEqual(['ä\u2028b', '', '茶', 'last']);
    }
  });

  test('events yield their data, and a truncated event is dropped', async () => {
    const text = ': hi\nevent: message\nid: 1\ndata: {"a":\ndata:1}\n\ndata: two\r\n\r\nretry: 5\n\ndata: cut';
    for (const size of [1, 7, 1000]) {
      expect(await collected(readEventData(bytes(text, size)))).toEqual(['{"a":\n1}', 'two']);
    }
  });
});

async function collected(parts: AsyncIterable<string>): Promise<string[]> {
  const all: string[] = [];
  for await (const part of parts) all.push(part);
  return all;
}

test.each([
  [{ factor: 1, agreement: null, searches: 0 }, 'meaning counts as usual: nothing is known of the model yet'],
  [
    { factor: 1.22, agreement: 0.681, searches: 184 },
    'meaning counts 1.22 times as much as usual: the model agrees with words in 68 % of comparisons (184 searches)',
  ],
  [
    { factor: 0, agreement: 0.5, searches: 1 },
    'meaning counts for nothing: the model agrees with words in 50 % of comparisons (1 search)',
  ],
])('describeMeaning(%j) says how much a model counts, and why', (meaning, line) => {
  expect(describeMeaning(meaning)).toBe(line);
});

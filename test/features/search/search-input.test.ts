import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { codePoint } from '../../helpers/code-point.ts';
import { type Caller, type MemoryDaemon, startMemoryDaemon } from '../memories/memory-daemon.ts';

const KITCHEN = 'A dog and a cat share the kitchen';

let daemon: MemoryDaemon;
let caller: Caller;

beforeAll(async () => {
  daemon = await startMemoryDaemon();
  caller = await daemon.account();
  await caller.add(KITCHEN);
});
afterAll(() => daemon.close());

describe('any query', () => {
  test.each([
    '"',
    '""',
    '*',
    'dog*',
    '^dog',
    'NEAR(',
    'NEAR(dog cat, 5)',
    'AND',
    'dog AND',
    'OR OR',
    'NOT dog',
    '-dog',
    'body:dog',
    'body : dog',
    '{body}:dog',
    '(dog',
    'dog + cat',
    "'; DROP TABLE memories; --",
    '%',
    '_',
    '2_dog',
    '\\',
    '🍕',
    '犬',
    '\u202edog',
    '\ufeff dog',
    '\u0301',
    '\u0301'.repeat(9999),
    'dog '.repeat(2500),
    'd'.repeat(10_000),
  ])('gets an answer from search and context: %j', async (query) => {
    for (const path of ['/v1/search', '/v1/context']) {
      const answer = await caller.call(path, { body: { query } });
      expect(answer.status, answer.text).toBe(200);
    }
    expect(await caller.find('kitchen')).toEqual([KITCHEN]);
  });

  test.each<[string, object, string]>([
    ['100 KB', { query: 'x'.repeat(100_000) }, '/query'],
    ['nothing', { query: '' }, '/query'],
    ['blanks', { query: ' \n' }, '/query'],
    ['a number', { query: 5 }, '/query'],
    ['no query', {}, '/query'],
    ['a limit of nothing', { query: 'a', limit: 0 }, '/limit'],
    ['a limit in quotes', { query: 'a', limit: '5' }, '/limit'],
    ['101 results', { query: 'a', limit: 101 }, '/limit'],
    ['a strategy that is none', { query: 'a', strategy: 'magic' }, '/strategy'],
    ['a type that is none', { query: 'a', types: ['song'] }, '/types/0'],
    ['no type', { query: 'a', types: [] }, '/types'],
    ['an object as a member', { query: 'a', filter: { metadata: { a: {} } } }, '/filter/metadata/a'],
    ['null as a member', { query: 'a', filter: { metadata: { 'a\nb': null } } }, '/filter/metadata/a\nb'],
    ['a filter that is not known', { query: 'a', filter: { tag: 'b' } }, '/filter/tag'],
    ['a time that is none', { query: 'a', asOf: '2020-01-01T00:00:60Z' }, '/asOf'],
    ['a leap second in the filter', { query: 'a', filter: { after: '2016-12-31T23:59:60Z' } }, '/filter/after'],
  ])('%s is rejected with its path', async (_, body, path) => {
    const answer = await caller.call('/v1/search', { body });
    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
    expect((answer.body.errors as { path: string }[])[0]?.path).toBe(path);
  });

  test('of the largest size is answered', { timeout: 30_000 }, async () => {
    const words = Array.from({ length: 64 }, (_, index) => `zebra${index}`);
    const metadata = Object.fromEntries(words.slice(0, 16).map((name) => [name, name]));
    const filter = { metadata, after: '2000-01-01T00:00:00Z', before: '2100-01-01T00:00:00Z' };
    const now = new Date(daemon.clock.nowMs()).toISOString();
    const ask = { query: words.join(' '), asOf: now, limit: 100, explain: true };
    for (const body of [ask, { ...ask, filter }, { ...ask, filter: { ...filter, tags: words } }]) {
      const answer = await caller.call('/v1/search', { body });
      expect(answer, answer.text).toMatchObject({ status: 200, body: { results: [] } });
    }
    expect(await caller.find(`kitchen ${words.slice(1).join(' ')}`, { asOf: now })).toEqual([KITCHEN]);
  });

  test('of any text is answered or rejected, never a server error', { timeout: 30_000 }, async () => {
    const piece = fc.oneof(
      fc.string({ unit: codePoint }),
      fc.string({ unit: 'grapheme' }),
      fc.constantFrom('"', '*', 'NEAR(', ' AND ', ' OR ', ' NOT ', ':', '^', '-', '\0', '\ud800', '_', '2_', '{}'),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 8 }), async (pieces) => {
        const answer = await caller.search(pieces.join(''));
        expect([200, 400]).toContain(answer.status);
      }),
      { numRuns: 50 },
    );
  });
});

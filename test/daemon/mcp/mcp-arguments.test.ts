import fc from 'fast-check';
import { type TObject, Type } from 'typebox';
import { describe, expect, test, vi } from 'vitest';
import { Nullable, strict } from '../../../src/contract/common.ts';
import { MemoryChange, NewMemory } from '../../../src/contract/memories.ts';
import { SearchRequest } from '../../../src/contract/search.ts';
import { argumentReader } from '../../../src/daemon/mcp/mcp-arguments.ts';

const readNew = argumentReader<NewMemory>(NewMemory);
const readSearch = argumentReader<SearchRequest>(SearchRequest);
const readChange = argumentReader<MemoryChange>(MemoryChange as TObject);

describe('arguments as models write them', () => {
  test.each([
    [{ tags: 'tea, taste' }, { tags: ['tea', 'taste'] }, 'tags was read as ["tea","taste"].'],
    [{ tags: '["tea","taste"]' }, { tags: ['tea', 'taste'] }, 'tags was read as ["tea","taste"].'],
    [{ metadata: '{"a":1}' }, { metadata: { a: 1 } }, 'metadata was read as {"a":1}.'],
    [{ pinned: 'true' }, { pinned: true }, 'pinned was read as true.'],
    [{ occurredAt: '2026-11-21' }, { occurredAt: '2026-11-21T00:00:00Z' }, 'was read as 2026-11-21T00:00:00Z.'],
    [{ occurredAt: '2026-11-21 08:30' }, { occurredAt: '2026-11-21T08:30:00Z' }, 'was read as 2026-11-21T08:30:00Z.'],
    [{ tags: ['', 'tea', 'tea'] }, { tags: ['tea'] }, 'tags was read as ["tea"].'],
    [{ tags: [''] }, { tags: [] }, 'tags was read as [].'],
    [{ colour: 'red' }, {}, 'colour was ignored'],
    [{ constructor: 1 }, {}, 'constructor was ignored'],
  ])('%j is understood, and a note says how', (given, understood, note) => {
    const { input, notes } = readNew({ content: 'Tea', ...given });
    expect(input).toEqual({ content: 'Tea', ...understood });
    expect(notes).toEqual([expect.stringContaining(note)]);
  });

  test('JSON in a string is read up to the depth of a body, and a list in a string up to 10,000 parts', () => {
    const nested = (levels: number) => ({
      content: 'Tea',
      metadata: `{"a":${'['.repeat(levels)}${']'.repeat(levels)}}`,
    });
    expect(readNew(nested(31)).notes).toHaveLength(1);
    for (const levels of [32, 400_000]) expect(() => readNew(nested(levels))).toThrow('`metadata` must be an object');
    const parts = (count: number) => readNew({ content: 'Tea', tags: 'a,'.repeat(count) });
    expect(() => parts(65)).toThrow('`tags` must have at most 64 items');
    expect(() => parts(10_001)).toThrow('`tags` must be an array');
  });

  test('the items of a list that is too long are not read', () => {
    const tags = Array.from({ length: 65 }, () => 'tea');
    const item = vi.fn(() => 'tea');
    Object.defineProperty(tags, 0, { get: item });
    expect(() => readNew({ content: 'Tea', tags })).toThrow('`tags` must have at most 64 items');
    expect(item).not.toHaveBeenCalled();
  });

  test('null and empty text count as an omitted field', () => {
    const given = { content: 'Tea', user: null, supersedes: '', expiresAt: '', tags: null };
    expect(readNew(given)).toEqual({ input: { content: 'Tea' }, notes: [] });
  });

  test('a list that says nothing counts as omitted where it must say something', () => {
    const given = { query: 'tea', types: [], wordings: [''], filter: { tags: [''] } };
    expect(readSearch(given).input).toMatchObject({ query: 'tea', wordings: [], filter: { tags: [] } });
    expect(readSearch(given).input).not.toHaveProperty('types');
    expect(readSearch({ query: 'tea', types: ['memory', 'memory'] }).input).toMatchObject({ types: ['memory'] });
    expect(readChange({ tags: [] }).input).toEqual({ tags: [] });
  });

  test('null and empty text clear a field that can be cleared', () => {
    expect(readChange({ occurredAt: '', expiresAt: null }).input).toEqual({ occurredAt: null, expiresAt: null });
  });

  test('a filter in a string and numbers in strings are understood, a number outside its range is clamped', () => {
    const { input, notes } = readSearch({ query: 'tea', limit: '500', filter: '{"tags":"a,b"}', types: 'memory' });
    expect(input).toMatchObject({ limit: 100, filter: { tags: ['a', 'b'] }, types: ['memory'] });
    expect(notes).toEqual([
      'limit was read as 500.',
      'limit was read as 100.',
      'filter was read as {"tags":"a,b"}.',
      'filter.tags was read as ["a","b"].',
      'types was read as ["memory"].',
    ]);
  });

  test('a text that looks like JSON stays a text', () => {
    for (const content of ['5', 'true', 'null', '[1]', '{"a":1}', 'a,b', '2026-11-21']) {
      expect(readNew({ content })).toEqual({ input: { content }, notes: [] });
    }
  });

  test('a missing field and an impossible value are rejected by name', () => {
    expect(() => readNew({})).toThrow('`content` is missing');
    expect(() => readNew({ content: null })).toThrow('`content`');
    expect(() => readSearch({ query: 'a', types: ['song'] })).toThrow('memory, message, episode');
    expect(() => readSearch({ query: 'a', limit: 'many' })).toThrow('`limit`');
  });

  test('valid arguments are read unchanged', () => {
    const contract = Type.Object(
      {
        text: Type.Optional(Type.String({ minLength: 1 })),
        count: Type.Optional(Type.Integer({ minimum: 0, maximum: 9 })),
        flag: Type.Optional(Type.Boolean()),
        list: Type.Optional(Type.Array(Type.String({ minLength: 1 }))),
        cleared: Type.Optional(Nullable(Type.String({ minLength: 1 }))),
      },
      strict,
    );
    const read = argumentReader<Record<string, unknown>>(contract);
    const text = fc.string({ minLength: 1 });
    const valid = fc.record(
      { text, count: fc.nat(9), flag: fc.boolean(), list: fc.array(text), cleared: fc.option(text) },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(valid, (given) => {
        expect(read(given)).toEqual({ input: { ...given }, notes: [] });
      }),
    );
  });

  test('no arguments make it throw anything but invalid_request', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.jsonValue(), (more, filter) => {
        try {
          readSearch({ ...more, query: 'tea', filter });
        } catch (error) {
          expect(error).toMatchObject({ code: 'invalid_request' });
        }
      }),
    );
  });
});

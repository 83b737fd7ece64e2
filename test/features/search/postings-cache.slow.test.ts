import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Reader } from '../../../src/db/connection.ts';
import { createCandidates, SEARCH_ENGINES } from '../../../src/features/search/candidates.ts';
import type { IndexTerm, Postings, PostingsKey, VocabularyRange } from '../../../src/features/search/postings.ts';
import { createCachedPostings } from '../../../src/features/search/postings-cache.ts';
import { noteAdded } from '../../../src/features/text/added-tokens.ts';
import { createScopes } from '../../../src/features/text/scopes.ts';
import { changeTotals, readTotals } from '../../../src/features/text/word-totals.ts';
import { type Caller, type MemoryDaemon, startMemoryDaemon } from '../memories/memory-daemon.ts';
import { newAccount } from '../portability/portable-account.ts';
import { indexStep, takeStep } from '../text/index-steps.ts';

describe('the cached part of an index', () => {
  let daemon: MemoryDaemon;
  /** Keeps what it reads during all tests. */
  const keeping = createCandidates();

  beforeAll(async () => {
    daemon = await startMemoryDaemon();
    daemon.clock.freeze();
  });
  afterAll(() => daemon.close());

  const scopeOf = ({ tenantId }: Caller, endUser: string) =>
    createScopes({ isCaching: false }).find(daemon.db.readers.of(tenantId), { tenantId, endUser });

  async function expectCurrent(caller: Caller, endUser: string): Promise<void> {
    const { tenantId } = caller;
    const scope = await scopeOf(caller, endUser);
    if (scope === undefined) return;
    const nowMs = daemon.clock.nowMs();
    for (const asOfMs of [undefined, nowMs]) {
      const terms = ['kayak', 'boats', 'sailin', '茶', 'lee', 'may'];
      const query = { tenantId, endUser, scope, terms, months: [], filter: {}, asOfMs, nowMs, pool: 40 };
      const find = (candidates: typeof keeping) =>
        daemon.db.readers.together(tenantId, (reader) => candidates.find(reader, query));
      expect(await find(keeping)).toEqual(await find(createCandidates()));
    }
  }

  test('never differs from the index, whatever is written between searches', { timeout: 120_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(indexStep, { minLength: 5, maxLength: 12 }), async (steps) => {
        const caller = await newAccount(daemon);
        for (const each of steps) {
          await takeStep(daemon, caller, each);
          await expectCurrent(caller, each.user);
        }
      }),
      { numRuns: 4 },
    );
  });

  const WORDS = ['kayak', 'kayaks', 'sail', 'sailing', '2', '42', 'über', 'straße', 'naïve', 'ﬁn', 'zoo', 'a', 'ab'];
  const UNSPACED = ['茶', '茶会', '会茶', 'カヤック', '한국', '𠀀𠀁', '🚀', '🇦🇹', '\u{e000}x', 'ａｂ'];
  const RANGES: VocabularyRange[] = ['', 'k', 's', '茶', '\u{20000}'].flatMap((first) =>
    [3, 5000].map((limit) => ({ first, least: 1, most: 5, limit })),
  );

  test('is what the index holds after additions of any words', { timeout: 120_000 }, async () => {
    const text = fc.array(fc.constantFrom(...WORDS, ...UNSPACED), { minLength: 1, maxLength: 6 });
    const terms = [...WORDS, 'sail'].map((each): IndexTerm => ({ text: each, as: 'word' }));
    const characters = ['茶', '会', '국'].map((each): IndexTerm => ({ text: each, as: 'prefix' }));
    const asked = [...terms, ...characters];
    await fc.assert(
      fc.asyncProperty(fc.array(text, { minLength: 2, maxLength: 8 }), async (texts) => {
        const caller = await newAccount(daemon);
        const { tenantId } = caller;
        const { postings } = SEARCH_ENGINES[daemon.db.readers.of(tenantId).engine];
        const cached = createCachedPostings(postings);
        const readAll = async (from: Postings, reader: Reader, key: PostingsKey) => ({
          of: await from.of(reader, key, asked),
          count: await from.count(reader, key, asked),
          have: await from.have(reader, key, asked),
          stems: await Promise.all(RANGES.map((range) => from.vocabulary(reader, key, range))),
        });
        for (const [round, words] of texts.entries()) {
          await caller.add(`${words.join(' ')} ${round}`);
          const scope = (await scopeOf(caller, 'default'))!;
          await daemon.db.readers.together(tenantId, async (reader) => {
            const { version } = (await readTotals(reader, { tenantId, scope })).get('memory')!;
            for (const parts of [['live'], ['live', 'past']] as const) {
              const key: PostingsKey = { tenantId, type: 'memory', scope, parts, version };
              expect(await readAll(cached, reader, key)).toEqual(await readAll(postings, reader, key));
            }
          });
        }
      }),
      { numRuns: 20 },
    );
  });

  test('does not outlive a memory, even if one with as many words replaces it', async () => {
    const caller = await newAccount(daemon);
    const { id } = await caller.add('red kayak');
    await caller.add('green boats');
    expect(await caller.find('kayak')).toEqual(['red kayak']);
    await caller.erase(id);
    await caller.add('new kayak');
    expect(await caller.find('kayak')).toEqual(['new kayak']);
    await expectCurrent(caller, 'default');
  });

  test('does not outlive an erased user, even if one of the same name has as many words', async () => {
    const caller = await newAccount(daemon);
    await caller.add('red kayak', { user: 'ann' });
    await expectCurrent(caller, 'ann');
    await caller.call('/v1/users/ann', { method: 'DELETE' });
    await vi.waitFor(async () => expect((await caller.call('/v1/users/ann')).status).toBe(404), 10_000);
    await vi.waitFor(() => caller.add('new kayak', { user: 'ann' }), 10_000);
    expect(await caller.find('kayak', { user: 'ann' })).toEqual(['new kayak']);
    await expectCurrent(caller, 'ann');
  });

  test('belongs to a version that is never reused, even if the database returns to an earlier state', async () => {
    const caller = await newAccount(daemon);
    await caller.add('red kayak');
    const user = { tenantId: caller.tenantId, scope: (await scopeOf(caller, 'default'))! };
    const versionIn = async (reader: Reader) => (await readTotals(reader, user)).get('memory')!.version;
    const change = { ...user, documents: 0, words: 0, passages: 0 };
    const versions = [await versionIn(daemon.db.readers.of(user.tenantId))];
    for (let round = 0; round < 3; round += 1) {
      // A write that fails beside others runs again, alone.
      const seen: (typeof versions)[number][] = [];
      const undone = daemon.db.writes.write(user.tenantId, async (connection) => {
        await changeTotals(connection, 'memory', [change]);
        seen.push(await versionIn(connection));
        throw new Error('back to the earlier state');
      });
      await expect(undone).rejects.toThrow('earlier state');
      versions.push(seen.at(-1)!);
      expect(await versionIn(daemon.db.readers.of(user.tenantId))).toBe(versions[0]);
    }
    expect(new Set(versions).size).toBe(4);
  });
});

describe('a cache of postings', () => {
  const reader = {} as Reader;
  const word = (text: string): IndexTerm => ({ text, as: 'word' });
  const keyOf = (scope: number, version: string | null): PostingsKey => {
    return { tenantId: 'ten_1', type: 'memory', scope, parts: ['live'], version };
  };

  /** Counts the terms that are read; each has a document whose number is its length. */
  function counting() {
    const read: string[] = [];
    const postings: Postings = {
      async of(_, __, terms) {
        read.push(...terms.map(({ text }) => text));
        return terms.map(({ text }) => ({ numbers: [text.length], frequencies: [1], lengths: [1] }));
      },
      count: async (_, __, terms) => terms.map(() => 1),
      have: async (_, __, terms) => terms.map(() => true),
      vocabulary: async () => [],
    };
    return { read, postings };
  }

  test('reads a term once for each version of an index, and whenever the version is not known', async () => {
    const { read, postings } = counting();
    const cached = createCachedPostings(postings);
    const of = async (version: string | null, ...terms: string[]) => {
      const found = await cached.of(reader, keyOf(1, version), terms.map(word));
      expect(found.map(({ numbers }) => numbers[0])).toEqual(terms.map(({ length }) => length));
      return read.splice(0);
    };
    expect(await of('a', 'x', 'xx')).toEqual(['x', 'xx']);
    expect(await of('a', 'xxx', 'xx', 'x')).toEqual(['xxx']);
    expect(await of('b', 'x')).toEqual(['x']);
    expect(await of(null, 'x')).toEqual(['x']);
    expect(await of('b', 'x')).toEqual([]);
  });

  test('follows additions without reading what they changed', async () => {
    const { read, postings } = counting();
    const cached = createCachedPostings({
      ...postings,
      async vocabulary(_, __, { first }) {
        read.push(`${first}…`);
        return [`${first}a`, `${first}c`];
      },
    });
    const terms: IndexTerm[] = [word('x'), word('boats'), { text: '茶', as: 'prefix' }];
    const range = { first: 'b', least: 1, most: 9, limit: 3 };
    async function readAt(version: string) {
      const [, boats] = await cached.of(reader, keyOf(1, version), terms);
      const stems = await cached.vocabulary(reader, keyOf(1, version), range);
      return { read: read.splice(0), boats, stems };
    }
    const add = (version: string, number: number, ...words: string[]) =>
      noteAdded(version, [{ number, prefix: '2_', terms: Buffer.from(['', ...words].join(' ')), others: [] }]);
    const found = { boats: { numbers: [5], frequencies: [1], lengths: [1] }, stems: ['ba', 'bc'] };
    expect(await readAt('v1')).toEqual({ ...found, read: ['x', 'boats', '茶', 'b…'] });
    add('v2', 7, 'boat', 'other', 'boating');
    const boats = { numbers: [5, 7], frequencies: [1, 2], lengths: [1, 3] };
    const grown = { boats, stems: ['ba', 'bc', 'boat'] };
    expect(await readAt('v2 v1')).toEqual({ ...grown, read: [] });
    add('v3', 8, '茶会', 'bb');
    add('v4', 9, 'bbb');
    expect(await readAt('v4 v3 v2 v1')).toEqual({ ...grown, stems: ['ba', 'bb', 'bbb'], read: ['茶'] });
    // It may be there already, if it was read after the addition.
    add('v5', 6, 'boat');
    expect(await readAt('v5 v4 v3 v2')).toMatchObject({ read: ['boats'] });
    // What changed the index to v6 is not known, and v8 does not say what it follows.
    expect((await readAt('v6 v5 v4 v3 v2 v1')).read).toHaveLength(4);
    add('v7', 10, 'none');
    expect((await readAt('v7 v6 v5 v4')).read).toEqual([]);
    add('v8', 11, 'none');
    expect((await readAt('v8')).read).toHaveLength(4);
  });

  test('counts again where documents were added, which may have been counted', async () => {
    const { postings } = counting();
    let counted = 1;
    const cached = createCachedPostings({ ...postings, count: async () => [counted] });
    const countAt = (version: string) => cached.count(reader, keyOf(1, version), [word('x')]);
    noteAdded('w2', [{ number: 1, prefix: '2_', terms: Buffer.from(' x'), others: [] }]);
    noteAdded('w3', [{ number: 2, prefix: '2_', terms: Buffer.from(' y'), others: [] }]);
    expect(await countAt('w1')).toEqual([1]);
    counted = 2;
    expect(await countAt('w2 w1')).toEqual([2]);
    counted = 0;
    expect(await countAt('w3 w2 w1')).toEqual([2]);
  });

  test('does not keep for one version what a search with another one read', async () => {
    const { read, postings } = counting();
    const waiting: (() => void)[] = [];
    const cached = createCachedPostings({
      ...postings,
      async of(...asked) {
        await new Promise<void>((resolve) => waiting.push(resolve));
        return postings.of(...asked);
      },
    });
    const older = cached.of(reader, keyOf(1, 'a'), [word('x')]);
    const newer = cached.of(reader, keyOf(1, 'b'), [word('xx')]);
    for (const resolve of waiting) resolve();
    await Promise.all([older, newer]);
    read.splice(0);
    const again = cached.of(reader, keyOf(1, 'b'), [word('x'), word('xx')]);
    waiting.at(-1)!();
    await again;
    expect(read).toEqual(['x']);
  });

  test('forgets the users that searched longest ago once it is full', async () => {
    const { read, postings } = counting();
    const cached = createCachedPostings(postings, 1000);
    const of = async (scope: number) => {
      await cached.of(reader, keyOf(scope, 'a'), [word('x')]);
      return read.splice(0).length;
    };
    for (const scope of [1, 2, 3]) expect(await of(scope)).toBe(1);
    expect(await of(1)).toBe(0);
    for (const scope of [4, 5]) expect(await of(scope)).toBe(1);
    expect(await of(1)).toBe(0);
    expect(await of(2)).toBe(1);
  });
});

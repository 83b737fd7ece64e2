import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Connection, openConnection } from '../../../src/db/connection.ts';
import type { CandidateQuery } from '../../../src/features/search/candidate.ts';
import { createCandidates, SEARCH_ENGINES } from '../../../src/features/search/candidates.ts';
import type { IndexTerm } from '../../../src/features/search/postings.ts';
import { postingsSqlite } from '../../../src/features/search/postings-sqlite.ts';
import { readPostings, readStems, readVocabulary } from '../../../src/features/search/source-postings.ts';
import { createSourceSearch } from '../../../src/features/search/source-search.ts';
import { SOURCES } from '../../../src/features/search/sources-store.ts';
import { variantsOf } from '../../../src/features/search/spelling.ts';
import { textIndices } from '../../../src/features/text/text-indices.ts';
import { createMigratedDatabase } from '../../helpers/migrated-database.ts';

let folder: string;
let connection: Connection;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-postings-'));
  await createMigratedDatabase(folder);
  connection = await openConnection(join(folder, 'svc.db'));
});
beforeEach(async () => {
  for (const table of ['messageText', 'memoryText', 'memories', 'wordTotals'])
    await connection.run(`DELETE FROM ${table}`);
});
afterAll(async () => {
  await connection.close();
  await rm(folder, { recursive: true, force: true });
});

const query = (scope: number, more: Partial<CandidateQuery> = {}): CandidateQuery => ({
  ...{ tenantId: 'ten_1', endUser: 'ann', scope, terms: [], months: [], filter: {}, asOfMs: undefined, nowMs: 0 },
  pool: 50,
  ...more,
});
const messageSearch = (scope: number, documents = 1, more: Partial<CandidateQuery> = {}) =>
  createSourceSearch({
    reader: connection,
    query: query(scope, more),
    source: SOURCES.message,
    engine: SEARCH_ENGINES.sqlite,
    totals: { documents, words: documents, passages: 1 },
  });

/** Indexes messages without their rows; these tests read the index only. */
async function say(scope: number, entries: { number: number; text: string; speaker?: string; at?: number }[]) {
  await textIndices.message.insert(
    connection,
    entries.map(({ number, text, speaker, at = 0 }) => ({
      ...{
        tenantId: 'ten_1',
        scope,
        number,
        texts: [text],
        part: 'live' as const,
        days: { at, until: at, dates: null },
      },
      ...(speaker !== undefined && { speaker }),
    })),
  );
}

describe('the postings of a user', () => {
  const spoken = fc.record({
    scope: fc.integer({ min: 1, max: 25 }),
    text: fc.constantFrom(
      'kayak',
      'keyak 2',
      'kayaking',
      '2_kayak',
      '12 kayaks',
      '\u{1e900}\u{1e901}\u{1e902}',
      '茶会',
    ),
    speaker: fc.constantFrom('Kay', 'Ann Lee', 'kayak', '2'),
    at: fc.constantFrom(0, 40 * 86_400_000),
  });

  test('contain words, vocabulary, speakers and months of that user only', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(spoken, { minLength: 1, maxLength: 12 }), async (all) => {
        await connection.run('DELETE FROM messageText');
        const entries = all.map((one, index) => ({ ...one, number: index + 1 }));
        for (const entry of entries) await say(entry.scope, [entry]);
        for (const scope of [1, 2, 12, 21]) {
          const own = entries.filter((entry) => entry.scope === scope);
          const holds = (pattern: RegExp) => own.filter(({ text }) => pattern.test(text)).map(({ number }) => number);
          const asked = ['kayak', '2', 'kay', 'lee', '\u{1e922}\u{1e923}\u{1e924}'];
          const found = await readPostings(messageSearch(scope, all.length), asked);
          expect(found.words[0]!.rowIds.toSorted()).toEqual(holds(/kayak/).toSorted());
          expect(found.words[4]!.rowIds).toEqual(holds(/\u{1e900}/u));
          const names = own.map(({ speaker }) => speaker.toLowerCase());
          const speakers = asked.filter((term) => names.some((name) => name.split(' ').includes(term)));
          expect([...found.speakers]).toEqual(speakers);
          const words = new Set(own.flatMap(({ text }) => (/^ke?a?yak/.test(text) ? [text.slice(0, 5)] : [])));
          if (own.some(({ text }) => text.endsWith('kayak') || text.endsWith('kayaks'))) words.add('kayak');
          const vocabulary = await readVocabulary(messageSearch(scope), 'kayac');
          expect(new Set(vocabulary)).toEqual(words);
          const inFebruary = messageSearch(scope, all.length, { months: ['__1970m2'] });
          const dated = await SEARCH_ENGINES.sqlite.dated(inFebruary, { speakers: [], limit: 50 });
          expect(dated.toSorted()).toEqual(
            own
              .filter(({ at }) => at > 0)
              .map(({ number }) => number)
              .toSorted(),
          );
        }
      }),
      { numRuns: 20 },
    );
  });

  test('include misspelled words outside the basic multilingual plane', async () => {
    await say(1, [{ number: 1, text: '\u{1e900}\u{1e901}\u{1e902}\u{1e903}' }]);
    const [folded] = await readVocabulary(messageSearch(1), '\u{1e922}\u{1e923}\u{1e924}\u{1e926}');
    expect(folded).toBe('\u{1e922}\u{1e923}\u{1e924}\u{1e925}');
  });
});

describe('a misspelled word', () => {
  test.each(['house', 'coffee', 'conversation', 'database', 'university', 'response', 'family', 'kayaking', 'hopping'])(
    'finds %j by its indexed stem, however the stemmer treats that stem',
    async (word) => {
      await say(1, [{ number: 1, text: `my ${word}` }]);
      const misspelled = word.slice(0, 2) + word.slice(3);
      const [variant] = variantsOf(misspelled, await readVocabulary(messageSearch(1), misspelled));
      const stems = [variant!.stem];
      const found = await readStems(messageSearch(1), stems);
      expect(found).toMatchObject([{ documents: 1, rowIds: [1] }]);
    },
  );
});

describe('postings', () => {
  const of = (terms: IndexTerm[], parts: ('live' | 'past')[] = ['live']) =>
    postingsSqlite.of(connection, { tenantId: 'ten_1', type: 'message', scope: 1, parts }, terms);
  const word = (text: string): IndexTerm => ({ text, as: 'word' });

  test('are the frequencies and lengths of the documents, whatever FTS5 merged or deleted', async () => {
    const texts = fc.array(
      fc.array(fc.constantFrom('kayak', 'kayaks', 'boat', '茶'), { minLength: 1, maxLength: 300 }),
      {
        minLength: 1,
        maxLength: 20,
      },
    );
    await fc.assert(
      fc.asyncProperty(texts, fc.infiniteStream(fc.boolean()), async (all, erased) => {
        await connection.run('DELETE FROM messageText');
        const entries = all.map((words, at) => ({ number: at * 3 + 1, words, isErased: erased.next().value! }));
        for (const { number, words } of entries) await say(1, [{ number, text: words.join(' ') }]);
        const gone = entries.filter(({ isErased }) => isErased);
        await textIndices.message.remove(
          connection,
          gone.map(({ number }) => ({ tenantId: 'ten_1', scope: 1, number })),
        );
        if (gone.length % 2 === 0) await textIndices.message.purge(connection, 'first');
        const kept = entries.filter(({ isErased }) => !isErased);
        const [kayak, tea] = await of([word('kayaking'), { text: '茶', as: 'prefix' }]);
        for (const [found, pattern] of [
          [kayak, /^kayak/],
          [tea, /^茶/],
        ] as const) {
          const holding = kept.filter(({ words }) => words.some((each) => pattern.test(each)));
          expect(found!.numbers).toEqual(holding.map(({ number }) => number));
          expect(found!.frequencies).toEqual(
            holding.map(({ words }) => words.filter((each) => pattern.test(each)).length),
          );
          // The month that each message is dated in counts as two words.
          expect(found!.lengths).toEqual(holding.map(({ words }) => words.length + 2));
        }
      }),
      { numRuns: 12 },
    );
  });

  test('of a single character include every word that begins with it', async () => {
    await say(1, [
      { number: 1, text: '茶会 茶道 茶会' },
      { number: 2, text: '喫茶店' },
    ]);
    const [found] = await of([{ text: '茶', as: 'prefix' }]);
    expect(found).toMatchObject({ numbers: [1, 2], frequencies: [3, 1] });
  });

  test('count documents, not occurrences', async () => {
    await say(1, [
      { number: 1, text: 'kayak kayaks' },
      { number: 2, text: 'kayak' },
      { number: 3, text: '茶会 茶道' },
    ]);
    const key = { tenantId: 'ten_1', type: 'message', scope: 1, parts: ['live', 'past'] } as const;
    const terms: IndexTerm[] = [word('none'), word('kayaks'), { text: '茶', as: 'prefix' }];
    expect(await postingsSqlite.count(connection, key, terms)).toEqual([0, 2, 1]);
    expect(await postingsSqlite.have(connection, key, terms)).toEqual([false, true, true]);
  });
});

describe('a user of twenty thousand memories', () => {
  /** Every memory contains "common"; one also contains "rare" and "odd". */
  async function remember(count: number): Promise<void> {
    await connection.run(
      `INSERT INTO memories (number, tenantId, id, endUser, scope, content, contentHash, tags, metadata, version,
         current, validFrom, createdAt, updatedAt)
       WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
       SELECT i, 'ten_1', 'mem_' || i, 'ann', 1, '', i, '[]', '{}', 1, 1, 0, 0, 0 FROM n`,
      [count],
    );
    await connection.run(
      `INSERT INTO memoryText (rowid, body) SELECT number, '2_common' || IIF(number = 7, ' 2_rare 2_odd', '')
       FROM memories`,
    );
    await connection.run(`INSERT INTO wordTotals VALUES ('ten_1', 1, 'memory', ?, ?, 0, NULL)`, [count, count + 2]);
  }
  const ask = async (terms: string[]) => {
    const search = createCandidates();
    const { candidates } = await search.find(connection, query(1, { terms, types: ['memory'] }));
    return candidates.map(({ facts }) => facts.id);
  };

  test('is searched by the rare terms of a query, at least two, and with one memory fewer by every term', async () => {
    await remember(20_000);
    expect(await ask(['common', 'rare', 'odd'])).toEqual(['mem_7']);
    expect(await ask(['common', 'rare'])).toHaveLength(50);
    expect(await ask(['common', 'rare', 'none'])).toEqual(['mem_7']);
    await connection.run('DELETE FROM memories WHERE number = 20000');
    await connection.run('DELETE FROM memoryText WHERE rowid = 20000');
    await connection.run('UPDATE wordTotals SET documents = documents - 1, words = words - 1');
    expect(await ask(['common', 'rare', 'odd'])).toHaveLength(50);
  });
});

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Connection, openConnection } from '../../../src/db/connection.ts';
import { ensureDatabaseFile } from '../../../src/db/database-file.ts';
import { migrate } from '../../../src/db/migrate.ts';
import type { CandidateQuery } from '../../../src/features/search/candidate.ts';
import { createCandidatesSqlite } from '../../../src/features/search/candidates-sqlite.ts';
import { MAX_SATURATION } from '../../../src/features/search/lexical.ts';
import { readDated, readPostings, readStems, readVocabulary } from '../../../src/features/search/postings-sqlite.ts';
import { createSourceSearch } from '../../../src/features/search/source-search-sqlite.ts';
import { SOURCES } from '../../../src/features/search/sources-sqlite.ts';
import { variantsOf } from '../../../src/features/search/spelling.ts';
import { textIndices } from '../../../src/features/text/text-index-sqlite.ts';
import { createTestClock } from '../../helpers/clock.ts';

let folder: string;
let connection: Connection;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-postings-'));
  const file = await ensureDatabaseFile(folder);
  await migrate(file);
  connection = await openConnection(file);
});
beforeEach(async () => {
  for (const table of ['messageText', 'memoryText', 'memories']) await connection.run(`DELETE FROM ${table}`);
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
    sizes: { own: documents, index: documents, passages: 1 },
  });

/** Indexes messages without their rows; these tests read the index only. */
async function say(scope: number, entries: { number: number; text: string; speaker?: string; at?: number }[]) {
  await textIndices.message.insert(
    connection,
    entries.map(({ number, text, speaker, at = 0 }) => ({
      ...{ number, scope, texts: [text], part: 'live' as const, days: { at, until: at, dates: null } },
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
          const dated = await readDated(inFebruary, { speakers: [], limit: 50 });
          expect(dated.toSorted()).toEqual(
            own
              .filter(({ at }) => at > 0)
              .map(({ number }) => number)
              .toSorted(),
          );
        }
      }),
      { numRuns: 40 },
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

test('saturation stays within its bounds even if the cached index size is stale', async () => {
  const entries = Array.from({ length: 60 }, (_, index) => ({
    number: index + 1,
    text: index < 20 ? 'kayak' : 'boat',
  }));
  await say(1, entries);
  for (const measured of [1, 20, 39, 40, 41, 60, 400]) {
    const { words } = await readPostings(messageSearch(1, measured), ['kayak']);
    for (const saturation of words[0]!.saturations) {
      expect(saturation).toBeGreaterThanOrEqual(0);
      expect(saturation).toBeLessThanOrEqual(MAX_SATURATION);
    }
  }
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
  }
  const ask = async (terms: string[]) => {
    const search = createCandidatesSqlite({ clock: createTestClock() });
    const { candidates } = await search.find(connection, query(1, { terms, types: ['memory'] }));
    return candidates.map(({ facts }) => facts.id);
  };

  test('is searched by the rare terms of a query, at least two', async () => {
    await remember(20_000);
    expect(await ask(['common', 'rare', 'odd'])).toEqual(['mem_7']);
    expect(await ask(['common', 'rare'])).toHaveLength(50);
    expect(await ask(['common', 'rare', 'none'])).toEqual(['mem_7']);
  });

  test('is searched by every term when it has one memory fewer', async () => {
    await remember(19_999);
    expect(await ask(['common', 'rare', 'odd'])).toHaveLength(50);
  });
});

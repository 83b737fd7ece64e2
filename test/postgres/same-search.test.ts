import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ITEM_TYPES } from '../../src/contract/search.ts';
import type { Connection, Value } from '../../src/db/connection.ts';
import { type MessageRow, textEntryOf as messageEntryOf } from '../../src/features/conversations/message-row.ts';
import { type EpisodeRow, textEntryOf as episodeEntryOf } from '../../src/features/episodes/episode-row.ts';
import { type MemoryRow, storedEntryOf } from '../../src/features/memories/memory-row.ts';
import type { CandidateQuery } from '../../src/features/search/candidate.ts';
import { createCandidates } from '../../src/features/search/candidates.ts';
import { parseQuery } from '../../src/features/search/parsed-query.ts';
import { matchesOf, rankMatches } from '../../src/features/search/ranking.ts';
import { textIndices } from '../../src/features/text/text-indices.ts';
import { deriveFrom } from '../../src/features/traits/traits.ts';
import { createSeededRandom } from '../helpers/seeded-random.ts';
import { syntheticDialogue } from '../helpers/synthetic-dialogue.ts';
import { type EnginePair, openEnginePair } from './engine-pair.ts';

const DAY_MS = 86_400_000;
const NOW_MS = Date.UTC(2024, 5, 1);
const DIMENSIONS = 256;
const TENANTS = ['ten_1', 'ten_2'];

const random = createSeededRandom(7);
let pair: EnginePair;

beforeAll(async () => {
  pair = await openEnginePair('same_search');
  for (const [at, tenantId] of TENANTS.entries()) await fill(tenantId, at + 1);
}, 60_000);
afterAll(() => pair.close());

const dialogue = Object.values(syntheticDialogue().conversation)
  .filter((session) => Array.isArray(session))
  .flat();

/** A user with a conversation of two people, memories with older versions, and episodes. */
async function fill(tenantId: string, scope: number): Promise<void> {
  const owned = { tenantId, scope };
  const user = { ...owned, endUser: 'default' };
  const times = { version: 1, createdAt: NOW_MS - 400 * DAY_MS, updatedAt: 0 };
  await pair.insert('conversations', {
    ...{ ...user, ...times, id: 'conv_1', number: scope, metadata: '{}', messageCount: 60, lastOrdinal: 60 },
    project: scope === 1 ? 'pottery' : null,
  });
  for (const [at, { speaker, text }] of dialogue.entries()) {
    const createdAt = NOW_MS - (400 - 5 * at) * DAY_MS;
    await pair.insert('messages', {
      ...{ ...owned, ...deriveFrom(text, createdAt), id: `msg_${at}`, number: scope * 2 ** 22 + at, ordinal: at },
      ...{ conversationId: 'conv_1', role: at % 2 ? 'user' : 'assistant', name: speaker, content: text },
      ...{ metadata: '{}', createdAt },
    });
  }
  for (let at = 0; at < 120; at += 1) {
    const content = [0, 1, 2].map(() => random.oneOf(dialogue).text.split('. ')[at % 3] ?? 'The kiln').join(' ');
    const createdAt = NOW_MS - at * DAY_MS;
    const isOld = at % 7 === 0;
    const number = scope * 1000 + at;
    await pair.insert('memories', {
      ...{ ...user, ...times, ...deriveFrom(content, createdAt), number, id: `mem_${isOld ? at + 1 : at}`, content },
      ...{ version: isOld ? 1 : 2, current: isOld ? 0 : 1, contentHash: String(at), createdAt },
      tags: JSON.stringify(at % 3 ? ['work "a"', 'ünï'] : []),
      metadata: JSON.stringify({ count: at % 2, level: String(at % 2), isDone: at % 4 === 0, deep: { count: 1 } }),
      ...{ validFrom: createdAt, validTo: isOld ? createdAt + 30 * DAY_MS : null },
      ...{ occurredAt: at % 5 ? null : createdAt - 9 * DAY_MS, expiresAt: at % 11 ? null : NOW_MS - 1 },
      project: at % 4 ? null : 'pottery',
    });
  }
  for (let at = 0; at < 6; at += 1) {
    const title = dialogue[at * 9]!.text.slice(0, 60);
    const [startedAt, endedAt] = [NOW_MS - (40 + at) * DAY_MS, NOW_MS - 40 * DAY_MS];
    await pair.insert('episodes', {
      ...{ ...user, ...times, ...deriveFrom(title, startedAt), number: scope * 100 + at, id: `epi_${at}`, title },
      ...{ summary: at % 2 ? 'About bees and tea' : null, memoryIds: '[]', metadata: '{}', cut: 0, edited: 0 },
      ...{ startedAt, endedAt },
    });
  }
  await pair.write((connection) => index(connection, tenantId));
  await embed(owned);
}

async function index(connection: Connection, tenantId: string): Promise<void> {
  const rowsOf = <T>(table: string) => connection.all<T>(`SELECT * FROM ${table} WHERE tenantId = ?`, [tenantId]);
  const episodes = await rowsOf<EpisodeRow>('episodes');
  await textIndices.memory.insert(connection, (await rowsOf<MemoryRow>('memories')).map(storedEntryOf));
  await textIndices.message.insert(connection, (await rowsOf<MessageRow>('messages')).map(messageEntryOf));
  await textIndices.episode.insert(
    connection,
    episodes.map((row) => episodeEntryOf(row, row.number)),
  );
}

const randomVector = () => Buffer.from(Int8Array.from({ length: DIMENSIONS }, () => random.between(-127, 128)).buffer);

/** Vectors of most rows, some of them alike. */
async function embed(owned: { tenantId: string; scope: number }): Promise<void> {
  const alike = randomVector();
  for (const [type, table] of [
    ['memory', 'memories'],
    ['message', 'messages'],
    ['episode', 'episodes'],
  ] as const) {
    const [rows] = await pair.read((reader) =>
      reader.all<{ number: number }>(`SELECT number FROM ${table} WHERE tenantId = ? ORDER BY number`, [
        owned.tenantId,
      ]),
    );
    for (const [at, { number }] of rows!.entries()) {
      const row: Record<string, Value> = { ...owned, model: 1, type, number };
      if (at % 9) await pair.insert('vectors', { ...row, embedding: at % 4 ? randomVector() : alike });
    }
  }
}

const QUERIES = [
  'What did Nora decide to leave?',
  'When did Tom buy a bicycle from his neighbour?',
  'botery kiln electric',
  'the films of Agnès Varda',
  'weather and trams in July 2023',
  'Nora in October',
  'cello',
  'zzyzx',
  'Did Norah leave on a bi cycle, which was bought in Octobre?',
];

const FILTERS: Record<string, Partial<CandidateQuery>> = {
  'no filter': {},
  'a tag': { filter: { tags: ['work "a"'] } },
  'two tags': { filter: { tags: ['work "a"', 'ünï'] } },
  'a number': { filter: { metadata: { count: 1 } } },
  'a string and a boolean': { filter: { metadata: { level: '1', isDone: false } } },
  'a member that no row has': { filter: { metadata: { count: '1' } } },
  'a period': { filter: { afterMs: NOW_MS - 90 * DAY_MS, beforeMs: NOW_MS - 20 * DAY_MS } },
  'a project and none': { filter: { project: { name: 'pottery', only: false } } },
  'a project alone': { filter: { project: { name: 'pottery', only: true } } },
  'an earlier moment': { asOfMs: NOW_MS - 50 * DAY_MS },
  'superseded memories too': { includeSuperseded: true },
  'messages alone': { types: ['message'] },
};

describe.each(Object.entries(FILTERS))('a search with %s', (_, filter) => {
  test.each(QUERIES)('has the same candidates, scores and order on both engines: %s', async (text) => {
    const parsed = parseQuery(text, NOW_MS);
    const query: CandidateQuery = {
      ...{ tenantId: 'ten_1', endUser: 'default', scope: 1, terms: parsed.terms, filter: {} },
      ...{ phrases: parsed.phrases, months: parsed.months },
      ...{ asOfMs: undefined, nowMs: NOW_MS, pool: 20, ...filter },
    };
    const vector = { model: 1, embedding: randomVector() };
    const [onSqlite, onPostgres] = await pair.read(async (reader) => {
      const search = createCandidates();
      const answers = [];
      for (const pending of [undefined, Promise.resolve(vector)]) {
        const found = await search.find(reader, query, pending);
        const { ranked } = rankMatches(matchesOf(found, parsed, NOW_MS), 'default', undefined);
        const rows = await Promise.all(
          ITEM_TYPES.map(async (type) => {
            const numbers = found.candidates.filter((each) => each.type === type).map(({ facts }) => facts.rowId);
            return [...(await search.load(reader, query, type, numbers)).values()].sort((a, b) => a.number - b.number);
          }),
        );
        answers.push({ ...found, candidates: byRow(found.candidates), ranked, rows });
      }
      return answers;
    });
    expect(onPostgres).toEqual(onSqlite);
  });
});

test('finds something on both engines', async () => {
  const { terms, months } = parseQuery(QUERIES[4]!, NOW_MS);
  const query = { tenantId: 'ten_1', endUser: 'default', scope: 1, terms, months, filter: {}, asOfMs: undefined };
  const found = await pair.read((reader) => createCandidates().find(reader, { ...query, nowMs: NOW_MS, pool: 20 }));
  for (const { candidates } of found) expect(candidates.length).toBeGreaterThan(40);
});

function byRow<T extends { type: string; facts: { rowId: number } }>(candidates: readonly T[]): T[] {
  return candidates.toSorted((a, b) => a.facts.rowId - b.facts.rowId || (a.type < b.type ? -1 : 1));
}

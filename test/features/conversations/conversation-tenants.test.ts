import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Connection, openConnection } from '../../../src/db/connection.ts';
import * as conversations from '../../../src/features/conversations/conversations-store.ts';
import { messageRowId } from '../../../src/features/conversations/message-row.ts';
import * as messages from '../../../src/features/conversations/messages-store.ts';
import * as episodes from '../../../src/features/episodes/episodes-store.ts';
import { createCandidates } from '../../../src/features/search/candidates.ts';
import { textIndices } from '../../../src/features/text/text-indices.ts';
import { createMigratedDatabase } from '../../helpers/migrated-database.ts';

/** Two tenants with the same ids, so that only the tenant predicate of a statement separates them. */

const TENANTS = ['ten_a', 'ten_b'];
const PLACE = { tenantId: 'ten_b', conversationId: 'conv_1' };

let folder: string;
let connection: Connection;
/** The row of message `msg_1` in tenant A. */
let number: number;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-tenants-'));
  await createMigratedDatabase(folder);
  connection = await openConnection(join(folder, 'svc.db'));
  for (const [index, tenantId] of TENANTS.entries()) await fill(tenantId, index + 1);
  number = (await messages.findMessage(connection, { ...PLACE, tenantId: 'ten_a' }, 'msg_1'))!.number;
});
afterAll(async () => {
  await connection.close();
  await rm(folder, { recursive: true, force: true });
});

// Each test leaves the rows as they were.
beforeEach(() => connection.exec('BEGIN'));
afterEach(() => connection.exec('ROLLBACK'));

const conversationRow = (tenantId: string, scope: number) => ({
  ...{
    tenantId,
    scope,
    number: scope,
    id: 'conv_1',
    endUser: 'default',
    title: null,
    metadata: '{}',
    version: 1,
    messageCount: 1,
  },
  ...{ project: null, lastOrdinal: 1, cutThrough: 0, lastMessageAt: 1, createdAt: 1, updatedAt: 1, erasedAt: null },
});

const episodeRow = (tenantId: string, scope: number, id: string, cut: number) => ({
  ...{ tenantId, scope, id, cut, endUser: 'default', title: 'heron', summary: null, outcome: null, memoryIds: '[]' },
  ...{
    conversationId: 'conv_1',
    fromOrdinal: 1,
    toOrdinal: 1,
    fromMessageId: 'msg_1',
    toMessageId: 'msg_1',
    project: null,
  },
  ...{ metadata: '{}', edited: 0, version: 1, startedAt: 1, endedAt: 1, createdAt: 1, updatedAt: 1 },
});

/** The rows of one user, who is being erased. */
async function fill(tenantId: string, scope: number): Promise<void> {
  const user = [scope, tenantId, 'default', 1];
  await connection.run('INSERT INTO scopes (scope, tenantId, endUser, erasedAt) VALUES (?, ?, ?, ?)', user);
  await conversations.insertConversations(connection, [conversationRow(tenantId, scope)]);
  const said = { conversationId: 'conv_1', ordinal: 1, id: 'msg_1', role: 'user' as const, name: null, author: null };
  const place = { tenantId, scope, number: messageRowId(scope, 1) };
  await messages.insertMessages(connection, [
    { ...place, ...said, content: 'heron', parts: null, metadata: '{}', createdAt: 1, traits: 0, dates: null },
  ]);
  const days = { at: 1, until: 1, dates: null };
  const entry = { tenantId, scope, texts: ['heron'], part: 'live' as const, days };
  await textIndices.message.insert(connection, [{ ...entry, number: place.number }]);
  const rows = [episodeRow(tenantId, scope, 'ep_cut', 1), episodeRow(tenantId, scope, 'ep_own', 0)];
  const episodeNumbers = await episodes.insertEpisodes(connection, rows);
  await textIndices.episode.insert(connection, [{ ...entry, number: episodeNumbers.get('ep_cut')! }]);
}

async function rowsOf(tenantId: string): Promise<unknown[]> {
  const tables = ['conversations', 'messages', 'episodes'];
  return Promise.all(tables.map((table) => connection.all(`SELECT * FROM "${table}" WHERE tenantId = ?`, [tenantId])));
}

/** The other's message under this tenant's name. */
const foreignMessage = () => ({
  ...{ tenantId: 'ten_b', scope: 2, number, conversationId: 'conv_1', ordinal: 1, id: 'msg_1', role: 'user' as const },
  ...{
    name: null,
    author: null,
    content: 'changed',
    parts: null,
    metadata: '{}',
    createdAt: 1,
    traits: 0,
    dates: null,
  },
});
const ALL_MESSAGES = { throughOrdinal: 9, limit: 9 };

const changed = { ...conversationRow('ten_b', 2), title: 'changed' };

test.each<[string, () => Promise<unknown>]>([
  ['updateConversation', () => conversations.updateConversation(connection, changed)],
  ['updateErased', () => conversations.updateErased(connection, 'ten_b', 'conv_1', 5)],
  ['updateErasedOf', () => conversations.updateErasedOf(connection, 'ten_b', 5)],
  ['updateCutThrough', () => conversations.updateCutThrough(connection, 'ten_b', 'conv_1', 9)],
  ['deleteConversation', () => conversations.deleteConversation(connection, 'ten_b', 'conv_1')],
  ['deleteConversationsOf', () => conversations.deleteConversationsOf(connection, 'ten_b')],
  ['updateMessage by the other’s number', () => messages.updateMessage(connection, foreignMessage())],
  ['deleteMessage by the other’s number', () => messages.deleteMessage(connection, 'ten_b', number)],
  ['deleteSomeMessages', () => messages.deleteSomeMessages(connection, { ...PLACE, number: 2 }, ALL_MESSAGES)],
  ['deleteSomeMessagesOf', () => messages.deleteSomeMessagesOf(connection, 'ten_b', 9)],
  [
    'updateEpisode',
    () => episodes.updateEpisode(connection, { ...episodeRow('ten_b', 2, 'ep_own', 0), number: 1, title: 'changed' }),
  ],
  ['deleteEpisode', () => episodes.deleteEpisode(connection, 'ten_b', 'ep_own')],
  ['deleteCuts', () => episodes.deleteCuts(connection, 'ten_b', 'conv_1')],
  [
    'updateProjectOfCuts',
    () => episodes.updateProjectOfCuts(connection, { tenantId: 'ten_b', id: 'conv_1', project: 'p' }, null, 5),
  ],
  ['updateDetached', () => episodes.updateDetached(connection, 'ten_b', 'conv_1', 5)],
  [
    'deleteSomeEpisodesOf a user',
    () => episodes.deleteSomeEpisodesOf(connection, { tenantId: 'ten_b', endUser: 'default' }, 9),
  ],
  ['deleteSomeEpisodesOf', () => episodes.deleteSomeEpisodesOf(connection, { tenantId: 'ten_b' }, 9)],
])('%s for one tenant leaves every row of the other', async (name, run) => {
  const before = { other: await rowsOf('ten_a'), own: await rowsOf('ten_b') };
  await run();
  expect(await rowsOf('ten_a')).toEqual(before.other);
  const done = JSON.stringify(await rowsOf('ten_b')) !== JSON.stringify(before.own);
  expect(done).toBe(!name.includes('the other’s'));
});

const page = { order: 'oldest', beyond: 0, limit: 9 } as const;
const all = {
  tenantId: 'ten_b',
  user: undefined,
  afterMs: undefined,
  beforeMs: undefined,
};
const idPage = { order: 'desc', afterId: undefined, limit: 9 } as const;
const query = {
  tenantId: 'ten_b',
  endUser: 'default',
  scope: 2,
  terms: ['heron'],
  months: [],
  filter: {},
  asOfMs: undefined,
};
const candidates = async (more: object) => {
  const search = createCandidates();
  const asked = { ...query, nowMs: 3, pool: 9, ...more };
  const found = await search.find(connection, asked);
  const rows = await Promise.all(
    found.candidates.map(({ type, facts }) => search.load(connection, asked, type, [facts.rowId])),
  );
  return rows.flatMap((loaded) => [...loaded.values()]);
};

test.each<[string, () => Promise<unknown[]>, number]>([
  ['findConversation', async () => [await conversations.findConversation(connection, 'ten_b', 'conv_1')], 1],
  ['findConversations', () => conversations.findConversations(connection, [{ tenantId: 'ten_b', id: 'conv_1' }]), 1],
  ['listConversations', () => conversations.listConversations(connection, all, idPage), 1],
  [
    'countConversations',
    async () => Array(await conversations.countConversations(connection, all)).fill({ tenantId: 'ten_b' }),
    1,
  ],
  [
    'listConversationsToErase',
    () => conversations.listConversationsToErase(connection, { tenantId: 'ten_b', endUser: 'default' }, 9),
    1,
  ],
  ['findMessage', async () => [await messages.findMessage(connection, PLACE, 'msg_1')], 1],
  ['listMessages', () => messages.listMessages(connection, { ...PLACE, number: 2 }, page), 1],
  ['findEpisode', async () => [await episodes.findEpisode(connection, 'ten_b', 'ep_own')], 1],
  ['listEpisodes', () => episodes.listEpisodes(connection, { ...all, conversationId: undefined }, idPage), 2],
  [
    'countEpisodes',
    async () =>
      Array(await episodes.countEpisodes(connection, { ...all, conversationId: undefined })).fill({
        tenantId: 'ten_b',
      }),
    2,
  ],
  [
    'listEpisodes of a conversation',
    () => episodes.listEpisodes(connection, { ...all, conversationId: 'conv_1' }, idPage),
    2,
  ],
  ['listCuts', () => episodes.listCuts(connection, 'ten_b', 'conv_1', 9), 1],
  ['findCutBefore', async () => [await episodes.findCutBefore(connection, 'ten_b', 'conv_1')], 1],
  [
    'listEndingWithin',
    () => episodes.listEndingWithin(connection, 'ten_b', 'conv_1', { fromOrdinal: 1, toOrdinal: 1 }),
    1,
  ],
  ['candidates', () => candidates({}), 2],
  ['candidates of the past', () => candidates({ asOfMs: 3 }), 2],
  ['candidates by the number of another’s user', () => candidates({ scope: 1 }), 0],
])('%s for one tenant finds its own rows alone', async (_, find, count) => {
  const found = (await find()) as { tenantId: string }[];
  expect(found.map(({ tenantId }) => tenantId)).toEqual(Array(count).fill('ten_b'));
});

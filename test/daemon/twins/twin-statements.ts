import type { Connection, Reader } from '../../../src/db/connection.ts';
import { eraseRows } from '../../../src/db/erase-rows.ts';
import { findTenant, updateTier } from '../../../src/features/accounts/accounts-store.ts';
import * as conversations from '../../../src/features/conversations/conversation-import-export-store.ts';
import {
  findConversations,
  listUncut,
  updateCutThrough,
} from '../../../src/features/conversations/conversations-store.ts';
import * as messages from '../../../src/features/conversations/messages-store.ts';
import { updateDataKey } from '../../../src/features/envelope/envelope-store.ts';
import * as episodes from '../../../src/features/episodes/episodes-store.ts';
import { findEpisodeRows, listCuts, updateProjectOfCuts } from '../../../src/features/episodes/episodes-store.ts';
import { findThrough, updateNotDue, updateThrough } from '../../../src/features/extraction/extraction-store.ts';
import * as answers from '../../../src/features/idempotency/idempotency-store.ts';
import * as jobs from '../../../src/features/jobs/jobs-store.ts';
import * as keys from '../../../src/features/keys/keys-store.ts';
import { deleteLearningDaysBefore } from '../../../src/features/learning/learning-days-store.ts';
import * as learning from '../../../src/features/learning/learning-store.ts';
import * as storage from '../../../src/features/limits/usage-store.ts';
import * as usage from '../../../src/features/limits/usage-store.ts';
import * as memories from '../../../src/features/memories/memories-store.ts';
import * as transfer from '../../../src/features/memories/memory-import-export-store.ts';
import { listMemoryIds } from '../../../src/features/memories/memory-list-store.ts';
import { listOnAppend } from '../../../src/features/providers/provider-settings-store.ts';
import { findUserMessages } from '../../../src/features/session-start/session-start-store.ts';
import { findScopes } from '../../../src/features/text/scopes-store.ts';
import * as toIndex from '../../../src/features/text/text-portions-store.ts';
import type { Scenario, Twin } from './twin-world.ts';

/** Runs work in a transaction, and a read outside of any. */
export const write = <T>({ daemon }: Twin, work: (connection: Connection) => Promise<T>) =>
  daemon.db.writes.write('daemon', work);
export const readerOf = ({ daemon }: Twin): Reader => daemon.db.readers;

/** A tenant without an account, for rows that only a statement without its predicate would touch. */
export const STRAY = 'ten_stray';
const OLD_MS = 1;

/** Row numbers of a tenant in a table, oldest first. */
export async function numbersOf(twin: Twin, tenantId: string, table: string): Promise<number[]> {
  const rows = await readerOf(twin).all<{ number: number }>(
    `SELECT number FROM ${table} WHERE tenantId = ? ORDER BY number`,
    [tenantId],
  );
  return rows.map(({ number }) => number);
}

/** The scope of a tenant's default user, or 0. */
export async function scopeOf(twin: Twin, tenantId: string): Promise<number> {
  const row = await readerOf(twin).get<{ scope: number }>(
    `SELECT scope FROM scopes WHERE tenantId = ? AND endUser = 'default'`,
    [tenantId],
  );
  return row?.scope ?? 0;
}

/** Ids and row numbers that the rules would never pass on to a store, and statements across all tenants. */
export const STATEMENTS: Record<string, Scenario> = {
  async 'find by lists of ids'(twin) {
    const { tenantId, otherId, filled } = twin;
    const reader = readerOf(twin);
    const find = async (name: string, rows: Promise<unknown>) => twin.record(name, ownersOf(await rows));
    const id = filled.memories.same;
    const hashes = await reader.all<{ contentHash: string }>(
      'SELECT contentHash FROM memories WHERE tenantId = ? AND id = ?',
      [tenantId, id],
    );
    const content = hashes.map(({ contentHash }) => ({ tenantId, endUser: 'default', contentHash }));
    const conversation = filled.conversation;
    await find('memories', memories.findMemories(reader, [{ tenantId, id }]));
    await find('same content', memories.findSameContent(reader, content));
    await find('present memories', transfer.findPresent(reader, tenantId, [id]));
    await find('memory ids', listMemoryIds(reader, { tenantId, includeSuperseded: true, nowMs: 1 }, 9, [id]));
    await find('conversations', findConversations(reader, [{ tenantId, id: conversation }]));
    await find('all conversations', conversations.findConversationsById(reader, tenantId, [conversation]));
    await find('messages', conversations.findMessages(reader, tenantId, filled.messages));
    await find('episodes', episodes.findEpisodeIds(reader, tenantId, [filled.episode]));
    await find('scopes', findScopes(reader, [{ tenantId, endUser: 'default' }]));
    await find('answers', answers.findAnswers(reader, [{ tenantId, key: 'first' }], 0));
    await find('learned users', learning.findLearnedUsers(reader, tenantId, ['default']));
    await find(
      'recent searches',
      learning
        .listRecentSearches(reader, { tenantId, sinceMs: 0, limit: 99 })
        .then((searches) => searches.map(({ id }) => id)),
    );
    await find('tenants on append', listOnAppend(reader, [tenantId]));
    const month = { day: '2026-01-05', monthStart: '2026-01-01' };
    await find(
      'usage',
      usage.findUsed(reader, [tenantId], month).then((used) => [...used.keys()]),
    );
    const isOwn = (one: { tenantId: string }) => one.tenantId === tenantId;
    await write(twin, async (connection) => {
      for (const id of [tenantId, otherId]) await updateCutThrough(connection, id, filled.otherConversation, 0);
    });
    twin.record('uncut', (await listUncut(reader, 99)).filter(isOwn));
    await find('cuts', listCuts(reader, tenantId, filled.otherConversation, 9));
    const external = [{ tenantId, endUser: 'default', externalId: 'car' }];
    await find('memories by external id', memories.findByExternalId(reader, external));
    await find(
      'account',
      findTenant(reader, tenantId).then((tenant) => [tenant?.email]),
    );
    await find(
      'storage',
      storage.findStorage(reader, [tenantId]).then((totals) => [...totals.keys()]),
    );
    await find('jobs', jobs.listJobsOf(reader, tenantId, { ids: [filled.job] }));
    await find('jobs of a conversation', jobs.listJobsOf(reader, tenantId, { conversationId: conversation }));
  },

  async 'use row numbers of others'(twin) {
    const { tenantId, otherId, filled } = twin;
    const { conversation: conversationId } = filled;
    const ownMessage = filled.messages[0]!;
    const reader = readerOf(twin);
    for (const [table, column] of [
      ['memories', 'content'],
      ['messages', 'content'],
      ['episodes', 'title'],
    ] as const) {
      const rowIds = await numbersOf(twin, otherId, table);
      await write(twin, (connection) => eraseRows(connection, { table, texts: [column], tenantId, rowIds }));
    }
    const numbers = await numbersOf(twin, otherId, 'messages');
    twin.record('what users said', await findUserMessages(reader, tenantId, numbers));
    twin.record('used numbers', await conversations.findUsedRowIds(reader, tenantId, numbers));
    const found: unknown[] = [];
    for (const number of await numbersOf(twin, otherId, 'conversations')) {
      const key = { tenantId, number };
      found.push(...(await messages.listMessages(reader, key, { order: 'oldest', beyond: 0, limit: 9 })));
      found.push(...[await messages.findNewest(reader, key)].filter((row) => row !== undefined));
      const counted = await messages.countMessages(reader, key, { fromOrdinal: 0, toOrdinal: 99 });
      found.push(...Array(counted).fill('counted'));
    }
    twin.record('messages of the other', found);
    await write(twin, async (connection) => {
      for (const number of numbers) await messages.deleteMessage(connection, tenantId, number);
      const own = await messages.findMessage(connection, { tenantId, conversationId }, ownMessage);
      for (const number of numbers) await messages.updateMessage(connection, { ...own!, number });
    });
    const rows = await numbersOf(twin, otherId, 'memories');
    await write(twin, async (connection) => {
      for (const number of rows) await memories.updateReplaced(connection, tenantId, number, OLD_MS);
    });
  },

  async 'use the key of another'(twin) {
    const { tenantId, otherId } = twin;
    const [key] = await readerOf(twin).all<{ hash: string }>('SELECT hash FROM apiKeys WHERE tenantId = ?', [otherId]);
    await write(twin, (connection) => keys.updateLastUsed(connection, { tenantId, hash: key!.hash }, OLD_MS));
    await write(twin, (connection) => keys.deleteKey(connection, tenantId, key!.hash));
  },

  async 'find the rows of an index by numbers that the other has'(twin) {
    const { tenantId, otherId } = twin;
    const reader = readerOf(twin);
    const messageNumbers = await numbersOf(twin, otherId, 'messages');
    const memoryNumbers = await numbersOf(twin, otherId, 'memories');
    const episodeNumbers = await numbersOf(twin, otherId, 'episodes');
    twin.record('messages', await messages.findMessageRows(reader, tenantId, messageNumbers));
    twin.record('memories', await memories.findMemoryRows(reader, tenantId, memoryNumbers));
    twin.record('episodes', await findEpisodeRows(reader, tenantId, episodeNumbers));
  },

  async 'list and delete only what it has to index itself'(twin) {
    const { tenantId, otherId } = twin;
    const [own, other] = [tenantId, otherId].map((owner) => ({ tenantId: owner, type: 'memory' as const }));
    const numbered = (owner: string, numbers: number[]) => numbers.map((number) => ({ tenantId: owner, number }));
    const record = async () => {
      for (const owner of [own!, other!]) twin.record('to index', await toIndex.listToIndex(readerOf(twin), owner, 9));
    };
    await write(twin, (connection) =>
      toIndex.insertToIndex(connection, 'memory', [...numbered(tenantId, [2, 3]), ...numbered(otherId, [1, 2, 4])]),
    );
    await record();
    await write(twin, (connection) => toIndex.deleteToIndex(connection, own!, [2, 4]));
    await record();
    await write(twin, (connection) => toIndex.deleteAllToIndex(connection, tenantId));
    await record();
    await write(twin, (connection) => toIndex.deleteAllToIndex(connection, otherId));
  },

  async 'change single rows'(twin) {
    const { tenantId, filled } = twin;
    const { conversation: conversationId, otherConversation: id } = filled;
    await write(twin, async (connection) => {
      await updateTier(connection, tenantId, 'Pro');
      await updateDataKey(connection, { tenantId, masterKeyId: 'another', wrapped: Buffer.from('wrapped') });
      await usage.updateQueryRefunded(connection, tenantId);
      await updateNotDue(connection, tenantId, conversationId);
      await updateThrough(connection, { tenantId, conversationId }, { throughOrdinal: 77, partlyRead: '{}' });
      await updateProjectOfCuts(connection, { tenantId, id, project: 'travel' }, null, OLD_MS);
    });
    twin.record('through', await findThrough(readerOf(twin), tenantId, conversationId));
  },

  async 'redact answers about what only the other created'(twin) {
    const { tenantId, filled } = twin;
    await write(twin, async (connection) => {
      await connection.run('DELETE FROM idempotencyResources WHERE tenantId = ?', [tenantId]);
      await answers.redactAnswersAbout(connection, tenantId, [filled.memories.changed]);
    });
  },

  async 'redact answers about its own'(twin) {
    const { tenantId } = twin;
    const answer = { tenantId, idempotencyKey: 'second', requestHash: 'h', status: 201, answer: '{}', createdAt: 9 };
    await write(twin, async (connection) => {
      await answers.insertAnswers(connection, [{ ...answer, resourceIds: ['mem_own'] }]);
      await answers.insertAnswers(connection, [{ ...answer, idempotencyKey: 'first', resourceIds: ['mem_own'] }]);
      await answers.redactAnswersAbout(connection, tenantId, ['mem_own']);
      await answers.redactAnswersNaming(connection, tenantId, 'home');
    });
  },

  async 'list memories by tags that only the other has'(twin) {
    await write(twin, (connection) => connection.run('DELETE FROM memoryTags WHERE tenantId = ?', [twin.tenantId]));
    await twin.call('GET /v1/memories?tag=bird&orderBy=updatedAt');
  },

  async 'keep its own total of stored bytes'(twin) {
    await twin.call('POST /v1/memories', { content: 'A text that only this one of the twins stores.' });
    twin.record('wrong totals', (await write(twin, (connection) => storage.listWrongTotals(connection, 9))).length);
  },

  async 'refund on its last day'(twin) {
    const { tenantId } = twin;
    await write(twin, (connection) =>
      usage.addUsage(connection, [{ tenantId, day: '2026-01-03', requests: 0, memories: 0, queries: 3 }]),
    );
    await write(twin, (connection) =>
      connection.run(`UPDATE usageDays SET queries = 0 WHERE tenantId = ? AND day > '2026-01-03'`, [tenantId]),
    );
    await write(twin, (connection) => usage.updateQueryRefunded(connection, tenantId));
  },

  async 'write for accounts that are gone'(twin) {
    const gone = { tenantId: STRAY, day: '2026-01-05', requests: 1, memories: 1, queries: 1 };
    const [search] = await readerOf(twin).all<learning.SearchRow>('SELECT * FROM searches WHERE tenantId = ? LIMIT 1', [
      twin.tenantId,
    ]);
    await write(twin, (connection) => usage.addUsage(connection, [gone]));
    await write(twin, (connection) =>
      learning.insertSearches(connection, [{ ...search!, tenantId: STRAY, scope: undefined }]),
    );
    for (const table of ['usageDays', 'searches']) {
      const rows = await readerOf(twin).all(`SELECT * FROM ${table} WHERE tenantId = ?`, [STRAY]);
      twin.record(`${table} of accounts that are gone`, rows);
    }
  },

  async 'delete only its own old rows'(twin) {
    const { tenantId } = twin;
    await write(twin, async (connection) => {
      await connection.run('UPDATE jobs SET finishedAt = ? WHERE tenantId = ?', [OLD_MS, tenantId]);
      await connection.run(
        'UPDATE searches SET createdAt = ? WHERE tenantId = ? AND id = (SELECT MIN(id) FROM searches WHERE tenantId = ?)',
        [OLD_MS, tenantId, tenantId],
      );
      await connection.run('UPDATE idempotencyKeys SET createdAt = ? WHERE tenantId = ?', [OLD_MS, tenantId]);
    });
    await write(twin, (connection) => jobs.deleteJobsEndedBefore(connection, OLD_MS, 99));
    await write(twin, (connection) => learning.deleteSomeSearchesBefore(connection, OLD_MS, 99));
    await write(twin, (connection) => answers.deleteSomeAnswersBefore(connection, OLD_MS, 99));
    const user = { tenantId, endUser: 'default' };
    await write(twin, (connection) => deleteLearningDaysBefore(connection, user, '2027-01-01'));
  },

  async 'delete answers one by one, although others have the same keys'(twin) {
    await write(twin, async (connection) => {
      for (const tenantId of [twin.tenantId, STRAY]) {
        await connection.run(
          'INSERT INTO idempotencyKeys (tenantId, idempotencyKey, requestHash, status, createdAt) VALUES (?, ?, ?, ?, ?)',
          [tenantId, 'same', 'hash', 204, OLD_MS],
        );
      }
      for (const time of ['first', 'second']) {
        twin.record(`deleted the ${time} time`, await answers.deleteSomeAnswersBefore(connection, OLD_MS, 1));
      }
    });
  },

  async 'delete some of its rows'(twin) {
    const { tenantId } = twin;
    await write(twin, async (connection) => {
      // What is left has no counterpart in the rows of the other.
      await connection.run(
        `DELETE FROM searches WHERE tenantId = ? AND id < (SELECT MAX(id) FROM searches WHERE tenantId = ?)`,
        [tenantId, tenantId],
      );
      for (const table of ['learned', 'learningDays']) {
        await connection.run(`UPDATE ${table} SET endUser = 'zoe' WHERE tenantId = ?`, [tenantId]);
      }
    });
    twin.record(
      'deleted',
      await write(twin, (connection) => learning.deleteSomeSearchesOf(connection, { tenantId }, 1)),
    );
    twin.record(
      'deleted',
      await write(twin, (connection) => learning.deleteSomeLearnedOf(connection, { tenantId }, 1)),
    );
  },

  async 'reuse an idempotency key that has expired'(twin) {
    const { tenantId } = twin;
    const answer = { tenantId, idempotencyKey: 'first', requestHash: 'h', status: 201, answer: '{}', createdAt: 9 };
    await write(twin, (connection) => answers.insertAnswers(connection, [{ ...answer, resourceIds: ['mem_1'] }]));
  },

  async 'keep and export what expires only for the other'(twin) {
    const { tenantId } = twin;
    const reader = readerOf(twin);
    const nowMs = Date.UTC(2027, 0);
    const expiring = await reader.all<{ id: string }>(
      'SELECT id FROM memories WHERE tenantId = ? AND expiresAt IS NOT NULL AND current = 1',
      [tenantId],
    );
    await write(twin, (connection) =>
      connection.run('UPDATE memories SET expiresAt = NULL WHERE tenantId = ?', [tenantId]),
    );
    for (const { id } of expiring) twin.record('expired', await memories.isExpired(reader, { tenantId, id }, nowMs));
    const all = { tenantId, user: undefined, after: { id: '', version: 0 }, nowMs, limit: 99 };
    twin.record('exported', ownersOf(await transfer.listAllVersions(reader, all)));
  },

  async 'sweep what expires only for itself'(twin) {
    await write(twin, (connection) =>
      connection.run('UPDATE memories SET expiresAt = ? WHERE tenantId = ?', [OLD_MS, twin.tenantId]),
    );
    await twin.daemon.memories.sweep();
  },
};

/** Rows without the row numbers, which differ by who else wrote. */
export function ownersOf(rows: unknown): unknown {
  return (rows as unknown[]).map((row) =>
    typeof row === 'object' && row !== null
      ? Object.fromEntries(Object.entries(row).filter(([column]) => !['number', 'scope'].includes(column)))
      : row,
  );
}

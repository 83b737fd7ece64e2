import { updateErased } from '../../../src/features/conversations/conversations-store.ts';
import { deleteSomeOf } from '../../../src/features/memories/memories-store.ts';
import { deleteScope, updateHidden } from '../../../src/features/text/scopes-store.ts';
import { deleteEmptyTotals } from '../../../src/features/text/word-totals-store.ts';
import { findLatestChanges, findUser, listUsers } from '../../../src/features/users/users-store.ts';
import { readerOf, STRAY, scopeOf, write } from './twin-statements.ts';
import type { Scenario, Twin } from './twin-world.ts';

const ANN = 'ann';
/** When what expires has expired. */
const EXPIRED_MS = Date.UTC(2027, 0);

/** End users, who have the same names in both accounts, and changes of many memories. */
export const USERS: Record<string, Scenario> = {
  async 'read and erase users'(twin) {
    const { call, settle } = twin;
    await call('GET /v1/users');
    await call('GET /v1/users/ann');
    await call('DELETE /v1/users/ann');
    await settle();
    await call('GET /v1/users');
    await call('GET /v1/users/ann');
    await call('GET /v1/memories?limit=50');
  },

  async 'hide a user and erase it later'(twin) {
    const { tenantId, daemon } = twin;
    await write(twin, (connection) => updateHidden(connection, { tenantId, endUser: ANN }, 1));
    await twin.call('GET /v1/users');
    await daemon.users.finishErasing();
    await twin.call('GET /v1/users');
  },

  async 'keep a user whom only another hides'(twin) {
    const { tenantId } = twin;
    await write(twin, (connection) =>
      connection.run('INSERT INTO scopes (tenantId, endUser, erasedAt) VALUES (?, ?, 1)', [STRAY, ANN]),
    );
    const erased = await write(twin, (connection) => deleteSomeOf(connection, { tenantId, endUser: ANN }, 9));
    twin.record('erased', erased.length);
    await write(twin, (connection) => connection.run('DELETE FROM scopes WHERE tenantId = ?', [STRAY]));
  },

  async 'hide a user of which only the conversations are left'(twin) {
    const { tenantId, filled } = twin;
    await write(twin, async (connection) => {
      for (const table of ['memories', 'memoryTags', 'memorySources', 'episodes']) {
        await connection.run(`DELETE FROM ${table} WHERE tenantId = ?`, [tenantId]);
      }
      await updateErased(connection, tenantId, filled.conversation, 1);
    });
    await recordUsers(twin);
    await write(twin, (connection) => connection.run('DELETE FROM conversations WHERE tenantId = ?', [tenantId]));
    await recordUsers(twin);
  },

  async 'count what expires only for the other'(twin) {
    await write(twin, (connection) =>
      connection.run('UPDATE memories SET expiresAt = NULL WHERE tenantId = ?', [twin.tenantId]),
    );
    await recordUsers(twin);
  },

  async 'tell when its own users changed last'(twin) {
    const { tenantId } = twin;
    await write(twin, async (connection) => {
      for (const table of ['memories', 'episodes']) {
        await connection.run(`UPDATE ${table} SET updatedAt = 1 WHERE tenantId = ?`, [tenantId]);
      }
    });
    twin.record('changes', await findLatestChanges(readerOf(twin), { tenantId, endUser: 'default' }));
  },

  async 'remove what is empty in both accounts'(twin) {
    const { tenantId } = twin;
    const scope = await scopeOf(twin, twin.otherId);
    await write(twin, async (connection) => {
      await connection.run('UPDATE scopes SET erasedAt = 1');
      await deleteScope(connection, { tenantId, endUser: ANN });
      await connection.run('UPDATE scopes SET erasedAt = NULL');
      const totals = { tenantId, scope, type: 'memory' } as const;
      const sql = `SELECT documents FROM wordTotals WHERE scope = ? AND type = 'memory'`;
      const documents = (await connection.get<{ documents: number }>(sql, [scope]))?.documents ?? 0;
      const change = `UPDATE wordTotals SET documents = ? WHERE scope = ? AND type = 'memory'`;
      await connection.run(change, [0, scope]);
      await deleteEmptyTotals(connection, totals);
      await connection.run(change, [documents, scope]);
    });
  },

  async 'search what only the other still has'(twin) {
    const { call, tenantId, filled } = twin;
    await write(twin, async (connection) => {
      await connection.run('UPDATE memories SET expiresAt = 1 WHERE tenantId = ?', [tenantId]);
      await updateErased(connection, tenantId, filled.conversation, 1);
    });
    await call('POST /v1/search', { query: 'heron pond' });
    await call('POST /v1/search', { query: 'heron pond', asOf: '2026-01-05T11:15:00Z' });
  },

  async 'change and erase many memories'({ call, filled: { memories } }) {
    const ids = Object.values(memories);
    const birds = { filter: { tags: ['bird'] } };
    await call('POST /v1/memories/query', { ids });
    await call('POST /v1/memories/query', birds);
    await call('POST /v1/memories/update', { ...birds, change: { addTags: ['animal'] } });
    await call('POST /v1/memories/update', { ids, change: { pinned: true } });
    await call('POST /v1/memories/query', { filter: { tags: ['animal'] } });
    await call('POST /v1/memories/delete', { ...birds, dryRun: true });
    await call('POST /v1/memories/delete', birds);
    await call('POST /v1/memories/delete', { ids });
    await call('GET /v1/memories?limit=50&includeSuperseded=true');
  },
};

async function recordUsers(twin: Twin): Promise<void> {
  const { tenantId } = twin;
  const listed = await listUsers(readerOf(twin), {
    ...{ tenantId, beforeScope: Number.MAX_SAFE_INTEGER, nowMs: EXPIRED_MS, limit: 9 },
  });
  const found = await findUser(readerOf(twin), { tenantId, endUser: 'default' }, EXPIRED_MS);
  twin.record(
    'users',
    [...listed, found].map((row) => ({ ...row, scope: undefined })),
  );
}

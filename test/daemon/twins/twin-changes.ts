import * as events from '../../../src/features/events/events-store.ts';
import { readerOf, STRAY, write } from './twin-statements.ts';
import type { Scenario, Twin } from './twin-world.ts';

/** A row of the log: triggers write all others. */
const insert = (twin: Twin, tenantId: string, [number, at]: [number, number]) =>
  write(twin, (connection) =>
    connection.run('INSERT INTO changes (tenantId, number, at, kind) VALUES (?, ?, ?, ?)', [
      ...[tenantId, number, at],
      twin.name,
    ]),
  );

const clear = (twin: Twin, tenantId: string) =>
  write(twin, (connection) => connection.run('DELETE FROM changes WHERE tenantId = ?', [tenantId]));

async function recordChanges(twin: Twin): Promise<void> {
  const rows = await events.listChanges(readerOf(twin), twin.tenantId, { after: 0, limit: 999 });
  twin.record(
    'changes',
    rows.map(({ number, kind, endUser }) => [number, kind, endUser]),
  );
}

/** The log of changes, whose numbers begin with 1 in every account. */
export const CHANGES: Record<string, Scenario> = {
  async 'find changes'(twin) {
    const { tenantId } = twin;
    const reader = readerOf(twin);
    await recordChanges(twin);
    await clear(twin, tenantId);
    twin.record('last of none', [...(await events.findLastChanges(reader, [tenantId, STRAY]))]);
    twin.record('at of none', await events.findChangeAt(reader, tenantId, 1));
    twin.record('latest of none', await events.findLatestChange(reader, tenantId));
    await insert(twin, tenantId, [1, 1]);
    twin.record('last', (await events.findLastChanges(reader, [tenantId])).size);
  },

  async 'name the authors of changes'(twin) {
    const { tenantId, name, filled } = twin;
    const items = [
      ['memory.created', filled.memories.changed],
      ['memory.updated', filled.memories.old],
      ['conversation.created', filled.conversation],
      ['conversation.appended', filled.conversation],
      ['job.changed', filled.job],
    ];
    await write(twin, async (connection) => {
      for (const table of ['memories', 'messages', 'jobs']) {
        await connection.run(`UPDATE ${table} SET author = ? WHERE tenantId = ?`, [name, tenantId]);
      }
    });
    await clear(twin, tenantId);
    await write(twin, async (connection) => {
      for (const [index, [kind, itemId]] of items.entries()) {
        const row = [tenantId, index + 1, 1, kind!, itemId!];
        await connection.run('INSERT INTO changes (tenantId, number, at, kind, itemId) VALUES (?, ?, ?, ?, ?)', row);
      }
    });
    const rows = await events.listChanges(readerOf(twin), tenantId, { after: 0, limit: 9 });
    twin.record(
      'authors',
      rows.map(({ kind, author }) => [kind, author]),
    );
  },

  async 'trim changes'(twin) {
    const { tenantId } = twin;
    const reader = readerOf(twin);
    const isDue = async (beforeMs: number, maxStored: number) => {
      const due = await events.listTenantsToTrim(reader, { beforeMs, maxStored });
      const own = due.find((row) => row.tenantId === tenantId);
      twin.record('due', own ?? null);
    };
    await clear(twin, tenantId);
    await insert(twin, tenantId, [7, 1]);
    await isDue(2, 999);
    await insert(twin, tenantId, [2, 9]);
    await insert(twin, tenantId, [5, 1]);
    await isDue(2, 999);
    await isDue(0, 5);
    await isDue(0, 6);
    await isDue(10, 999);
    const some = { tenantId, beforeMs: 2, through: 2, last: 7, limit: 9 };
    twin.record('trimmed', await write(twin, (connection) => events.deleteSomeChanges(connection, some)));
    await recordChanges(twin);
  },

  async 'trim changes with higher numbers than those of others'(twin) {
    const { tenantId } = twin;
    await clear(twin, tenantId);
    for (const number of [1002, 1005, 1007]) await insert(twin, tenantId, [number, 1]);
    const some = { tenantId, beforeMs: 2, through: 0, last: 1007, limit: 2 };
    twin.record('trimmed', await write(twin, (connection) => events.deleteSomeChanges(connection, some)));
    await recordChanges(twin);
  },

  async 'delete some changes'(twin) {
    const { tenantId } = twin;
    await clear(twin, tenantId);
    for (const number of [1, 2, 901]) await insert(twin, tenantId, [number, 1]);
    twin.record('deleted', await write(twin, (connection) => events.deleteSomeChangesOf(connection, tenantId, 3)));
    await insert(twin, tenantId, [1, 1]);
    await recordChanges(twin);
  },
};

import * as activity from '../../../src/features/activity/activity-store.ts';
import { readerOf, STRAY, write } from './twin-statements.ts';
import type { Scenario, Twin } from './twin-world.ts';

/** Requests of every twin, in the same order; `at` is their number. */
export const activityOf = (tenantId: string, name: string) =>
  [1, 2, 3].map((sequence) => ({
    ...{ tenantId, sequence, id: `req_${sequence}`, at: sequence, client: name, transport: 'rest' as const },
    ...{
      method: 'GET',
      route: `/${name}`,
      status: 200,
      microseconds: 1000,
      ids: '',
      itemCount: sequence,
      searchId: null,
      author: null,
    },
  }));

async function recordActivity(twin: Twin, tenantId = twin.tenantId): Promise<void> {
  const page = { beforeSequence: Number.MAX_SAFE_INTEGER, limit: 99 };
  const rows = await activity.listActivity(readerOf(twin), tenantId, {}, page);
  twin.record(
    'activity',
    rows.map(({ sequence, client }) => [sequence, client]),
  );
}

/** The activity of accounts, whose requests have the same numbers. */
export const ACTIVITY: Record<string, Scenario> = {
  async 'list and number requests'(twin) {
    const { tenantId, otherId, name } = twin;
    await recordActivity(twin);
    twin.record('days', await activity.listActivityDays(readerOf(twin), tenantId, { fromDay: 0 }));
    twin.record('clients', await activity.listActivityClients(readerOf(twin), tenantId, { limit: 9 }));
    await write(twin, async (connection) => {
      await connection.run('UPDATE activity SET sequence = sequence - 5 WHERE tenantId = ?', [tenantId]);
      for (const id of [tenantId, otherId, STRAY]) {
        const last = await activity.findLastSequences(connection, [id]);
        twin.record('last number', id === otherId ? last.size : [...last.values()]);
      }
      await connection.run('UPDATE activity SET sequence = sequence + 5 WHERE tenantId = ?', [tenantId]);
      await activity.insertActivity(connection, [{ ...activityOf(tenantId, name)[0]!, sequence: 9 }]);
    });
  },

  async 'delete old requests'(twin) {
    const { tenantId } = twin;
    await write(twin, (connection) =>
      connection.run('UPDATE activity SET at = 9 WHERE tenantId = ? AND sequence = 1', [tenantId]),
    );
    twin.record('has old requests', (await activity.listTenantsWithOld(readerOf(twin), 2)).includes(tenantId));
    await write(twin, async (connection) => {
      twin.record('old', await activity.deleteSomeOld(connection, { tenantId, beforeMs: 3, limit: 2 }));
    });
    await recordActivity(twin);
  },

  async 'delete requests up to a number'(twin) {
    const { tenantId } = twin;
    await write(twin, (connection) => activity.deleteActivityThrough(connection, tenantId, 1));
    await recordActivity(twin);
  },

  async 'delete some requests'(twin) {
    const { tenantId, name } = twin;
    await write(twin, async (connection) => {
      await connection.run('UPDATE activity SET sequence = sequence + 10 WHERE tenantId = ?', [tenantId]);
      await activity.insertActivity(connection, [{ ...activityOf(tenantId, name)[0]!, sequence: 30 }]);
      twin.record('deleted', await activity.deleteSomeActivityOf(connection, tenantId, 3));
    });
    await recordActivity(twin);
  },
};

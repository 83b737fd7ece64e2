import {
  deleteDataKey,
  deleteUnusedDataKey,
  findDataKey,
  insertDataKey,
} from '../../../src/features/envelope/envelope-store.ts';
import * as deliveries from '../../../src/features/webhooks/deliveries-store.ts';
import * as webhooks from '../../../src/features/webhooks/webhooks-store.ts';
import { ownersOf, readerOf, STRAY, scopeOf, write } from './twin-statements.ts';
import type { Scenario, Twin } from './twin-world.ts';

const STATES = ['waiting', 'delivered', 'failed'] as const;
const DUE_MS = 100;

/** A webhook, with a delivery in each state. */
export async function fillWebhooks(twin: Twin): Promise<string> {
  const { tenantId, name, server } = twin;
  const body = { url: `${server.baseUrl}/of-${name}`, events: ['feedback'] };
  const { id } = (await twin.call('POST /v1/webhooks', body)).body;
  const scope = await scopeOf(twin, tenantId);
  await write(twin, async (connection) => {
    for (const [index, state] of STATES.entries()) {
      await deliveries.insertDelivery(connection, {
        ...{ tenantId, id: `whd_${state}`, webhookId: id, number: index + 1, kind: 'feedback', itemId: name, scope },
        ...{ at: 1, state, attempts: 1, status: 500, error: name, createdAt: 1, triedAt: 1 },
      });
    }
    const due = { dueAt: DUE_MS, claimedUntil: 1, lastNumber: 3, readNumber: 1, readAt: 1 };
    await webhooks.updateWebhook(connection, { tenantId, id }, due);
  });
  return id;
}

/** Webhooks, which have the same ids in both accounts. */
export const WEBHOOKS: Record<string, Scenario> = {
  async 'manage webhooks'({ call, server, record, filled: { webhook } }) {
    await call('GET /v1/webhooks');
    await call(`GET /v1/webhooks/${webhook}`);
    await call(`GET /v1/webhooks/${webhook}/deliveries`);
    const page = await call(`GET /v1/webhooks/${webhook}/deliveries?limit=2`);
    await call(`GET /v1/webhooks/${webhook}/deliveries?limit=2&cursor=${page.body.nextCursor}`);
    await call(`POST /v1/webhooks/${webhook}/test`);
    await call(`POST /v1/webhooks/${webhook}/deliveries/whd_failed/replay`);
    await call(`POST /v1/webhooks/${webhook}/rotate-secret`);
    await call(`PATCH /v1/webhooks/${webhook}`, { active: false, user: 'ann' });
    const sent = server.requests.slice(-2).map(({ path, headers, body }) => [path, headers['webhook-signature'], body]);
    record('the receiver got', sent);
  },

  async 'claim and release webhooks'(twin) {
    const { tenantId, filled } = twin;
    const key = { tenantId, id: filled.webhook };
    const due = await webhooks.listDueWebhooks(readerOf(twin), { nowMs: DUE_MS, limit: 9 });
    const claimed = await write(twin, (connection) =>
      webhooks.updateClaimed(connection, key, { nowMs: DUE_MS, untilMs: 2 * DUE_MS }),
    );
    twin.record('due', [due.filter((one) => one.tenantId === tenantId), claimed?.url]);
    // The clock was ahead when its own delivery was tried, not when another account's was.
    await write(twin, async (connection) => {
      await connection.run('UPDATE webhookDeliveries SET triedAt = ? WHERE tenantId = ?', [2 * DUE_MS, tenantId]);
      await webhooks.updateAhead(connection, { nowMs: DUE_MS, latestMs: DUE_MS });
      twin.record('claimed until', (await webhooks.findWebhook(connection, key))!.claimedUntil);
    });
    await write(twin, (connection) => webhooks.updateReleased(connection, claimed!));
    // Another account's webhook of the same id is claimed under the same fence.
    await write(twin, (connection) => webhooks.updateReleased(connection, { ...claimed!, fence: 0 }));
    await write(twin, async (connection) => {
      await webhooks.updateSwitchedOff(connection, {
        tenantId,
        author: 'both@example.com',
        at: DUE_MS,
        reason: 'gone',
      });
    });
  },

  async 'find webhooks with changes to read'(twin) {
    const { tenantId, filled } = twin;
    const isBehind = async (maxWaiting: number) => {
      const behind = await webhooks.listBehind(readerOf(twin), { maxWaiting, limit: 9 });
      twin.record(
        'behind',
        behind.some((one) => one.tenantId === tenantId),
      );
    };
    await write(twin, async (connection) => {
      await connection.run('DELETE FROM changes WHERE tenantId = ?', [tenantId]);
      await connection.run("INSERT INTO changes (tenantId, number, at, kind) VALUES (?, 1, 1, 'feedback')", [tenantId]);
    });
    await isBehind(99);
    await write(twin, async (connection) => {
      await webhooks.updateWebhook(connection, { tenantId, id: filled.webhook }, { readNumber: 0, lastNumber: 102 });
      await connection.run('UPDATE webhookDeliveries SET number = number + 100 WHERE tenantId = ?', [tenantId]);
    });
    await isBehind(9);
  },

  async 'read and delete deliveries'(twin) {
    const { tenantId, filled } = twin;
    const reader = readerOf(twin);
    const key = { tenantId, id: filled.webhook };
    const finished = async (state: 'failed', maxStored: number) => {
      const rows = await deliveries.listStored(reader, { state, maxStored });
      twin.record(
        'finished',
        rows.filter((row) => row.tenantId === tenantId),
      );
    };
    const some = { state: 'failed', through: 9999, beforeMs: 0, limit: 1 } as const;
    await finished('failed', 1);
    // Its number is that of another account's.
    await write(twin, (connection) => deliveries.deleteSomeStored(connection, key, { ...some, state: 'delivered' }));
    await write(twin, (connection) =>
      connection.run('UPDATE webhookDeliveries SET number = number + 900, triedAt = 7 WHERE tenantId = ?', [tenantId]),
    );
    await finished('failed', 0);
    twin.record('next', ownersOf([await deliveries.findNextDelivery(reader, key)]));
    twin.record('one', ownersOf([await deliveries.findDelivery(reader, key, 'whd_failed')]));
    await write(twin, async (connection) => {
      twin.record('deleted', await deliveries.deleteSomeStored(connection, key, some));
      await connection.run("UPDATE webhookDeliveries SET id = 'whd_own' WHERE tenantId = ? AND id = ?", [
        ...[tenantId, 'whd_waiting'],
      ]);
      await connection.run("DELETE FROM webhookDeliveries WHERE tenantId = ? AND id <> 'whd_own'", [tenantId]);
      twin.record('deleted one', await deliveries.deleteSomeDeliveries(connection, key, 1));
    });
  },

  async 'delete data keys that seal nothing'(twin) {
    const { tenantId, call, filled } = twin;
    await call(`DELETE /v1/webhooks/${filled.webhook}`);
    for (const provider of ['openai', 'openai-compatible']) await call(`DELETE /v1/provider-keys/${provider}`);
    twin.record('own', await findDataKey(readerOf(twin), tenantId));
    const stray = { tenantId: STRAY, masterKeyId: 'none', wrapped: Buffer.alloc(1) };
    const isStored = await write(twin, async (connection) => {
      await insertDataKey(connection, stray);
      await deleteUnusedDataKey(connection, tenantId);
      await deleteDataKey(connection, tenantId);
      const row = await findDataKey(connection, STRAY);
      await connection.run('DELETE FROM dataKeys WHERE tenantId = ?', [STRAY]);
      return row !== undefined;
    });
    twin.record('another is stored', isStored);
  },
};

import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Connection, openConnection, type Reader } from '../../../src/db/connection.ts';
import * as deliveries from '../../../src/features/webhooks/deliveries-store.ts';
import * as webhooks from '../../../src/features/webhooks/webhooks-store.ts';
import { createDatabaseFolder, type DatabaseFolder } from '../../db/database-folder.ts';
import { plannedBy } from '../../db/statement-plan.ts';

const KEY = { tenantId: 'ten_1', id: 'whk_1' };

let place: DatabaseFolder;
let connection: Connection;

beforeAll(async () => {
  place = await createDatabaseFolder();
  connection = await openConnection(place.file, { readOnly: true });
});
afterAll(async () => {
  await connection.close();
  await place.clean();
});

const plan = async (ask: (reader: Reader) => Promise<unknown>) =>
  (await plannedBy(connection, ask)).filter((line) => /^(?:SEARCH|SCAN|USE TEMP)/.test(line));

test.each<[string, (reader: Reader) => Promise<unknown>]>([
  ['next', (reader) => deliveries.findNextDelivery(reader, KEY)],
  ['by id', (reader) => deliveries.findDelivery(reader, KEY, 'whd_1')],
  ['in a state', (reader) => deliveries.listDeliveries(reader, KEY, { states: ['failed'], before: 9, limit: 9 })],
])('deliveries %s are read by an index of their tenant, without sorting', async (_what, ask) => {
  const reads = await plan(ask);
  expect(reads.filter((line) => !/^SEARCH \w+ USING .*\((tenantId=\?|rowid=\?|scope=\?)/.test(line))).toEqual([]);
  expect(reads.length).toBeGreaterThan(0);
});

test('due webhooks are found by their index, whoever owns them', async () => {
  expect(await plan((reader) => webhooks.listDueWebhooks(reader, { nowMs: 9, limit: 9 }))).toEqual([
    expect.stringMatching(/^SEARCH w USING INDEX webhooks_due/),
  ]);
});

test('webhooks that are behind cost two look-ups each', async () => {
  const reads = await plan((reader) => webhooks.listBehind(reader, { maxWaiting: 9, limit: 9 }));
  expect(reads).toEqual([
    expect.stringMatching(/^SCAN w/),
    expect.stringMatching(/^SEARCH c USING .*tenantId=\?/),
    expect.stringMatching(/^SEARCH d USING .*webhookDeliveries_state \(tenantId=\? AND webhookId=\? AND state=\?/),
    expect.stringMatching(/^USE TEMP B-TREE/),
  ]);
});

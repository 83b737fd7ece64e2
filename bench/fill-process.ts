import { mkdir } from 'node:fs/promises';
import { readConfig } from '../src/daemon/config.ts';
import { prepareDatabase } from '../src/daemon/database-location.ts';
import { createLog } from '../src/daemon/log.ts';
import { openRooms, type Rooms } from '../src/daemon/rooms.ts';
import type { Principal } from '../src/features/keys/keys.ts';
import { systemClock } from '../src/lib/clock.ts';
import { systemRandom } from '../src/lib/random.ts';
import type { FilledTenant, FillPlan, TenantGroup } from './fill-folder.ts';
import { createTexts, type Texts } from './texts.ts';

// Fills a data folder or a database through the features' own code while no daemon is running. Tenants' memories are written in
// interleaved portions, as they would be in production.

const PORTION = 500;
const RETAINED_IDS = 1000;

type ConversationPlan = NonNullable<TenantGroup['conversations']>;

interface Filling extends FilledTenant {
  principal: Principal;
  left: number;
}

async function createTenant(
  { db, accounts, keys }: Rooms,
  email: string,
): Promise<{ apiKey: string; tenantId: string }> {
  return db.writes.write('daemon', async (connection) => {
    const { tenantId } = await accounts.findOrCreate(connection, email);
    return { tenantId, apiKey: await keys.rotate(connection, tenantId) };
  });
}

async function startFilling(rooms: Rooms, email: string, memories: number): Promise<Filling> {
  const { apiKey, tenantId } = await createTenant(rooms, email);
  const principal = await rooms.keys.authenticate(apiKey);
  if (!principal) throw new Error(`The key of ${email} was not accepted`);
  return { apiKey, tenantId, ids: [], conversationIds: [], principal, left: memories };
}

async function addPortion(rooms: Rooms, tenant: Filling, texts: Texts): Promise<void> {
  const count = Math.min(PORTION, tenant.left);
  tenant.left -= count;
  const memories = Array.from({ length: count }, () => ({ content: texts.memory() }));
  const { body } = await rooms.memories.addBatchOnce(tenant.principal, memories, undefined);
  tenant.ids.push(...body.data.map(({ id }) => id).slice(0, RETAINED_IDS - tenant.ids.length));
}

async function addConversations(
  rooms: Rooms,
  tenant: Filling,
  { count, messages }: ConversationPlan,
  texts: Texts,
): Promise<void> {
  for (let conversation = 0; conversation < count; conversation += 1) {
    const { body } = await rooms.conversations.createOnce(tenant.principal, {}, undefined);
    tenant.conversationIds.push(body.id);
    for (let sent = 0; sent < messages; sent += PORTION) {
      const portion = Array.from({ length: Math.min(PORTION, messages - sent) }, (_, index) => ({
        role: index % 2 === 0 ? ('user' as const) : ('assistant' as const),
        content: texts.memory(),
      }));
      await rooms.conversations.appendOnce(tenant.principal, body.id, portion, undefined);
    }
  }
}

async function fill({ dataDir, settings = {}, groups, seed }: FillPlan): Promise<FilledTenant[][]> {
  await mkdir(dataDir, { recursive: true });
  const log = createLog('silent', () => {});
  const config = { ...readConfig({ dataDir }, settings, ''), defaultTier: 'Enterprise' as const };
  const rooms = await openRooms(config, await prepareDatabase(config), {
    clock: systemClock,
    random: systemRandom,
    log,
  });
  const texts = createTexts(seed);
  const filled: Filling[][] = [];
  for (const [group, { tenants, memories }] of groups.entries()) {
    const started = Array.from({ length: tenants }, (_, index) =>
      startFilling(rooms, `tenant-${group}-${index}@example.com`, memories),
    );
    filled.push(await Promise.all(started));
  }
  for (;;) {
    const unfinished = filled.flat().filter(({ left }) => left > 0);
    if (unfinished.length === 0) break;
    // A few at a time share transactions and keep the write queue busy.
    for (let start = 0; start < unfinished.length; start += 4) {
      await Promise.all(unfinished.slice(start, start + 4).map((tenant) => addPortion(rooms, tenant, texts)));
    }
    await rooms.db.checkpoint();
  }
  for (const [group, { conversations }] of groups.entries()) {
    if (!conversations) continue;
    for (const tenant of filled[group]!) await addConversations(rooms, tenant, conversations, texts);
    await rooms.db.checkpoint();
  }
  for (const [group, { tier }] of groups.entries()) {
    if (tier) for (const { tenantId } of filled[group]!) await rooms.accounts.setTier(tenantId, tier);
  }
  await rooms.db.close();
  return filled.map((group) =>
    group.map(({ apiKey, tenantId, ids, conversationIds }) => ({ apiKey, tenantId, ids, conversationIds })),
  );
}

process.stdout.write(JSON.stringify(await fill(JSON.parse(process.argv[2] ?? '') as FillPlan)));

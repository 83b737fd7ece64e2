import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import type { Connection } from '../../src/db/connection.ts';
import { updateErased } from '../../src/features/accounts/accounts-store.ts';
import { insertTicket } from '../../src/features/connections/tickets-store.ts';
import { listModels, promoteModel, retire, selectModel } from '../../src/features/embeddings/models-store.ts';
import { createEnvelope } from '../../src/features/envelope/envelope.ts';
import { rewrapDataKeys } from '../../src/features/envelope/key-rotation.ts';
import { masterKeyOf } from '../../src/features/envelope/master-key.ts';
import { addUsage } from '../../src/features/limits/usage-store.ts';
import { systemRandom } from '../../src/lib/random.ts';
import { hashSecret } from '../../src/lib/secret.ts';
import { converse } from '../features/extraction/extraction-daemon.ts';
import { type Caller, createCaller, type MemoryDaemon, startMemoryDaemon } from '../features/memories/memory-daemon.ts';
import { dropDatabase, ensureDatabase } from '../helpers/postgres/databases.ts';
import { MASTER_KEY } from '../helpers/postgres/folder-databases.ts';
import { rowCounts } from '../helpers/tables.ts';

// What one daemon is about to commit when another changes what it has read.

const NAME = 'races';
let one: MemoryDaemon;
let other: MemoryDaemon;

beforeAll(async () => {
  const { adminUrl, template } = inject('postgres');
  const databaseUrl = await ensureDatabase(adminUrl, NAME, template);
  one = await startMemoryDaemon({ databaseUrl });
  other = await startMemoryDaemon({ databaseUrl });
}, 60_000);

afterAll(async () => {
  await Promise.all([one?.close(), other?.close()]);
  await dropDatabase(inject('postgres').adminUrl, NAME);
});

/** Begins a write, and resolves once `work` is done to the function that lets it commit. */
function begin<T>({ db }: MemoryDaemon, of: string, work: (connection: Connection) => Promise<T>) {
  return new Promise<() => Promise<T>>((resolve, reject) => {
    const committed: Promise<T> = db.writes.write(of, async (connection) => {
      const result = await work(connection);
      await new Promise<void>((finish) =>
        resolve(() => {
          finish();
          return committed;
        }),
      );
      return result;
    });
    committed.catch(reject);
  });
}

const emailOf = async (caller: Caller) => (await caller.call<{ email: string }>('/v1/account')).body.email;
const rowsOf = ({ tenantId }: Caller) => rowCounts(one.db.readers, { tenantId });

/** Erases the account at the other daemon while a write of this one waits to commit. */
async function eraseDuring<T>({ tenantId }: Caller, work: (connection: Connection) => Promise<T>): Promise<T> {
  const finish = await begin(one, 'daemon', work);
  const erased = other.accounts.erase(tenantId);
  await sleep(300);
  const result = await finish();
  await erased;
  return result;
}

/** What the last step of a sign-in does in its transaction. */
async function signIn(connection: Connection, email: string) {
  await one.accounts.keep(connection, email);
  const { tenantId } = await one.accounts.findOrCreate(connection, email);
  await one.sessions.begin(connection, tenantId, { client: 'Firefox on Linux', address: '127.0.0.1' });
  return { tenantId, apiKey: await one.keys.rotate(connection, tenantId) };
}

test('an account erased while its owner signs in elsewhere is erased, with the new key and session', async () => {
  const caller = await one.account();
  const email = await emailOf(caller);
  await one.db.writes.write(caller.tenantId, (connection) => one.keys.revokeAll(connection, caller.tenantId));
  const { apiKey } = await eraseDuring(caller, (connection) => signIn(connection, email));
  expect((await one.call(apiKey, '/v1/account')).status).toBe(401);
  expect(await rowsOf(caller)).toEqual({});
});

test('a sign-in that waits for the erasure of the account elsewhere gets a new account', async () => {
  const caller = await one.account();
  const email = await emailOf(caller);
  const finish = await begin(other, caller.tenantId, (connection) => updateErased(connection, caller.tenantId, 1));
  const signedIn = one.db.writes.write('daemon', (connection) => signIn(connection, email));
  await sleep(300);
  await finish();
  const { tenantId, apiKey } = await signedIn;
  expect(tenantId).not.toBe(caller.tenantId);
  expect((await one.call(apiKey, '/v1/account')).body).toMatchObject({ tenantId, email });
});

test('a ticket made with a key that is replaced elsewhere before it is stored opens no session', async () => {
  const caller = await one.account();
  const { tenantId, apiKey } = caller;
  const email = await emailOf(caller);
  const ticket = 'ticket-of-a-replaced-key';
  const expiresAt = one.clock.nowMs() + 60_000;
  const row = { tenantId, tokenHash: hashSecret(ticket), expiresAt, sessionExpiresAt: expiresAt, openedBy: null };
  const finish = await begin(one, tenantId, (connection) =>
    insertTicket(connection, { ...row, scope: 'account' }, hashSecret(apiKey)),
  );
  const signedIn = other.db.writes.write('daemon', async (connection) => {
    await other.accounts.keep(connection, email);
    return other.keys.rotate(connection, tenantId, { endedBy: 'webSignIn' });
  });
  await sleep(300);
  await finish();
  await signedIn;
  const redeemed = await one.call(undefined, '/v1/session', { body: { ticket } });
  expect(redeemed.status).toBe(410);
});

test('a search that is stored after another daemon erased its user leaves nothing of the user', async () => {
  const caller = await one.account();
  const { tenantId } = caller;
  await caller.call('/v1/memories', { body: { content: 'Ann keeps bees.', user: 'ann' } });
  const scopes = 'SELECT scope FROM scopes WHERE tenantId = ?';
  const scope = (await one.db.readers.of(tenantId).get<{ scope: number }>(scopes, [tenantId]))!.scope;
  const found = { client: null, bucket: 'other' as const, byDefault: [], shownIds: [], confidence: 0 };
  const answered = { tenantId, endUser: 'ann', scope, asked: { query: 'bees' }, ...found };
  const countSearches = async () => {
    await one.learning.flush();
    const rows = await one.db.readers.all('SELECT id FROM searches WHERE tenantId = ?', [tenantId]);
    return rows.length;
  };
  one.learning.remember({ ...answered, searchId: 'srch_before' });
  expect(await countSearches()).toBe(1);

  const erased = await createCaller(other.call, caller.apiKey, tenantId).call('/v1/users/ann', { method: 'DELETE' });
  expect(erased.status).toBe(204);
  one.learning.remember({ ...answered, searchId: 'srch_after' });
  expect(await countSearches()).toBe(0);

  // The name is free again.
  await caller.call('/v1/memories', { body: { content: 'Ann has a new hive.', user: 'ann' } });
  one.learning.remember({ ...answered, searchId: 'srch_late' });
  expect(await countSearches()).toBe(0);
});

test('usage counted while an account is erased elsewhere leaves nothing of the account', async () => {
  const caller = await one.account();
  const used = { tenantId: caller.tenantId, day: '2026-01-01', requests: 1, memories: 0, queries: 0 };
  await eraseDuring(caller, (connection) => addUsage(connection, [used]));
  expect(await rowsOf(caller)).toEqual({});
});

test('an erasure that goes on after another daemon has finished it spares the user that was created again', async () => {
  const caller = await one.account();
  const user = 'eve';
  await caller.add('Eve keeps bees.', { user });
  await converse(caller, ['I keep bees.'], user);
  const span = { startedAt: '2026-01-01T00:00:00Z', endedAt: '2026-01-01T01:00:00Z' };
  await caller.call('/v1/episodes', { body: { user, title: 'Bees', ...span } });
  await one.activity.flush();
  const before = await rowsOf(caller);
  const owner = { tenantId: caller.tenantId, endUser: user };
  for (const room of [other.conversations, other.episodes, other.memories, other.learning]) await room.erase(owner);
  expect(await rowsOf(caller)).toEqual(before);
  expect(before).toMatchObject({ memories: 1, conversations: 1, messages: 1, episodes: 1 });
});

test('a memory whose expiry is lifted while another daemon sweeps expired memories stays', async () => {
  const caller = await one.account();
  const expiresAt = new Date(one.clock.nowMs() + 60_000).toISOString();
  const { id } = await caller.add('The parcel arrives on Friday.', { expiresAt });
  const finish = await begin(other, caller.tenantId, (connection) =>
    connection.run('UPDATE memories SET expiresAt = NULL WHERE tenantId = ? AND id = ?', [caller.tenantId, id]),
  );
  one.clock.advance(120_000);
  const swept = one.memories.sweep();
  await sleep(300);
  await finish();
  await swept;
  expect((await caller.read(id)).status).toBe(200);
});

test('a model that its account turns off while another daemon lets it serve stays off', async () => {
  const { tenantId } = await one.account();
  const choice = { tenantId, provider: 'openai', name: 'small' } as const;
  await one.db.writes.write(tenantId, (connection) => selectModel(connection, choice, false));
  const [model] = await listModels(one.db.readers, tenantId);
  const finish = await begin(other, tenantId, (connection) => retire(connection, model!));
  const promoted = one.db.writes.write('daemon', (connection) => promoteModel(connection, model!));
  await sleep(300);
  await finish();
  await promoted;
  expect((await listModels(one.db.readers, tenantId)).filter(({ state }) => state === 'serving')).toEqual([]);
});

test('a rotation of the master key rewraps the data key that another daemon is adding', async () => {
  const caller = await one.account();
  const former = masterKeyOf(MASTER_KEY);
  const next = masterKeyOf(Buffer.alloc(32, 7));
  const masterKeys = {
    isGiven: true,
    current: () => [former],
    ensure: async () => former,
    reload: async () => [former],
  };
  const log = { info() {}, warn() {}, error() {} };
  const envelope = createEnvelope({ db: other.db, random: systemRandom, log, masterKeys });
  const finish = await begin(other, caller.tenantId, (connection) =>
    envelope.seal(connection, caller.tenantId, 'secret', 'test'),
  );
  const rotated = rewrapDataKeys({
    ...{ db: one.db, random: systemRandom, masterKeys: [next, former], dropLost: false },
    ...{ forgetSealed: async () => {}, onProgress() {} },
  });
  await sleep(300);
  await finish();
  await rotated;
  const keys = await one.db.readers.all<{ masterKeyId: string }>('SELECT DISTINCT masterKeyId FROM dataKeys');
  expect(keys).toEqual([{ masterKeyId: next.id }]);
});

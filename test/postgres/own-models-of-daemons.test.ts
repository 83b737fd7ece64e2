import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest';
import { type Owner, type OwnModelsDaemon, ownerOf, startOwnModelsDaemon } from '../features/embeddings/own-models.ts';
import { createCaller } from '../features/memories/memory-daemon.ts';
import { WITHOUT_TIMERS } from '../helpers/daemon.ts';
import { dropDatabase, ensureDatabase } from '../helpers/postgres/databases.ts';
import { type ProviderServer, PUBLISHED, startProviderServer } from '../helpers/providers/server.ts';

const NAME = 'own_models_of_daemons';
const REFUSED = PUBLISHED.openai.wrongKey;
let server: ProviderServer;
let one: OwnModelsDaemon;
let other: OwnModelsDaemon;
/** The same account at each daemon. */
let here: Owner;
let there: Owner;

beforeAll(async () => {
  const { adminUrl, template } = inject('postgres');
  const databaseUrl = await ensureDatabase(adminUrl, NAME, template);
  server = await startProviderServer('openai', { dimensions: 64 });
  one = await startOwnModelsDaemon({ databaseUrl, ...WITHOUT_TIMERS });
  other = await startOwnModelsDaemon({ databaseUrl, ...WITHOUT_TIMERS });
}, 60_000);
afterAll(async () => {
  await Promise.all([one?.close(), other?.close()]);
  await server.close();
  await dropDatabase(inject('postgres').adminUrl, NAME);
});
beforeEach(async () => {
  server.reset();
  here = await one.owner();
  there = ownerOf(createCaller(other.call, here.apiKey, here.tenantId));
  await here.bring(server);
  await here.choose(server);
});

const embedding = async (owner: Owner) => (await owner.settings()).embedding;

test('a key that is replaced at one daemon ends the backoff of another', async () => {
  await here.add('Her automobile is red');
  server.next(REFUSED);
  await other.embed();
  expect(await embedding(there)).toMatchObject({ state: 'failing', waiting: 1 });
  server.next(REFUSED);
  expect(await there.search('fahrzeug', { strategy: 'semantic' })).toMatchObject({ status: 422 });

  await here.bring(server, 'another-key-of-the-test');
  expect(await embedding(there)).toMatchObject({ state: 'serving', fault: null });
  await other.embed();
  expect(await embedding(there)).toMatchObject({ state: 'serving', waiting: 0, fault: null });
  expect(await there.find('fahrzeug', { strategy: 'semantic' })).toEqual(['Her automobile is red']);
});

test('a key that its provider accepts again for one daemon ends the backoff of another', async () => {
  await here.add('Her automobile is red');
  server.next(REFUSED);
  await other.embed();
  expect(await embedding(there)).toMatchObject({ state: 'failing' });
  one.clock.advance(1000);
  expect((await here.call('/v1/provider-keys/openai/validate', { method: 'POST' })).status).toBe(200);
  await other.embed();
  expect(await embedding(there)).toMatchObject({ state: 'serving', waiting: 0, fault: null });
});

test('a model that failed at one daemon is no longer failing there once another works for it', async () => {
  await here.add('Her automobile is red');
  server.next({ status: 503 });
  await one.embed();
  expect(await embedding(here)).toMatchObject({ state: 'failing', waiting: 1 });
  other.clock.advance(90_000);
  server.next('hang');
  await other.tenantEmbeddings.follow();
  await expect.poll(() => server.state.answering).toBe(1);
  one.clock.advance(30_000);
  await one.embed();
  expect(await embedding(here)).toMatchObject({ state: 'serving', waiting: 1, fault: null });
  // Aborts the request that hangs.
  await here.bring(server);
});

test('a model that failed at one daemon is no longer failing there once another has finished', async () => {
  await here.add('Her automobile is red');
  server.next({ status: 503 });
  await one.embed();
  expect(await embedding(here)).toMatchObject({ state: 'failing', waiting: 1 });
  other.clock.advance(122_000);
  await other.embed();
  await one.embed();
  expect(await embedding(here)).toMatchObject({ state: 'serving', waiting: 0, fault: null });
});

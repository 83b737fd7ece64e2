import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startEmbedder } from '../../helpers/embedder.ts';
import { type ProviderServer, startProviderServer } from '../../helpers/providers/server.ts';
import { createCaller } from '../memories/memory-daemon.ts';
import { type OwnModelsDaemon, startOwnModelsDaemon } from './own-models.ts';

/** A platform for which sqlite-vec has no build. */
const vectorExtension = async () => '/nowhere/vec0.so';

let dataDir: string;
let server: ProviderServer;
let daemon: OwnModelsDaemon | undefined;

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'svc-elsewhere-'));
  server = await startProviderServer('openai', { dimensions: 64 });
});
afterEach(async () => {
  await daemon?.daemon.stop();
  daemon = undefined;
  await server.close();
  await rm(dataDir, { recursive: true });
});

test('without vector search, choosing a model is rejected with the reason and everything else works', async () => {
  daemon = await startOwnModelsDaemon({ dataDir, vectorExtension });
  const ann = await daemon.owner();
  await ann.bring(server);
  await ann.add('Her automobile is red');
  const body = { embedding: { provider: 'openai', model: server.embedding } };
  const refused = await ann.call('/v1/provider-settings', { method: 'PATCH', body });
  expect(refused).toMatchObject({ status: 422, body: { code: 'unprocessable' } });
  expect(refused.text).toContain('sqlite-vec');
  expect(await ann.find('automobile')).toEqual(['Her automobile is red']);
  const extraction = { extraction: { onAppend: true } };
  expect((await ann.call('/v1/provider-settings', { method: 'PATCH', body: extraction })).status).toBe(200);
});

test('a data folder from a machine with vector search is served without calling providers', async () => {
  const before = await startOwnModelsDaemon({ dataDir });
  const ann = await before.owner();
  await ann.bring(server);
  await ann.choose(server);
  await ann.add('Her automobile is red');
  await before.embed();
  expect(await ann.find('fahrzeug')).toEqual(['Her automobile is red']);
  await before.daemon.stop();

  const asked = server.requests.length;
  daemon = await startOwnModelsDaemon({ dataDir, vectorExtension });
  const again = createCaller(daemon.call, ann.apiKey, ann.tenantId);
  await again.add('Her automobile is blue');
  await daemon.embed();
  expect(await again.find('blue automobile')).toHaveLength(2);
  expect(await again.search('fahrzeug', { strategy: 'semantic' })).toMatchObject({ status: 422 });
  expect((await again.call('/v1/provider-settings')).body).toMatchObject({
    embedding: { state: 'failing', waiting: 1, fault: expect.stringContaining('sqlite-vec') },
  });
  expect(server.requests).toHaveLength(asked);
  await daemon.daemon.stop();

  daemon = await startOwnModelsDaemon({ dataDir });
  await daemon.embed();
  const back = createCaller(daemon.call, ann.apiKey, ann.tenantId);
  expect(await back.find('fahrzeug')).toHaveLength(2);
});

test("with the operator's embedder it does not start, and does where vectors can be searched", async () => {
  const embedder = await startEmbedder();
  const config = { embeddings: embedder.openai() };
  await expect(startOwnModelsDaemon({ dataDir, config, vectorExtension })).rejects.toMatchObject({
    code: 'unprocessable',
    message: expect.stringContaining('Unset SVC_EMBEDDINGS'),
  });
  daemon = await startOwnModelsDaemon({ dataDir, config });
  await embedder.close();
});

import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { chooseModel, chooseNone, modelsFolder } from '../../../src/outside/models/added-models.ts';
import { refuseWrites } from '../../helpers/broken-tables.ts';
import { embeddingOf, type FakeEmbedder, startEmbedder } from '../../helpers/embedder.ts';
import { writeTinyModel } from '../../helpers/onnx-model.ts';
import { type ProviderServer, PUBLISHED, startProviderServer } from '../../helpers/providers/server.ts';
import { embedded, type Owner, type OwnModelsDaemon, startOwnModelsDaemon, untilAsked } from './own-models.ts';

let daemon: OwnModelsDaemon;
let server: ProviderServer;
const REFUSED = PUBLISHED.openai.wrongKey;

beforeEach(async () => {
  server = await startProviderServer('openai', { dimensions: 64, models: ['gpt', 'small', 'large'] });
});
afterEach(async () => {
  await daemon.close();
  await server.close();
});

async function ownerWithKey(): Promise<Owner> {
  const owner = await daemon.owner();
  await owner.bring(server);
  return owner;
}

describe("without an operator's embedder", () => {
  beforeEach(async () => {
    daemon = await startOwnModelsDaemon();
  });

  test('an account with its own model searches all its items by meaning, including older ones; other accounts do not', async () => {
    const [ann, bob] = [await ownerWithKey(), await daemon.owner()];
    await ann.add('Her automobile is red');
    await bob.add('His automobile is red');
    await ann.choose(server, 'small');
    expect(await ann.settings()).toMatchObject({ embedding: { state: 'serving', fault: null } });
    await daemon.embed();
    await ann.add('Her kitten is black');
    await daemon.embed();
    expect(await ann.find('fahrzeug')).toContain('Her automobile is red');
    expect((await ann.find('feline', { strategy: 'semantic' }))[0]).toBe('Her kitten is black');
    // Tokens of a query are counted after the response.
    await expect.poll(ann.settings).toMatchObject({
      embedding: { provider: 'openai', model: 'small', state: 'serving', waiting: 0, fault: null },
      today: { embedding: { requests: 4, inputTokens: 4 * 111, outputTokens: 0 } },
    });
    expect(await bob.find('fahrzeug')).toEqual([]);
    expect(await bob.search('fahrzeug', { strategy: 'semantic' })).toMatchObject({ status: 422 });
    expect(embedded(server).flat()).not.toContain('His automobile is red');
  });

  test('a new model is filled beside the serving one, takes over once complete, and the old vectors are erased', async () => {
    const ann = await ownerWithKey();
    await ann.addAll(Array.from({ length: 70 }, (_, index) => ({ content: `Her automobile ${index}` })));
    await ann.choose(server, 'small');
    await daemon.embed();
    server.requests.length = 0;
    server.next('hang', 'hang');
    await ann.choose(server, 'large');
    expect(await ann.settings()).toMatchObject({ embedding: { model: 'large', state: 'filling', waiting: 70 } });
    await daemon.tenantEmbeddings.follow();
    const lengths = () => embedded(server).map(({ length }) => length);
    await expect.poll(() => lengths().toSorted((a, b) => a - b)).toEqual([6, 64]);
    expect(await daemon.models(ann.tenantId)).toEqual([
      { name: 'small', state: 'serving' },
      { name: 'large', state: 'filling' },
    ]);
    expect(await ann.find('fahrzeug')).toHaveLength(10);
    expect(server.requests.at(-1)!.body!.model).toBe('small');
    // Replacing the key aborts the hanging request.
    await ann.bring(server);
    await daemon.tenantEmbeddings.settled();
    daemon.clock.advance(2000);
    await daemon.embed();
    expect(await daemon.models(ann.tenantId)).toEqual([{ name: 'large', state: 'serving' }]);
    expect(await daemon.vectors(ann.tenantId)).toBe(70);
    expect(await ann.find('fahrzeugs')).toHaveLength(10);
    expect(server.requests.at(-1)!.body!.model).toBe('large');
  });

  test('a rejected key fails only semantic searches, is reported, and is not retried until it is replaced', async () => {
    const ann = await ownerWithKey();
    await ann.choose(server, 'small');
    server.next(REFUSED, REFUSED);
    await ann.add('Her automobile is red');
    await daemon.embed();
    expect(await ann.find('red')).toEqual(['Her automobile is red']);
    const asked = server.requests.length;
    const { embedding } = await ann.settings();
    expect(embedding).toMatchObject({
      state: 'failing',
      waiting: 1,
      fault: expect.stringContaining('rejected this key'),
    });
    const answer = await ann.search('fahrzeug', { strategy: 'semantic' });
    expect(answer).toMatchObject({ status: 422, body: { code: 'unprocessable' } });
    expect(answer.text).toMatch(/small of openai.*rejected this key/);
    expect(await ann.search('fahrzeug', { strategy: 'semantic', user: 'nobody' })).toMatchObject({ status: 422 });
    daemon.clock.advance(120_000);
    await daemon.embed();
    expect(await ann.find('automobile')).toEqual(['Her automobile is red']);
    expect(server.requests).toHaveLength(asked);

    await ann.bring(server, 'another-key-of-the-test');
    await daemon.embed();
    expect(await ann.find('fahrzeug')).toEqual(['Her automobile is red']);
    expect(await ann.settings()).toMatchObject({ embedding: { state: 'serving', waiting: 0, fault: null } });
    expect(server.requests.at(-1)!.headers.authorization).toBe('Bearer another-key-of-the-test');
  });

  test('a model that the provider removed is reported and not called again; a rejected query does not affect the next one', async () => {
    const ann = await ownerWithKey();
    await ann.choose(server, 'small');
    await ann.add('Her automobile is red');
    await daemon.embed();
    server.next({ status: 400 });
    expect(await ann.find('red')).toEqual(['Her automobile is red']);
    expect(await ann.find('fahrzeug', { strategy: 'semantic' })).toEqual(['Her automobile is red']);

    server.brain.models = ['gpt'];
    const answer = await ann.search('feline', { strategy: 'semantic' });
    expect(answer.status).toBe(422);
    expect(answer.text).toContain('no such model');
    const asked = server.requests.length;
    expect(await ann.find('red automobile')).toEqual(['Her automobile is red']);
    expect(server.requests).toHaveLength(asked);
    expect(await ann.settings()).toMatchObject({ embedding: { state: 'failing', waiting: 0 } });
  });

  test('a model that its key no longer allows is not called again, and the reason is shown', async () => {
    const ann = await ownerWithKey();
    await ann.add('Her automobile is red');
    await ann.choose(server, 'small');
    await daemon.embed();
    expect(await ann.find('fahrzeug')).toEqual(['Her automobile is red']);
    const narrower = { key: 'key-of-the-test', baseUrl: server.baseUrl, models: ['large'] };
    await ann.call('/v1/provider-keys/openai', { method: 'PUT', body: narrower });
    server.requests.length = 0;
    await ann.add('Her automobile is blue');
    await daemon.embed();
    const semantic = await ann.search('fahrzeugs', { strategy: 'semantic' });
    expect(semantic.status).toBe(422);
    expect(semantic.text).toContain('limited to these models: large');
    expect(await ann.settings()).toMatchObject({
      embedding: { state: 'failing', fault: expect.stringContaining('limited to these models') },
    });
    expect(embedded(server)).toEqual([]);
    await ann.bring(server);
    await daemon.embed();
    expect(await ann.find('fahrzeugs')).toHaveLength(2);
  });

  test('a model whose dimensions changed embeds everything anew once it is taken back and chosen again', async () => {
    const ann = await ownerWithKey();
    await ann.choose(server, 'small');
    await ann.add('Her automobile is red');
    await daemon.embed();
    server.brain.embed = (model, texts) => texts.map((text) => embeddingOf(model, text, 32));
    await ann.add('Her kitten is black');
    await daemon.embed();
    expect(await ann.settings()).toMatchObject({
      embedding: { state: 'failing', fault: expect.stringContaining('32 dimensions') },
    });
    const deleteAgain = await refuseWrites(daemon, { event: 'DELETE', table: 'vectors' });
    await ann.takeBack();
    await ann.choose(server, 'small');
    expect(await daemon.models(ann.tenantId)).toEqual([
      { name: 'small', state: 'retiring' },
      { name: 'small', state: 'serving' },
    ]);
    await daemon.embed();
    expect(await ann.settings()).toMatchObject({ embedding: { state: 'serving', waiting: 0, fault: null } });
    await deleteAgain();
    await daemon.embed();
    expect(await daemon.models(ann.tenantId)).toEqual([{ name: 'small', state: 'serving' }]);
    expect(await daemon.vectors(ann.tenantId)).toBe(2);
    expect(await ann.find('fahrzeug', { strategy: 'semantic', limit: 1 })).toEqual(['Her automobile is red']);
    expect(await ann.find('feline', { strategy: 'semantic', limit: 1 })).toEqual(['Her kitten is black']);
  });

  test('vectors that the disk rejects are not paid for again without a pause', async () => {
    const ann = await ownerWithKey();
    await ann.add('Her automobile is red');
    await ann.choose(server, 'small');
    const refuseNoMore = await refuseWrites(daemon, { event: 'INSERT', table: 'vectors' });
    for (let second = 0; second < 20; second += 1) {
      await daemon.embed();
      daemon.clock.advance(1000);
    }
    expect(embedded(server).length).toBeGreaterThan(1);
    expect(embedded(server).length).toBeLessThan(7);
    await refuseNoMore();
    daemon.clock.advance(60_000);
    await daemon.embed();
    expect(await daemon.vectors(ann.tenantId)).toBe(1);
  });

  test('a successful key check ends the backoff too', async () => {
    const ann = await ownerWithKey();
    await ann.choose(server, 'small');
    server.next(REFUSED);
    await ann.add('Her automobile is red');
    await daemon.embed();
    expect(await daemon.vectors(ann.tenantId)).toBe(0);
    expect((await ann.call('/v1/provider-keys/openai/validate', { method: 'POST' })).status).toBe(200);
    await daemon.embed();
    expect(await daemon.vectors(ann.tenantId)).toBe(1);
  });

  test('removing a key aborts the request in flight and removes the model, its vectors and its jobs', async () => {
    const ann = await ownerWithKey();
    await ann.choose(server, 'small');
    await ann.add('Her automobile is red');
    await daemon.embed();
    server.requests.length = 0;
    server.next('hang');
    await ann.add('Her kitten is black');
    await daemon.tenantEmbeddings.follow();
    await untilAsked(server);
    await ann.removeKey(server);
    await expect.poll(() => server.state.answering).toBe(0);
    const asked = server.requests.length;
    await daemon.tenantEmbeddings.settled();
    daemon.clock.advance(600_000);
    await ann.add('Her dwelling is old');
    await daemon.embed();
    expect(await ann.find('fahrzeug')).toEqual([]);
    expect((await ann.settings()).embedding).toBeNull();
    expect(await daemon.models(ann.tenantId)).toEqual([]);
    const left = 'SELECT number FROM vectors UNION ALL SELECT number FROM unembedded';
    expect(await daemon.db.readers.all(left)).toEqual([]);
    expect(server.requests).toHaveLength(asked);
  });

  test("removing a provider's key stops its model at once, also while another is being filled", async () => {
    const voyage = await startProviderServer('voyage', { dimensions: 64 });
    const ann = await ownerWithKey();
    await ann.add('Her automobile is red');
    await ann.bring(voyage);
    await ann.choose(server, 'small');
    await daemon.embed();
    voyage.requests.length = 0;
    voyage.next('hang');
    await ann.choose(voyage);
    await daemon.tenantEmbeddings.follow();
    await untilAsked(voyage);
    await ann.removeKey(server);
    expect(await ann.settings()).toMatchObject({ embedding: { provider: 'voyage', state: 'serving', waiting: 1 } });
    const asked = server.requests.length;
    await ann.bring(voyage);
    await daemon.tenantEmbeddings.settled();
    daemon.clock.advance(2000);
    await daemon.embed();
    expect(await ann.find('fahrzeug')).toEqual(['Her automobile is red']);
    expect(server.requests).toHaveLength(asked);
    const asDocument = { input_type: 'document', input: ['Her automobile is red'] };
    expect(voyage.requests.map(({ body }) => body)).toMatchObject([
      asDocument,
      { input: ['svc'] },
      asDocument,
      { input_type: 'query', input: ['fahrzeug'] },
    ]);
    await voyage.close();
  });

  test('rejects a provider without embedding models and a model without a key; accepts one that can serve', async () => {
    const claude = await startProviderServer('anthropic');
    const ann = await daemon.owner();
    await ann.bring(claude);
    const choose = (provider: string) =>
      ann.call('/v1/provider-settings', { method: 'PATCH', body: { embedding: { provider, model: 'small' } } });
    expect((await choose('anthropic')).text).toContain('no embedding models');
    expect((await choose('openai')).text).toContain('This account has no key for openai');
    expect(await daemon.models(ann.tenantId)).toEqual([]);
    await ann.bring(server);
    await ann.choose(server, 'small');
    expect(await daemon.models(ann.tenantId)).toHaveLength(1);
    await claude.close();
  });
});

describe("beside an operator's embedder", () => {
  let operator: FakeEmbedder;

  beforeEach(async () => {
    operator = await startEmbedder();
    daemon = await startOwnModelsDaemon({ config: { embeddings: operator.openai() } });
  });
  afterEach(() => operator.close());

  test("the operator's model serves until the account's own is complete, and again as soon as that is reset", async () => {
    const [ann, bob] = [await ownerWithKey(), await daemon.owner()];
    await ann.add('Her automobile is red');
    await bob.add('His automobile is red');
    await daemon.embed();
    const { models } = server.brain;
    server.brain.models = [];
    await ann.choose(server, 'small');
    await daemon.embed();
    expect(await ann.settings()).toMatchObject({ embedding: { state: 'failing', waiting: 1 } });
    expect(await ann.find('fahrzeug')).toEqual(['Her automobile is red']);
    expect(operator.texts().at(-1)).toBe('fahrzeug');
    server.brain.models = models;
    daemon.clock.advance(300_000);
    await daemon.embed();
    expect(await ann.settings()).toMatchObject({ embedding: { state: 'serving' } });
    const asked = operator.asked.length;
    expect(await ann.find('fahrzeugs')).toEqual(['Her automobile is red']);
    expect(operator.asked).toHaveLength(asked);
    expect(await bob.find('fahrzeugs')).toEqual(['His automobile is red']);
    expect(operator.texts().at(-1)).toBe('fahrzeugs');

    await ann.add('Her kitten is black');
    await daemon.embed();
    const own = server.requests.length;
    await ann.takeBack();
    expect(await ann.find('feline')).toEqual(['Her kitten is black']);
    await daemon.embed();
    expect(server.requests).toHaveLength(own);
    expect(await daemon.models(ann.tenantId)).toEqual([]);
    expect(await daemon.vectors(ann.tenantId)).toBe(0);
  });

  test('the account’s own model serves at once, with the vectors it has, when the operator removes theirs', async () => {
    const own = await startOwnModelsDaemon();
    const models = modelsFolder(own.config.dataDir);
    await writeTinyModel(join(models, 'tiny'));
    await chooseModel(models, 'tiny', '2026-11-22T00:00:00Z');
    await own.embed();
    const ann = await own.owner();
    await ann.bring(server);
    await ann.add('Her automobile is red');
    server.next('hang');
    await ann.choose(server, 'small');
    expect(await ann.settings()).toMatchObject({ embedding: { state: 'filling' } });
    await chooseNone(models);
    await expect.poll(ann.settings).toMatchObject({ embedding: { state: 'serving' } });
    await own.close();
  });

  test("a failing model of the account is not replaced by the operator's", async () => {
    const ann = await ownerWithKey();
    await ann.add('Her automobile is red');
    await ann.choose(server, 'small');
    await daemon.embed();
    expect(await ann.settings()).toMatchObject({ embedding: { state: 'serving' } });
    const asked = operator.asked.length;
    daemon.clock.freeze();
    server.next({ status: 503 });
    expect(await ann.find('fahrzeug red')).toEqual(['Her automobile is red']);
    const answer = await ann.search('fahrzeug', { strategy: 'semantic' });
    expect(answer).toMatchObject({ status: 503, body: { code: 'unavailable' } });
    expect(answer.text).toContain('The provider failed (status 503)');
    expect(operator.asked).toHaveLength(asked);
    expect((await daemon.call(undefined, '/metrics')).text).toMatch(/^svc_embedding_failures_total 0$/m);
    daemon.clock.advance(5000);
    expect(await ann.find('fahrzeug')).toEqual(['Her automobile is red']);
  });
});

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { checkIntegrity } from '../../../src/daemon/integrity-check.ts';
import { type ProviderServer, startProviderServer } from '../../helpers/providers/server.ts';
import { embedded, type Owner, type OwnModelsDaemon, startOwnModelsDaemon, untilAsked } from './own-models.ts';

let daemon: OwnModelsDaemon;
let servers: ProviderServer[] = [];

beforeEach(async () => {
  daemon = await startOwnModelsDaemon();
});
afterEach(async () => {
  await daemon.close();
  for (const server of servers) await server.close();
  servers = [];
});

async function serverOf(kind: ProviderServer['kind']): Promise<ProviderServer> {
  const server = await startProviderServer(kind, { dimensions: 64 });
  servers.push(server);
  return server;
}

async function ownerAt(server: ProviderServer, key?: string): Promise<Owner> {
  const owner = await daemon.owner();
  await owner.bring(server, key);
  await owner.choose(server);
  return owner;
}

describe('two tenants with the same model of one provider', () => {
  test("use their own keys and never find each other's items, however near", async () => {
    const server = await serverOf('openai');
    const ann = await ownerAt(server, 'key-of-ann-0001');
    const bob = await ownerAt(server, 'key-of-bob-0002');
    await ann.addAll(Array.from({ length: 12 }, (_, index) => ({ content: `Her automobile number ${index}` })));
    await bob.addAll(Array.from({ length: 100 }, (_, index) => ({ content: `fahrzeug of Bob ${index}` })));
    await daemon.embed();
    for (const strategy of ['default', 'semantic']) {
      const found = await ann.find('fahrzeug', { strategy });
      expect(found).toHaveLength(10);
      expect(found.every((content) => content.startsWith('Her automobile'))).toBe(true);
      expect((await bob.find('automobile', { strategy })).every((content) => content.includes('Bob'))).toBe(true);
    }
    const shown = server.requests.filter(({ body }) => body).map(({ headers, body }) => [headers.authorization, body]);
    const textsOf = (key: string) => JSON.stringify(shown.filter(([authorization]) => authorization === key));
    expect(textsOf('Bearer key-of-ann-0001')).toContain('Her automobile');
    expect(textsOf('Bearer key-of-ann-0001')).not.toContain('Bob');
    expect(textsOf('Bearer key-of-bob-0002')).toContain('fahrzeug of Bob');
    expect(textsOf('Bearer key-of-bob-0002')).not.toContain('Her');
  });

  test('do not share cached queries', async () => {
    const server = await serverOf('openai');
    const [ann, bob] = [await ownerAt(server), await ownerAt(server)];
    for (const one of [ann, bob]) await one.add('An automobile');
    await daemon.embed();
    server.requests.length = 0;
    for (const one of [ann, ann, bob, bob]) expect(await one.find('fahrzeug')).toEqual(['An automobile']);
    expect(embedded(server)).toEqual([['fahrzeug'], ['fahrzeug']]);
  });
});

describe('a tenant whose provider hangs', () => {
  test('does not delay other tenants, however many providers hang', async () => {
    const hanging = await serverOf('voyage');
    const owners = await Promise.all(Array.from({ length: 6 }, () => daemon.owner()));
    for (const one of owners) await one.bring(hanging);
    hanging.requests.length = 0;
    hanging.next(...Array<'hang'>(50).fill('hang'));
    for (const one of owners) {
      await one.choose(hanging);
      await one.add('Her automobile is red');
    }
    await daemon.tenantEmbeddings.follow();
    await untilAsked(hanging);

    const sound = await serverOf('openai');
    const bob = await ownerAt(sound);
    await bob.add('His automobile is red');
    await daemon.tenantEmbeddings.follow();
    await expect.poll(() => daemon.vectors(bob.tenantId)).toBe(1);
    expect(await bob.find('fahrzeug')).toEqual(['His automobile is red']);
    const { body } = await owners[0]!.search('red');
    expect(body.results).toHaveLength(1);
    expect(await daemon.vectors(owners[0]!.tenantId)).toBe(0);
  });
});

describe('a single request', () => {
  test('is limited by texts and tokens, and contains each text once', async () => {
    const server = await serverOf('mistral');
    const ann = await daemon.owner();
    await ann.bring(server);
    await ann.addAll(
      Array.from({ length: 40 }, (_, index) => ({ content: 'the same automobile', user: `user-${index}` })),
    );
    await ann.addAll(Array.from({ length: 9 }, (_, index) => ({ content: `${index} automobile `.repeat(900) })));
    await ann.addAll(Array.from({ length: 50 }, (_, index) => ({ content: `short ${index}` })));
    await ann.choose(server);
    await daemon.embed();
    const asked = embedded(server);
    expect(asked.flat().filter((text) => text === 'the same automobile').length).toBeLessThanOrEqual(2);
    expect(asked.flat().filter((text) => text.startsWith('short'))).toHaveLength(50);
    for (const texts of asked) {
      expect(texts.length).toBeLessThanOrEqual(32);
      expect(texts.join('').length).toBeLessThanOrEqual(32_000);
      expect(new Set(texts).size).toBe(texts.length);
    }
    expect(await daemon.vectors(ann.tenantId)).toBe(99);
    const { today } = await ann.settings();
    expect(today.embedding).toMatchObject({ requests: asked.length, inputTokens: asked.length * 111 });
    expect(await ann.find('fahrzeug', { user: 'user-7' })).toEqual(['the same automobile']);
  });
});

describe('an account with its own model', () => {
  test('leaves nothing behind when erased, and nothing is counted afterwards', async () => {
    const server = await serverOf('openai');
    const [ann, kept] = [await ownerAt(server), await ownerAt(server)];
    await kept.add('His automobile stays');
    await ann.add('Her automobile is red');
    await daemon.embed();
    await ann.add('Her automobile is blue');
    expect(await daemon.traces(ann.tenantId)).toBeGreaterThan(3);
    server.next('hang');
    await daemon.tenantEmbeddings.follow();
    expect((await ann.call('/v1/account', { method: 'DELETE' })).status).toBe(204);
    expect(await daemon.traces(ann.tenantId)).toBe(0);
    await daemon.embed();
    expect(await daemon.traces(ann.tenantId)).toBe(0);
    // The text may have been embedded before the server was told to hang.
    server.reset();
    expect(await kept.find('fahrzeug')).toEqual(['His automobile stays']);
    expect(await checkIntegrity(daemon.config)).toEqual([]);
  });

  test("is covered by the operator's consistency check", async () => {
    const server = await serverOf('openai');
    const [ann, bob] = [await ownerAt(server), await ownerAt(server)];
    await ann.add('Her automobile is red');
    await daemon.embed();
    const { config } = daemon;
    const spoil = (sql: string, values: string[]) =>
      daemon.db.writes.write('daemon', (connection) => connection.run(sql, values));
    expect(await checkIntegrity(config)).toEqual([]);
    const give = 'UPDATE embeddingModels SET tenantId = ? WHERE tenantId = ?';
    await spoil(give, [bob.tenantId, ann.tenantId]);
    expect(await checkIntegrity(config)).toEqual([
      "a vector of memory 1 is of a model that is not its account's",
      'the embedding model 2 serves beside another',
    ]);
    await spoil(give, ['ten_gone', bob.tenantId]);
    expect(await checkIntegrity(config)).toContain('the embedding model 1 is of no account');
  });
});

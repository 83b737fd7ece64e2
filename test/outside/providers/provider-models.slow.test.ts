import { readdir, readFile } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { PROVIDERS, type Provider } from '../../../src/contract/providers.ts';
import type { ProviderModels } from '../../../src/outside/providers/provider-models.ts';
import { embeddingOf } from '../../helpers/embedder.ts';
import { ask, faultOf, modelsFor, SCHEMA } from '../../helpers/providers/models.ts';
import { type ProviderServer, startProviderServer } from '../../helpers/providers/server.ts';

const KEY = 'right-key-0123456789';
const WRITERS = PROVIDERS.filter((provider) => provider !== 'voyage');
const EMBEDDERS = PROVIDERS.filter((provider) => provider !== 'anthropic');

const servers = {} as Record<Provider, ProviderServer>;
let models: ProviderModels;

beforeAll(async () => {
  for (const provider of PROVIDERS) servers[provider] = await startProviderServer(provider, { key: KEY });
  models = modelsFor(Object.values(servers).map(({ allowed }) => allowed));
});
beforeEach(() => {
  for (const server of Object.values(servers)) {
    server.reset();
    server.respond(() => ({ facts: ['lives in Bergen'] }));
  }
});
afterEach(() => {
  vi.unstubAllEnvs();
});
afterAll(async () => {
  await models.close();
  for (const server of Object.values(servers)) await server.close();
});

describe('model names', () => {
  test.each(PROVIDERS)('%s lists them with the right key and rejects a wrong one', async (provider) => {
    const server = servers[provider];
    const names = await models.list(server.access());
    expect(names).toEqual(
      expect.arrayContaining(provider === 'voyage' ? ['voyage-4', 'voyage-4-lite'] : [...server.brain.models]),
    );
    expect(await faultOf(models.list(server.access('wrong-key')))).toMatchObject({ reason: 'refused' });
  });

  test.each(['ollama', 'openai-compatible'] as const)(
    '%s needs no key if its server requires none',
    async (provider) => {
      const open = await startProviderServer(provider);
      const own = modelsFor([open.allowed]);
      const access = { ...open.access(), key: undefined };
      expect(await own.list(access)).toEqual([...open.brain.models]);
      expect(await own.generate(access, ask(open.generating, 'x')).catch((fault) => fault.reason)).toBe('failed');
      expect(open.requests.map(({ headers }) => headers.authorization)).toEqual([undefined, undefined]);
      await own.close();
      await open.close();
    },
  );

  test('of OpenRouter, which are public, are not fetched if the key is rejected', async () => {
    const server = servers.openrouter;
    await faultOf(models.list(server.access('wrong-key')));
    expect(server.requests.map(({ path }) => path)).toEqual(['/api/v1/key']);
    await models.list(server.access());
    expect(server.requests.map(({ path }) => path)).toEqual(['/api/v1/key', '/api/v1/key', '/api/v1/models']);
  });

  test('are limited to five hundred valid names', async () => {
    const many = Array.from({ length: 700 }, (_, index) => ({ id: index === 3 ? 'with space' : `model-${index}` }));
    servers.openai.next({
      body: { data: [null, { id: 5 }, { id: 'half-a-pair-\ud800' }, { id: '\u001b[2J' }, ...many] },
    });
    const names = await models.list(servers.openai.access());
    expect(names).toHaveLength(500);
    expect(names.slice(0, 4)).toEqual(['model-0', 'model-1', 'model-2', 'model-4']);
  });

  test('are not fetched without a required key or address', async () => {
    expect(await faultOf(models.list({ ...servers.openai.access(), key: undefined }))).toMatchObject({
      reason: 'refused',
    });
    const nowhere = { provider: 'openai-compatible', key: KEY, baseUrl: undefined } as const;
    expect(await faultOf(models.list(nowhere))).toMatchObject({ reason: 'address' });
    expect(servers.openai.requests).toEqual([]);
  });
});

describe('vectors', () => {
  test.each(EMBEDDERS)('%s returns unit vectors in the order of the texts and counts tokens', async (provider) => {
    const server = servers[provider];
    const texts = ['car', 'my cat', 'a doctor'];
    const { vectors, tokens } = await models.embed(server.access(), {
      model: server.embedding,
      texts,
      purpose: 'document',
    });
    texts.forEach((text, index) => {
      const expected = embeddingOf(server.embedding, text, 16);
      const length = Math.hypot(...expected);
      expect(Math.hypot(...vectors[index]!)).toBeCloseTo(1, 5);
      expected.forEach((part, place) => {
        expect(vectors[index]![place]).toBeCloseTo(part / length, 5);
      });
    });
    // Google does not report token counts for embeddings.
    expect(tokens).toBe(provider === 'google' ? Math.ceil('carmy cata doctor'.length / 4) : 111);
  });

  test.each([
    ['cohere', 'input_type', { document: 'search_document', query: 'search_query' }],
    ['google', 'taskType', { document: 'RETRIEVAL_DOCUMENT', query: 'RETRIEVAL_QUERY' }],
    ['voyage', 'input_type', { document: 'document', query: 'query' }],
  ] as const)('of %s are told what they are for', async (provider, field, said) => {
    const server = servers[provider];
    for (const purpose of ['document', 'query'] as const) {
      await models.embed(server.access(), { model: server.embedding, texts: ['car'], purpose });
      expect(server.requests.at(-1)!.body).toMatchObject({ [field]: said[purpose] });
    }
  });

  test('of more texts than the provider accepts at once are fetched by several requests, in order', async () => {
    const server = servers.mistral;
    const texts = Array.from({ length: 70 }, (_, index) => `text number ${index}`);
    const request = { model: server.embedding, texts, purpose: 'document' } as const;
    const { vectors, tokens } = await models.embed(server.access(), request);
    expect(server.requests.map(({ body }) => (body!.input as string[]).length)).toEqual([32, 32, 6]);
    expect(tokens).toBe(333);
    const [last] = (await models.embed(server.access(), { ...request, texts: texts.slice(-1) })).vectors;
    expect(vectors).toHaveLength(70);
    expect(vectors[69]).toEqual(last);
  });

  test('anthropic has none, and says so without a request', async () => {
    const request = { model: 'x', texts: ['car'], purpose: 'query' } as const;
    expect(await faultOf(models.embed(servers.anthropic.access(), request))).toMatchObject({ reason: 'input' });
    expect(servers.anthropic.requests).toEqual([]);
  });
});

describe('a generated object', () => {
  test.each(WRITERS)('%s streams it, and its tokens are counted', async (provider) => {
    const server = servers[provider];
    const asked: unknown[] = [];
    server.respond((question) => {
      asked.push(question);
      return { facts: ['æøå 🙂', 'second'] };
    });
    const answer = await models.generate(server.access(), ask(server.generating));
    expect(answer).toEqual({ value: { facts: ['æøå 🙂', 'second'] }, inputTokens: 111, outputTokens: 22 });
    expect(asked).toEqual([
      {
        model: server.generating,
        system: 'Tell facts.',
        prompt: 'I live in Bergen.',
        schema: expect.objectContaining({ type: 'object' }),
        streaming: true,
      },
    ]);
  });

  test.each(WRITERS)('%s is called again, once, without streaming if its server does not stream', async (provider) => {
    const server = servers[provider];
    const own = modelsFor([server.allowed]);
    server.brain.streams = false;
    for (let time = 0; time < 2; time += 1) {
      const answer = await own.generate(server.access(), ask(server.generating));
      expect(answer).toEqual({ value: { facts: ['lives in Bergen'] }, inputTokens: 111, outputTokens: 22 });
    }
    const streaming = server.requests.map(({ body, path }) => body?.stream === true || path.includes(':stream'));
    expect(streaming).toEqual([true, false, false]);
    await own.close();
  });

  test.each(WRITERS)(
    '%s gets the schema in the prompt if the model does not support schemas, and is remembered',
    async (provider) => {
      const server = servers[provider];
      const own = modelsFor([server.allowed]);
      server.brain.knowsSchemas = false;
      const prompts: string[] = [];
      server.respond(({ system }) => {
        prompts.push(system);
        return '```json\n{"facts": ["fenced"]}\n```';
      });
      for (let time = 0; time < 2; time += 1) {
        expect((await own.generate(server.access(), ask(server.generating))).value).toEqual({ facts: ['fenced'] });
      }
      expect(server.requests).toHaveLength(3);
      expect(prompts).toEqual([
        expect.stringContaining(JSON.stringify(SCHEMA)),
        expect.stringContaining('"additionalProperties":false'),
      ]);
      await own.close();
    },
  );

  test.each(WRITERS)(
    '%s that returns something else fails because of the input, with its tokens counted',
    async (provider) => {
      const server = servers[provider];
      for (const wrong of [{ facts: 'none' }, { other: [] }, { facts: [], more: 1 }]) {
        server.respond(() => wrong);
        expect(await faultOf(models.generate(server.access(), ask(server.generating)))).toMatchObject({
          reason: 'failed',
          maybeInput: true,
          spent: { inputTokens: 111, outputTokens: 22 },
        });
      }
    },
  );

  test('a response of blanks between fences is parsed in linear time', async () => {
    const { openai } = servers;
    for (const [before, blanks] of [
      ['```', '\n'.repeat(4000)],
      ['```json\n{}', ' '.repeat(100_000)],
    ] as const) {
      openai.respond(() => `${before}${blanks}x`);
      const fault = await faultOf(models.generate(openai.access(), ask(openai.generating)));
      expect(fault).toMatchObject({ reason: 'failed', maybeInput: true });
    }
  });

  test('implausible token counts are replaced by estimates', async () => {
    const { openai } = servers;
    openai.respond(() => ({ facts: [] }));
    const { inputTokens, outputTokens } = openai.brain;
    for (const wrong of [-1_000_000, 1e300, 1.5, Number.MAX_SAFE_INTEGER]) {
      Object.assign(openai.brain, { inputTokens: wrong, outputTokens: wrong });
      const written = await models.generate(openai.access(), ask(openai.generating));
      const embed = { model: openai.embedding, texts: ['four'], purpose: 'query' } as const;
      const embedded = await models.embed(openai.access(), embed);
      for (const tokens of [written.inputTokens, written.outputTokens, embedded.tokens]) {
        expect(tokens).toBeGreaterThan(0);
        expect(tokens).toBeLessThan(1000);
        expect(Number.isSafeInteger(tokens)).toBe(true);
      }
    }
    Object.assign(openai.brain, { inputTokens, outputTokens });
  });

  test('that is not JSON fails because of the input, and older Anthropic models use a tool', async () => {
    const { openai, anthropic } = servers;
    openai.respond(() => 'I would rather not.');
    expect(await faultOf(models.generate(openai.access(), ask(openai.generating)))).toMatchObject({
      reason: 'failed',
      maybeInput: true,
    });
    const answer = await models.generate(anthropic.access(), ask('claude-3-5-haiku-20241022'));
    expect(answer.value).toEqual({ facts: ['lives in Bergen'] });
    expect(anthropic.requests.at(-1)!.body).toHaveProperty('tools');
  });

  test('voyage has no text models, and says so without a request', async () => {
    expect(await faultOf(models.generate(servers.voyage.access(), ask('x')))).toMatchObject({ reason: 'input' });
    expect(servers.voyage.requests).toEqual([]);
  });

  test('has estimated token counts if the server reports none', async () => {
    const server = servers['openai-compatible'];
    Object.assign(server.brain, { inputTokens: 0, outputTokens: 0 });
    const { inputTokens, outputTokens } = await models.generate(server.access(), ask(server.generating));
    Object.assign(server.brain, { inputTokens: 111, outputTokens: 22 });
    expect(outputTokens).toBe(Math.ceil(JSON.stringify({ facts: ['lives in Bergen'] }).length / 4));
    expect(inputTokens).toBeGreaterThan(30);
  });
});

describe('the packages of the AI SDK', () => {
  test('are loaded by the first call that needs them, not at startup', async () => {
    const folder = new URL('../../../src/outside/providers/', import.meta.url);
    const files = (await readdir(folder)).filter((name) => /^(provider|language)-/.test(name));
    const texts = await Promise.all(files.map((name) => readFile(new URL(name, folder), 'utf8')));
    const all = texts.join('\n');
    expect(all).toContain("import('@ai-sdk/openai')");
    expect(all.match(/^(?:import|export) (?!type).*from '@ai-sdk\/(?!provider')/gm)).toBeNull();
  });
});

describe('keys', () => {
  test("are sent in the provider's header only, never in the URL", async () => {
    for (const provider of PROVIDERS) {
      const server = servers[provider];
      await models.list(server.access());
      if (provider !== 'voyage') await models.generate(server.access(), ask(server.generating));
      if (provider !== 'anthropic')
        await models.embed(server.access(), { model: server.embedding, texts: ['a'], purpose: 'query' });
      for (const { headers, path, query, body } of server.requests) {
        const header = { anthropic: 'x-api-key', google: 'x-goog-api-key' }[provider as string] ?? 'authorization';
        const { [header]: own, ...others } = headers;
        expect(own).toBe(header === 'authorization' ? `Bearer ${KEY}` : KEY);
        expect(JSON.stringify([others, path, [...query], body])).not.toContain(KEY);
      }
    }
  });

  test("of the operator's environment are never used", async () => {
    const planted = 'planted-operator-key';
    const names = [
      'OPENAI',
      'ANTHROPIC',
      'GOOGLE_GENERATIVE_AI',
      'MISTRAL',
      'COHERE',
      'VOYAGE',
      'OPENROUTER',
      'OLLAMA',
    ];
    for (const name of names) {
      vi.stubEnv(`${name}_API_KEY`, planted);
      vi.stubEnv(`${name}_BASE_URL`, 'http://127.0.0.1:9');
    }
    for (const provider of PROVIDERS) {
      const server = servers[provider];
      for (const key of [undefined, '', KEY]) {
        const access = { ...server.access(), key };
        const work = provider === 'voyage' ? models.list(access) : models.generate(access, ask(server.generating));
        if (key === KEY) await work;
        else expect(await faultOf(work)).toMatchObject({ reason: 'refused' });
      }
      expect(JSON.stringify(server.requests)).not.toContain(planted);
    }
  });
});

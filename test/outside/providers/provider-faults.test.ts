import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { PROVIDERS, type Provider } from '../../../src/contract/providers.ts';
import type { ProviderFault, ProviderModels } from '../../../src/outside/providers/provider-models.ts';
import { retryAfterOf } from '../../../src/outside/retry-after.ts';
import { ask, faultOf, modelsFor } from '../../helpers/providers/models.ts';
import { type ProviderServer, PUBLISHED, type Reply, startProviderServer } from '../../helpers/providers/server.ts';

const KEY = 'sk-right-key-0123456789';
const servers = {} as Record<Provider, ProviderServer>;
let models: ProviderModels;

beforeAll(async () => {
  for (const provider of PROVIDERS) {
    servers[provider] = await startProviderServer(provider, { key: KEY, answer: () => ({ facts: [] }) });
  }
  models = modelsFor(Object.values(servers).map(({ allowed }) => allowed));
});
beforeEach(() => {
  for (const server of Object.values(servers)) server.reset();
});
afterAll(async () => {
  await models.close();
  for (const server of Object.values(servers)) await server.close();
});

test.each([
  ['retry-after-ms', '90000', 90_000],
  ['retry-after-ms', '99999999', 3_600_000],
  ['retry-after-ms', 'soon', undefined],
  ['retry-after', '7', 7000],
])('a wait in %s of %s is read in its unit, one hour at most', (name, text, waitMs) => {
  expect(retryAfterOf(new Headers({ [name]: text }), 0)).toBe(waitMs);
});

/** Every call that the provider supports, in the form in which it is made. */
function callsOf(provider: Provider): (() => Promise<unknown>)[] {
  const { access, generating, embedding } = servers[provider];
  return [
    () => models.list(access()),
    ...(provider === 'voyage' ? [] : [() => models.generate(access(), ask(generating))]),
    ...(provider === 'anthropic'
      ? []
      : [() => models.embed(access(), { model: embedding, texts: ['a', 'b'], purpose: 'query' })]),
  ];
}

const HOUR_MS = 3_600_000;
type Case = [Provider, string, Reply, ProviderFault['reason'], number | undefined];
const { openai, anthropic, google, mistral, cohere, voyage, openrouter, ollama } = PUBLISHED;

const CASES: Case[] = [
  ['openai', 'a wrong key', openai.wrongKey, 'refused', undefined],
  ['openai', 'a missing scope', openai.missingScope, 'out_of_scope', undefined],
  ['openai', 'a missing scope as 401', openai.missingScopeAs401, 'out_of_scope', undefined],
  ['openai', 'the limit that is used up', openai.rateLimit, 'rate_limited', 360_500],
  ['openai', 'no credit', openai.noCredit, 'rate_limited', HOUR_MS],
  ['openai', 'an internal error', openai.broken, 'failed', undefined],
  ['openai', 'being overloaded', openai.overloaded, 'failed', 1500],
  ['anthropic', 'a wrong key', anthropic.wrongKey, 'refused', undefined],
  ['anthropic', 'a right that is missing', anthropic.forbidden, 'out_of_scope', undefined],
  ['anthropic', 'its limit, in seconds', anthropic.rateLimit, 'rate_limited', 9000],
  ['anthropic', 'its limit, as an instant', anthropic.rateLimitByReset, 'rate_limited', 60_000],
  ['anthropic', 'being overloaded', anthropic.overloaded, 'failed', 3000],
  ['anthropic', 'no credit', anthropic.noCredit, 'rate_limited', HOUR_MS],
  ['google', 'a wrong key', google.wrongKey, 'refused', undefined],
  ['google', 'a right that is missing', google.forbidden, 'out_of_scope', undefined],
  ['google', 'a country that it does not serve', google.wrongCountry, 'out_of_scope', undefined],
  ['google', 'its limit', google.rateLimit, 'rate_limited', 37_000],
  ['google', 'being overloaded', google.overloaded, 'failed', undefined],
  ['mistral', 'a wrong key', mistral.wrongKey, 'refused', undefined],
  ['mistral', 'its limit', mistral.rateLimit, 'rate_limited', undefined],
  ['cohere', 'a wrong key', cohere.wrongKey, 'refused', undefined],
  ['cohere', 'a blocked key', cohere.blocked, 'refused', undefined],
  ['cohere', 'the limit of a trial key', cohere.trialLimit, 'rate_limited', undefined],
  ['voyage', 'a wrong key', voyage.wrongKey, 'refused', undefined],
  ['voyage', 'its limit', voyage.rateLimit, 'rate_limited', undefined],
  ['openrouter', 'a wrong key', openrouter.wrongKey, 'refused', undefined],
  ['openrouter', 'no credit', openrouter.noCredit, 'rate_limited', HOUR_MS],
  ['openrouter', 'the limit of a key', openrouter.keyLimit, 'rate_limited', HOUR_MS],
  ['openrouter', 'its limit, as an instant', openrouter.rateLimit, 'rate_limited', 90_000],
  ['ollama', 'a wrong key before it', ollama.wrongKey, 'refused', undefined],
  [
    'openai-compatible',
    'a date',
    { status: 429, headers: { 'retry-after': 'Thu, 01 Jan 2026 00:00:05 GMT' } },
    'rate_limited',
    5000,
  ],
  [
    'openai-compatible',
    'a date that is over',
    { status: 503, headers: { 'retry-after': 'Thu, 01 Jan 1970 00:00:05 GMT' } },
    'failed',
    0,
  ],
  ['openai-compatible', 'a month', { status: 429, headers: { 'retry-after': '2592000' } }, 'rate_limited', HOUR_MS],
  ['openai-compatible', 'a timeout of the server', { status: 408 }, 'slow', undefined],
  ['openai-compatible', 'a page for people', { status: 502, body: '<html>Bad Gateway</html>' }, 'failed', undefined],
  ['openai-compatible', 'a page in place of JSON', { body: '<html>Hello</html>' }, 'failed', undefined],
  ['openai-compatible', 'JSON that is not an answer', { body: '{"data":5,"choices":[]}' }, 'failed', undefined],
  ['openai-compatible', 'null', { body: 'null' }, 'failed', undefined],
];

describe('a provider that responds with', () => {
  test.each(CASES)('%s: %s is classified', async (provider, _name, reply, reason, retryAfterMs) => {
    for (const call of callsOf(provider)) {
      // A fallback request follows if a missing capability may be the reason.
      servers[provider].next(reply, reply);
      const fault = await faultOf(call());
      expect(fault).toMatchObject({ reason, retryAfterMs });
      expect(fault.message).toMatch(/[.]$/);
      servers[provider].reset();
      await expect(call()).resolves.toBeDefined();
    }
  });

  test('exhausted credit says so', async () => {
    servers.openai.next(openai.noCredit);
    expect((await faultOf(models.list(servers.openai.access()))).message).toMatch(/quota/);
  });

  test.each<[Provider, Reply]>([
    ['openai', openai.noModel],
    ['openai', openai.tooLong],
    ['google', google.invalid],
    ['mistral', mistral.invalid],
    ['ollama', ollama.noModel],
    ['openrouter', openrouter.flagged],
    ['cohere', { status: 413, body: {} }],
  ])('%s: a rejected input or model is classified; a check blames the address', async (provider, reply) => {
    const [list, ...others] = callsOf(provider);
    for (const call of others) {
      servers[provider].next(reply);
      expect(await faultOf(call())).toMatchObject({ reason: 'input', maybeInput: true });
    }
    servers[provider].next(reply);
    expect(await faultOf(list!())).toMatchObject({ reason: 'failed' });
  });

  test('500 may be caused by the input, 503 is not', async () => {
    const { openai: server } = servers;
    server.next(openai.broken, openai.overloaded);
    expect(await faultOf(models.generate(server.access(), ask(server.generating)))).toMatchObject({ maybeInput: true });
    expect(await faultOf(models.generate(server.access(), ask(server.generating)))).toMatchObject({
      maybeInput: false,
    });
  });

  test('the wording of another fault in the echoed input is not mistaken for that fault', async () => {
    const { mistral: server } = servers;
    const echoed = [
      { type: 'string_type', loc: ['body', 'input'], input: 'API key not valid. insufficient_quota API_KEY_INVALID' },
    ];
    server.next({ status: 400, body: { object: 'error', message: { detail: echoed }, type: 'invalid_request_error' } });
    expect(await faultOf(models.generate(server.access(), ask(server.generating)))).toMatchObject({ reason: 'input' });
  });

  test('an error in the middle of a stream is classified', async () => {
    const started = 'data: {"id":"1","choices":[{"index":0,"delta":{"content":"{"}}]}\n\n';
    const anthropicStart =
      'event: message_start\ndata: {"type":"message_start","message":{"id":"1","type":"message","role":"assistant","content":[],"model":"m","usage":{"input_tokens":1,"output_tokens":1}}}\n\n';
    const overloaded =
      'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}\n\n';
    const block =
      'event: content_block_start\ndata: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}\n\n';
    const cases: [Provider, string[], Partial<ProviderFault>][] = [
      ['openrouter', [started, 'data: {"error":{"code":429,"message":"slow down"}}\n\n'], { reason: 'rate_limited' }],
      [
        'openai',
        [started, 'data: {"error":{"message":"bad","type":"server_error","code":null}}\n\n'],
        { reason: 'failed', maybeInput: true },
      ],
      ['openai', [started], { reason: 'failed' }],
      ['openai', [started, 'data: {"nonsense\n\n'], { reason: 'failed' }],
      ['anthropic', [overloaded], { reason: 'failed', maybeInput: false }],
      ['anthropic', [anthropicStart, block, overloaded], { reason: 'failed', maybeInput: false }],
    ];
    for (const [provider, frames, fault] of cases) {
      const server = servers[provider];
      server.next({ frames });
      expect(await faultOf(models.generate(server.access(), ask(server.generating)))).toMatchObject(fault);
    }
  });
});

describe('the key', () => {
  test('appears in no fault, though providers echo it', async () => {
    const secret = 'sk-secret-planted-42';
    const texts: string[] = [];
    for (const [provider, , reply] of CASES) {
      const server = servers[provider];
      const echoing = {
        ...reply,
        body: `${JSON.stringify(reply.body)} KEY`,
        headers: { ...reply.headers, 'x-echo': secret },
      };
      for (const answer of [{ ...reply, body: reply.body ?? { error: 'KEY' } }, echoing]) {
        server.next(answer, answer);
        const work =
          provider === 'voyage'
            ? models.list(server.access(secret))
            : models.generate(server.access(secret), ask(server.generating, 'planted prompt'));
        const fault = await faultOf(work);
        texts.push(fault.message, fault.stack ?? '', JSON.stringify(fault), String(fault.cause ?? ''));
        server.reset();
      }
    }
    expect(texts.length).toBeGreaterThan(100);
    expect(texts.filter((text) => /secret-planted|planted prompt/.test(text))).toEqual([]);
  });
});

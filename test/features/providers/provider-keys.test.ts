import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { PROVIDERS, type ProviderKey, type ProviderKeys } from '../../../src/contract/providers.ts';
import { type ProviderServer, PUBLISHED } from '../../helpers/providers/server.ts';
import type { Caller, MemoryDaemon } from '../memories/memory-daemon.ts';
import { putKey, startProviderDaemon, startProviderServer } from './provider-daemon.ts';

const KEY = 'sk-test-0123456789abcdef';

let daemon: MemoryDaemon;
let server: ProviderServer;
let caller: Caller;

beforeAll(async () => {
  daemon = await startProviderDaemon();
  server = await startProviderServer('openai', { key: KEY });
  caller = await daemon.account();
});
afterAll(async () => {
  await daemon.close();
  await server.close();
});
afterEach(async () => {
  server.reset();
  for (const { provider } of await list()) await remove(provider);
});

const put = (key = KEY, more = {}) => putKey(caller, server, key, more);
const list = async () => (await caller.call<ProviderKeys>('/v1/provider-keys')).body.data;
const remove = (provider: string) => caller.call(`/v1/provider-keys/${provider}`, { method: 'DELETE' });
const validate = (provider: string) =>
  caller.call<ProviderKey>(`/v1/provider-keys/${provider}/validate`, { method: 'POST' });

describe('a provider key', () => {
  test.each(PROVIDERS)(
    'of %s is checked with the provider, stored, shown by its last four characters, checked again and removed',
    async (kind) => {
      const own = await startProviderServer(kind, { key: KEY });
      const answer = await putKey(caller, own, KEY);
      expect(answer.status, answer.text).toBe(200);
      expect(answer.body).toMatchObject({ provider: kind, last4: 'cdef', status: 'valid', baseUrl: own.baseUrl });
      expect(answer.body.models).not.toEqual([]);
      expect(answer.body.validatedAt).toBe(answer.body.check.at);
      expect(own.requests.length).toBeGreaterThan(0);
      expect(await list()).toEqual([answer.body]);
      expect((await caller.call(`/v1/provider-keys/${kind}`)).body).toEqual(answer.body);
      expect((await validate(kind)).body).toMatchObject({ id: answer.body.id, status: 'valid' });
      expect((await remove(kind)).status).toBe(204);
      expect(await list()).toEqual([]);
      expect((await remove(kind)).status).toBe(404);
      await own.close();
    },
  );

  test('that the provider rejects is not stored, and the previous one stays', async () => {
    const first = await put();
    const wrong = await put('sk-wrong-0000');
    expect(wrong.status).toBe(422);
    expect(wrong.body).toMatchObject({ code: 'unprocessable', outcome: 'refused', errors: [{ path: '/key' }] });
    expect(await list()).toEqual([first.body]);
  });

  test('that lacks permissions is distinguished from an invalid one', async () => {
    server.next(PUBLISHED.openai.missingScope);
    const answer = await put();
    expect([answer.status, answer.body]).toMatchObject([422, { outcome: 'out_of_scope' }]);
    expect(await list()).toEqual([]);
  });

  test.each([
    ['rate_limited', PUBLISHED.openai.rateLimit],
    ['failed', PUBLISHED.openai.broken],
    ['failed', { body: 'no JSON' }],
    ['failed', 'redirect' as const],
    ['failed', 'huge' as const],
    ['unreachable', 'reset' as const],
  ])('is stored as unverified if the check is inconclusive: %s', async (outcome, trouble) => {
    server.next(trouble);
    const answer = await put();
    expect(answer.status, answer.text).toBe(200);
    expect(answer.body).toMatchObject({ status: 'unverified', validatedAt: null, check: { outcome } });
    expect(answer.body.check.message).not.toContain(KEY);
    expect((await validate('openai')).body).toMatchObject({ status: 'valid', check: { outcome: 'ok' } });
  });

  test('of an unreachable provider is stored as unverified', async () => {
    const gone = await startProviderServer('mistral');
    await gone.close();
    const answer = await putKey(caller, gone, KEY);
    expect(answer.body).toMatchObject({ status: 'unverified', check: { outcome: 'unreachable' } });
  });

  test('stays valid while the provider is unreachable, and is refused once it rejects the key', async () => {
    const { body: first } = await put();
    server.next(PUBLISHED.openai.broken);
    const later = await validate('openai');
    expect(later.body).toMatchObject({ status: 'valid', validatedAt: first.validatedAt, check: { outcome: 'failed' } });
    expect(later.body.models).toEqual(first.models);
    server.next(PUBLISHED.openai.wrongKey);
    expect((await validate('openai')).status).toBe(422);
    expect(await list()).toMatchObject([{ status: 'refused', check: { outcome: 'refused' } }]);
  });

  test('replaces the previous one', async () => {
    const { body: first } = await put();
    const { body: second } = await put(KEY, { models: ['gpt-4.1-mini'] });
    expect(second).toMatchObject({ id: first.id, models: ['gpt-4.1-mini'], createdAt: first.createdAt });
    expect(await list()).toEqual([second]);
  });

  test('is optional for self-hosted servers only', async () => {
    const open = await startProviderServer('ollama');
    const body = { baseUrl: open.baseUrl };
    const answer = await caller.call('/v1/provider-keys/ollama', { method: 'PUT', body });
    expect([answer.status, answer.body]).toMatchObject([200, { last4: null, status: 'valid' }]);
    for (const [provider, path] of [
      ['openai', '/key'],
      ['openai-compatible', '/baseUrl'],
    ] as const) {
      const refused = await caller.call(`/v1/provider-keys/${provider}`, { method: 'PUT', body: {} });
      expect([refused.status, refused.body]).toMatchObject([400, { errors: [{ path }] }]);
    }
    await open.close();
  });

  test.each([
    [{ key: '' }, 400],
    [{ key: 'two words' }, 400],
    [{ key: 'line\r\nX-Evil: 1' }, 400],
    [{ key: 'schlüssel-123' }, 400],
    [{ key: 5 }, 400],
    [{ key: KEY, secret: 'x' }, 400],
    [{ key: KEY, models: [] }, 400],
    [{ key: KEY, models: ['a b'] }, 400],
    [{ key: KEY, baseUrl: 'nonsense' }, 422],
    [{ key: KEY, baseUrl: 'ftp://example.com' }, 422],
    [{ key: KEY, baseUrl: 'https://user:password@example.com' }, 422],
    [{ key: KEY, baseUrl: 'https://example.com/v1?x=1' }, 422],
  ])('is rejected as %j', async (body, status) => {
    const answer = await caller.call('/v1/provider-keys/openai', { method: 'PUT', body });
    expect(answer.status, answer.text).toBe(status);
    expect(answer.text).not.toContain('password@');
    expect(await list()).toEqual([]);
  });

  test.each([
    'http://example.com/v1',
    'https://127.0.0.2/v1',
    'https://2130706434/v1',
    'https://localhost/v1',
    'https://[::ffff:10.0.0.1]/v1',
    'https://169.254.169.254/latest',
    'https://[fd00:ec2::254]/v1',
    'https://10.0.0.7:8443/v1',
  ])('is not sent to %s', async (baseUrl) => {
    const answer = await caller.call('/v1/provider-keys/openai', { method: 'PUT', body: { key: KEY, baseUrl } });
    expect(answer.status, answer.text).toBe(422);
    expect(answer.body).toMatchObject({ errors: [{ path: '/baseUrl' }] });
    expect(await list()).toEqual([]);
  });

  test('of an unknown provider is not found', async () => {
    const answer = await caller.call('/v1/provider-keys/acme', { method: 'PUT', body: { key: KEY } });
    expect(answer.status).toBe(404);
    expect(answer.text).toContain('openai-compatible');
  });
});

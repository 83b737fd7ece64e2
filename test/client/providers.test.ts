import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Client, createClient, type Job } from '../../src/client/client.ts';
import { makeTenant } from '../features/limits/tenants.ts';
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.ts';
import { type ProviderServer, startProviderServer } from '../helpers/providers/server.ts';
import { freshAddress } from '../helpers/sign-in.ts';

const KEY = 'sk-test-0123456789abcdefghij';
let openai: ProviderServer;
let daemon: TestDaemon;
let client: Client;
let stranger: Client;

beforeAll(async () => {
  openai = await startProviderServer('openai', { key: KEY });
  daemon = await startTestDaemon({ config: { providerHosts: [openai.allowed] } });
  stranger = await newClient();
});
beforeEach(async () => {
  client = await newClient();
});
afterAll(async () => {
  await Promise.all([daemon.close(), openai.close()]);
});

async function newClient(): Promise<Client> {
  const { apiKey } = await makeTenant(daemon, freshAddress());
  return createClient({ baseUrl: daemon.baseUrl, apiKey, retries: 0 });
}

const key = () => ({ key: KEY, baseUrl: openai.baseUrl });

describe('a provider key, through the client,', () => {
  test('is stored, listed, checked and deleted, and never returned', async () => {
    const put = await client.providerKeys.put('openai', key());
    expect(put).toMatchObject({ provider: 'openai', status: 'valid', last4: KEY.slice(-4) });
    expect(await client.providerKeys.get('openai')).toEqual(put);
    const { data } = await client.providerKeys.list();
    expect(data).toEqual([put]);
    expect(JSON.stringify([put, data])).not.toContain(KEY);
    expect(await client.providerKeys.validate('openai')).toMatchObject({ check: { outcome: 'ok' } });
    expect((await stranger.providerKeys.list()).data).toEqual([]);
    await expect(stranger.providerKeys.delete('openai')).rejects.toMatchObject({ code: 'not_found' });
    await client.providerKeys.delete('openai');
    await expect(client.providerKeys.get('openai')).rejects.toMatchObject({ code: 'not_found' });
  });

  test('is not stored if the provider rejects it', async () => {
    const wrong = { ...key(), key: 'sk-wrong-0123456789' };
    await expect(client.providerKeys.put('openai', wrong)).rejects.toMatchObject({ code: 'unprocessable' });
    expect((await client.providerKeys.list()).data).toEqual([]);
  });

  test('has settings that change one by one', async () => {
    await client.providerKeys.put('openai', key());
    const embedding = { provider: 'openai', model: openai.embedding } as const;
    expect(await client.providerSettings.update({ embedding })).toMatchObject({ embedding });
    const changed = await client.providerSettings.update({ extraction: { onAppend: true, dailyTokens: null } });
    expect(changed).toMatchObject({ embedding, extraction: { onAppend: true, dailyTokens: null } });
    expect(await client.providerSettings.get()).toEqual(changed);
    expect(await stranger.providerSettings.get()).toMatchObject({ embedding: null, extraction: { onAppend: false } });
  });
});

describe('extraction through the client', () => {
  const ended = (jobId: string) => client.jobs.wait(jobId, { intervalMs: 20 });

  test('runs once per idempotency key, and its job shows the decisions', async () => {
    const extracted = { decision: 'add', tags: [], messages: [1], known: '', date: '', reason: 'said so' };
    await client.providerKeys.put('openai', key());
    openai.respond(() => ({ memories: [{ ...extracted, content: 'The user lives in Bergen.' }] }));
    const { id } = await client.conversations.create();
    const { data } = await client.conversations.messages.append(id, [{ role: 'user', content: 'I live in Bergen.' }]);
    const once = { idempotencyKey: 'extract-once' };
    const queued = await client.conversations.extract(id, { dryRun: true }, once);
    const dry = await ended(queued.jobId);
    expect(dry).toMatchObject({ state: 'done', dryRun: true, result: { added: 1 } });
    expect(await client.conversations.extract(id, { dryRun: true }, once)).toEqual(queued);

    const { jobId } = await client.conversations.extract(id);
    const job = await ended(jobId);
    expect(job.result?.decisions).toMatchObject([{ decision: 'add', messageIds: [data[0]!.id] }]);
    expect((await client.memories.list()).data).toMatchObject([{ id: job.result?.decisions[0]?.memoryId }]);
    const all: Job[] = [];
    for await (const one of client.jobs.list({ conversationId: id, limit: 1 })) all.push(one);
    const listed = (one: Job) => ({ ...one, result: { ...one.result, decisions: [] } });
    expect(all).toEqual([listed(job), listed(dry)]);
    await expect(stranger.jobs.get(jobId)).rejects.toMatchObject({ code: 'not_found' });
    await expect(stranger.conversations.extract(id)).rejects.toMatchObject({ code: 'not_found' });
    await client.jobs.delete(jobId);
    expect((await client.jobs.list({ state: 'done' })).data).toEqual([listed(dry)]);
  });
});

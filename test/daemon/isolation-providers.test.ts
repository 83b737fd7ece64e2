import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Job } from '../../src/contract/jobs.ts';
import { converse, extractAndWait, extracted } from '../features/extraction/extraction-daemon.ts';
import type { Caller, MemoryDaemon } from '../features/memories/memory-daemon.ts';
import { putKey, startProviderDaemon, startProviderServer } from '../features/providers/provider-daemon.ts';
import type { ProviderServer } from '../helpers/providers/server.ts';
import { type Owned, PROVIDER_OPERATIONS } from './provider-operations.ts';
import { visible } from './visible-answer.ts';

const KEYS = { owner: 'sk-owner-0123456789', stranger: 'sk-stranger-0123456789' };

let daemon: MemoryDaemon;
let server: ProviderServer;
let owner: Caller;
let stranger: Caller;

beforeAll(async () => {
  daemon = await startProviderDaemon();
  server = await startProviderServer('openai');
  server.respond(() => ({ memories: [extracted('Ada drinks tea.', [1])] }));
});
beforeEach(async () => {
  owner = await daemon.account();
  stranger = await daemon.account();
  await putKey(owner, server, KEYS.owner);
});
afterAll(async () => {
  await daemon.close();
  await server.close();
});

async function extractOnce(caller: Caller): Promise<Owned> {
  const conversation = await converse(caller, ['I drink tea.']);
  return { provider: 'openai', conversation, job: (await extractAndWait(caller, conversation)).id };
}

const NEVER: Owned = { provider: 'openai', job: `job_${'0'.repeat(32)}`, conversation: `conv_${'0'.repeat(32)}` };
const named = (path: string, of: Owned) => [of.job, of.conversation].find((id) => path.includes(id)) ?? of.provider;

test('another tenant’s key, job or conversation is indistinguishable from a missing one; its owner succeeds', async () => {
  const owned = await extractOnce(owner);
  for (const [name, { path, options, succeeds }] of Object.entries(PROVIDER_OPERATIONS)) {
    const foreign = await stranger.call(path(owned), options);
    const missing = await stranger.call(path(NEVER), options);
    expect(foreign.status, name).toBe(404);
    expect(visible(foreign, named(path(owned), owned)), name).toEqual(visible(missing, named(path(NEVER), NEVER)));
    expect((await owner.call(path(owned), options)).status, name).toBe(succeeds);
  }
});

describe('a key', () => {
  test('is used for its tenant only; a tenant without one makes no requests', async () => {
    const before = server.requests.length;
    const alone = await converse(stranger, ['I drink tea.']);
    expect((await stranger.call(`/v1/conversations/${alone}/extract`, { method: 'POST' })).status).toBe(422);
    expect(server.requests).toHaveLength(before);
    await putKey(stranger, server, KEYS.stranger);
    await Promise.all([
      extractAndWait(stranger, alone),
      extractAndWait(owner, await converse(owner, ['I drink green tea.'])),
    ]);
    const requests = server.requests.slice(before).filter(({ path }) => path.endsWith('/chat/completions'));
    expect(requests.map(({ headers }) => headers.authorization).sort()).toEqual(
      [`Bearer ${KEYS.owner}`, `Bearer ${KEYS.stranger}`].sort(),
    );
  });

  test('is not used after it was removed, nor is any other in its place', async () => {
    await putKey(stranger, server, KEYS.stranger);
    await owner.call('/v1/provider-keys/openai', { method: 'DELETE' });
    const before = server.requests.length;
    const conversation = await converse(owner, ['I drink tea.']);
    const answer = await owner.call(`/v1/conversations/${conversation}/extract`, { method: 'POST' });
    expect(answer.status).toBe(422);
    expect(answer.text).toContain('svc provider add');
    expect((await owner.call('/v1/provider-keys/openai/validate', { method: 'POST' })).status).toBe(404);
    expect(server.requests).toHaveLength(before);
  });

  test('and its jobs are listed only to their tenant', async () => {
    await putKey(stranger, server, KEYS.stranger);
    await Promise.all([extractOnce(owner), extractOnce(stranger)]);
    const listed = async (caller: Caller) => (await caller.call<{ data: Job[] }>('/v1/jobs')).body.data;
    const [mine, theirs] = [await listed(owner), await listed(stranger)];
    expect(mine.length).toBeGreaterThan(0);
    expect(theirs.length).toBeGreaterThan(0);
    expect(mine.filter(({ id }) => theirs.some((job) => job.id === id))).toEqual([]);
  });

  test('cannot be chosen by another tenant’s settings', async () => {
    const choice = { provider: 'openai', model: server.generating };
    const change = (caller: Caller) =>
      caller.call('/v1/provider-settings', { method: 'PATCH', body: { extraction: { model: choice } } });
    expect((await change(stranger)).status).toBe(422);
    expect((await change(owner)).status).toBe(200);
  });
});

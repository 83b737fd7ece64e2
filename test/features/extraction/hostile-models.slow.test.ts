import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Message } from '../../../src/contract/conversations.ts';
import type { Job } from '../../../src/contract/jobs.ts';
import type { Memory } from '../../../src/contract/memories.ts';
import { type ProviderServer, startProviderServer } from '../../helpers/providers/server.ts';
import { rowCounts } from '../../helpers/tables.ts';
import type { Caller, MemoryDaemon } from '../memories/memory-daemon.ts';
import { putKey, startProviderDaemon } from '../providers/provider-daemon.ts';
import {
  converse,
  extract,
  extractAndWait,
  extracted,
  KEY,
  newOwner,
  say,
  untilEnded,
  untilJob,
} from './extraction-daemon.ts';

const TEA = 'Ada drinks green tea.';

let daemon: MemoryDaemon;
let server: ProviderServer;
let caller: Caller;

beforeAll(async () => {
  daemon = await startProviderDaemon();
  server = await startProviderServer('openai', { key: KEY });
});
afterAll(async () => {
  await daemon.close();
  await server.close();
});
beforeEach(async () => {
  caller = await newOwner(daemon, server, TEA);
});
afterEach(() => server.reset());

const list = async () => (await caller.call<{ data: Memory[] }>('/v1/memories')).body.data;

describe('the output of a model', () => {
  test("is stored only as far as a client's memory would be accepted", async () => {
    const conversation = await converse(caller, ['I drink green tea and oat milk.']);
    server.respond(() => ({
      memories: [
        extracted('Ada drinks green tea\u0000 with a NUL.', [1]),
        extracted('Ada drinks oat milk \ud800 and half a pair.', [1], { reason: 'half \udfff of \u0000 it' }),
        extracted(TEA, [1]),
      ],
    }));
    const job = await extractAndWait(caller, conversation);
    const stored = await list();
    expect(stored.map(({ content }) => content)).toContain(TEA);
    for (const text of [...stored.map(({ content }) => content), JSON.stringify(job.result)]) {
      expect(text).not.toContain('\0');
      expect(text).not.toContain('\\u0000');
      expect(text.isWellFormed()).toBe(true);
      expect(text).not.toMatch(/\\ud[89a-f]/i);
    }
  });

  test('is limited to a hundred memories per chunk, each of limited length', async () => {
    const conversation = await converse(caller, ['I drink green tea.']);
    const nonsense = Array.from({ length: 120 }, (_, number) => extracted(`Nothing of tea ${number}.`, []));
    const endless = extracted(`Ada drinks green tea. ${'x'.repeat(9000)}`, Array(500).fill(1), {
      reason: 'y'.repeat(9000),
    });
    server.respond(() => ({ memories: [extracted(TEA, [1]), endless, ...nonsense] }));
    const job = await extractAndWait(caller, conversation);
    expect(job).toMatchObject({ state: 'done', result: { added: 1, nothing: 99 } });
    expect(job.result!.decisions[1]!.content).toHaveLength(2000);
    expect(JSON.stringify(job).length).toBeLessThan(40_000);
  });

  test.each([
    ['lacks what a memory can do without', { memories: [{ decision: 'add', content: TEA, messages: [1] }] }],
    ['has null for it', { memories: [{ ...extracted(TEA, [1]), tags: null, known: null, date: null, reason: null }] }],
    ['has more than was asked for', { memories: [{ ...extracted(TEA, [1]), confidence: 0.9 }], notes: 'Done.' }],
    ['is the list alone', [extracted(TEA, [1])]],
  ])('is stored if it %s', async (_, output) => {
    const conversation = await converse(caller, ['I drink green tea.']);
    server.respond(() => JSON.stringify(output));
    expect(await extractAndWait(caller, conversation)).toMatchObject({ state: 'done', result: { added: 1 } });
    expect((await list()).map(({ content }) => content)).toEqual([TEA]);
  });

  test.each([
    ['no text', { memories: [{ ...extracted(TEA, [1]), content: null }] }],
    ['no messages', { memories: [{ ...extracted(TEA, [1]), messages: undefined }] }],
    ['an item that is a text', { memories: [TEA] }],
    ['one memory instead of a list', extracted(TEA, [1])],
  ])('is asked for again if it has %s', async (_, output) => {
    const conversation = await converse(caller, ['I drink green tea.']);
    server.respond(() => JSON.stringify(output));
    const job = await untilJob(caller, await extract(caller, conversation), ({ attempts }) => attempts > 0);
    expect(job).toMatchObject({ state: 'queued', error: { code: 'failed' } });
    expect(await list()).toEqual([]);
    await caller.call(`/v1/jobs/${job.id}`, { method: 'DELETE' });
  });

  test('a list of jobs shows how many decisions there were, and the job shows which', async () => {
    const job = await extractAndWait(caller, await converse(caller, ['I drink green tea.']), undefined);
    const listed = (await caller.call<{ data: Job[] }>('/v1/jobs')).body.data;
    expect(listed).toEqual([{ ...job, result: { ...job.result, decisions: [] } }]);
    expect(job.result).toMatchObject({ added: 1, decisions: [{ content: TEA }] });
  });
});

describe('a key limited to some models', () => {
  test('is not used for others: neither named, nor queued or chosen before', async () => {
    const conversation = await converse(caller, ['I drink green tea.']);
    const other = 'gpt-4.1';
    const path = `/v1/conversations/${conversation}/extract`;
    await caller.call('/v1/provider-settings', { method: 'PATCH', body: { extraction: { dailyTokens: 0 } } });
    const jobId = await extract(caller, conversation, { provider: 'openai', model: other });
    await untilJob(caller, jobId, ({ error }) => error !== null);
    await putKey(caller, server, KEY, { models: [server.generating] });
    const refused = await caller.call(path, { body: { provider: 'openai', model: other, dryRun: true } });
    expect(refused).toMatchObject({ status: 422 });
    expect(refused.text).toContain(`limited to these models: ${server.generating}`);
    server.requests.length = 0;
    await caller.call('/v1/provider-settings', { method: 'PATCH', body: { extraction: { dailyTokens: null } } });
    daemon.clock.advance(86_400_000);
    await daemon.jobRunner.follow();
    expect(await untilEnded(caller, jobId)).toMatchObject({ state: 'failed', error: { code: 'unprocessable' } });
    expect(server.requests).toEqual([]);
    expect((await extractAndWait(caller, conversation)).result).toMatchObject({ added: 1 });
  });
});

describe('while the model is running', () => {
  let answerNow: () => void;
  beforeEach(() => {
    const asked = new Promise<undefined>((resolve) => {
      answerNow = () => resolve(undefined);
    });
    server.state.troubleFor = () => asked;
  });

  /** The tables that name an account, once none of its jobs is running. */
  const traces = async (tenantId: string) => Object.keys(await rowCounts(daemon.db.readers, { tenantId }));

  async function asking(conversation: string): Promise<string> {
    const jobId = await extract(caller, conversation);
    await expect.poll(() => server.requests.length).toBe(1);
    return jobId;
  }

  test('erasing the account leaves no trace of it', async () => {
    await asking(await converse(caller, ['I drink green tea.']));
    expect(await traces(caller.tenantId)).toContain('jobs');
    expect((await caller.call('/v1/account', { method: 'DELETE' })).status).toBe(204);
    answerNow();
    await daemon.jobRunner.follow();
    await daemon.extraction.follow();
    await expect.poll(() => server.state.answering).toBe(0);
    expect(await traces(caller.tenantId)).toEqual([]);
  });

  test('erasing the conversation prevents its memories from being stored', async () => {
    const conversation = await converse(caller, ['I drink green tea.']);
    const jobId = await asking(conversation);
    expect((await caller.call(`/v1/conversations/${conversation}`, { method: 'DELETE' })).status).toBe(204);
    answerNow();
    await expect.poll(() => server.state.answering).toBe(0);
    expect((await caller.call(`/v1/jobs/${jobId}`)).status).toBe(404);
    server.state.troubleFor = () => Promise.resolve(undefined);
    expect((await extractAndWait(caller, await converse(caller, ['Green tea, I said.']))).state).toBe('done');
    expect(await list()).toHaveLength(1);
  });

  test('erasing a message discards the output based on it, and the rest is read again', async () => {
    const conversation = await converse(caller, ['My sister has a red bicycle.', 'I drink green tea.']);
    const path = `/v1/conversations/${conversation}/messages`;
    const { data } = (await caller.call<{ data: Message[] }>(`${path}?order=oldest`)).body;
    const [first, second] = data as [Message, Message];
    server.respond(({ prompt }) => ({
      memories: prompt.includes('bicycle')
        ? [extracted('The sister of Ada has a red bicycle.', [1]), extracted('Ada drinks tea on a bicycle.', [2])]
        : [extracted(TEA, [1])],
    }));
    const jobId = await asking(conversation);
    expect((await caller.call(`${path}/${first.id}`, { method: 'DELETE' })).status).toBe(204);
    answerNow();
    const job = await untilEnded(caller, jobId);
    expect(job).toMatchObject({ state: 'done', attempts: 0, result: { added: 1, nothing: 0 }, used: { requests: 2 } });
    expect(JSON.stringify(job)).not.toMatch(/bicycle/);
    expect(await list()).toMatchObject([{ content: TEA, source: { messageId: second.id } }]);
  });

  test('appended messages are read too, without paying twice for the earlier ones', async () => {
    const conversation = await converse(caller, ['I drink green tea.']);
    const jobId = await asking(conversation);
    await say(caller, conversation, ['My cat is called Pixel.']);
    expect(await extract(caller, conversation)).toBe(jobId);
    answerNow();
    expect(await untilEnded(caller, jobId)).toMatchObject({ progress: { done: 2, total: 2 }, used: { requests: 2 } });
    expect(server.requests).toHaveLength(2);
    expect(JSON.stringify(server.requests[1]!.body)).toContain('Earlier messages');
  });

  test('erasing a memory that the model was shown discards the output based on it', async () => {
    const known = await caller.add('Ada drinks black tea.');
    server.respond(({ prompt }) => ({
      memories: [
        prompt.includes('black tea.')
          ? extracted('Ada drinks black tea and green tea.', [1], { decision: 'update', known: 'm1' })
          : extracted(TEA, [1]),
      ],
    }));
    const jobId = await asking(await converse(caller, ['I drink green tea.']));
    expect((await caller.call(`/v1/memories/${known.id}`, { method: 'DELETE' })).status).toBe(204);
    answerNow();
    expect(await untilEnded(caller, jobId)).toMatchObject({ state: 'done', result: { added: 1, updated: 0 } });
    expect((await list()).map(({ content }) => content)).toEqual([TEA]);
  });
});

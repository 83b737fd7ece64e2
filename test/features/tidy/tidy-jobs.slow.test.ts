import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Job, JobAccepted } from '../../../src/contract/jobs.ts';
import type { Suggestion } from '../../../src/contract/suggestions.ts';
import type { ModelProposal } from '../../../src/features/tidy/model-output.ts';
import type { AskedModel, ProviderServer } from '../../helpers/providers/server.ts';
import { KEY, untilEnded, untilJob } from '../extraction/extraction-daemon.ts';
import type { Caller, MemoryDaemon } from '../memories/memory-daemon.ts';
import { putKey, startProviderDaemon, startProviderServer } from '../providers/provider-daemon.ts';

const TEA = 'Ada likes tea';
const MORE_TEA = 'Ada likes tea a lot';
const DAY_MS = 86_400_000;

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
  daemon.clock.advance(61_000);
  caller = await daemon.account();
  await putKey(caller, server, KEY);
  server.requests.length = 0;
  server.respond((asked) => ({ suggestions: [merge(asked)] }));
});
afterEach(() => server.reset());

/** The label of a memory in the prompt. */
function labelOf({ prompt }: AskedModel, content: string): string {
  const label = new RegExp(String.raw`\[(m\d+)\] \([^)]*\) ${content}$`, 'm').exec(prompt)?.[1];
  if (label === undefined) throw new Error(`${content} is not in:\n${prompt}`);
  return label;
}

function merge(asked: AskedModel, more: Partial<ModelProposal> = {}): ModelProposal {
  const memories = [labelOf(asked, TEA), labelOf(asked, MORE_TEA)];
  const evidence = [
    { memory: memories[0]!, text: TEA },
    { memory: memories[1]!, text: 'tea a lot' },
  ];
  return { kind: 'merge', memories, content: MORE_TEA, date: '', evidence, reason: 'Same', confidence: 0.9, ...more };
}

async function request(body?: object): Promise<string> {
  const answer = await caller.call<JobAccepted>('/v1/tidy', body === undefined ? { method: 'POST' } : { body });
  expect(answer.status, answer.text).toBe(202);
  expect(answer.headers.get('location')).toBe(`/v1/jobs/${answer.body.jobId}`);
  return answer.body.jobId;
}

const tidy = async (body?: object): Promise<Job> => untilEnded(caller, await request(body));
const suggestions = async (query = '?state=open') =>
  (await caller.call<{ data: Suggestion[] }>(`/v1/suggestions${query}`)).body.data;
const teas = (more = {}) =>
  caller.addAll([
    { content: TEA, ...more },
    { content: MORE_TEA, ...more },
  ]);
const settings = (body: object) => caller.call('/v1/provider-settings', { method: 'PATCH', body });

describe('a tidy job', () => {
  test('stores what the model suggests, which changes nothing', async () => {
    const [older, newer] = await teas();
    const job = await tidy();
    expect(job).toMatchObject({
      ...{ kind: 'tidy', state: 'done', conversationId: null, user: 'default', project: null, provider: 'openai' },
      ...{ progress: { done: 2, total: 2 }, result: null, tidied: { suggested: 1, known: 0, refused: 0 } },
      used: { requests: 1, inputTokens: 111, outputTokens: 22 },
    });
    expect(await suggestions()).toMatchObject([
      {
        ...{ kind: 'merge', memoryIds: [older!.id, newer!.id], content: MORE_TEA, by: 'provider', state: 'open' },
        ...{ byName: server.generating, confidence: 0.9 },
      },
    ]);
    expect((await caller.list()).length).toBe(2);
    const listed = (await caller.call<{ data: Job[] }>('/v1/jobs')).body.data;
    expect(listed[0]).toEqual(job);
  });

  test('goes through all portions, and asks nothing about memories without neighbors', async () => {
    await teas();
    await caller.addAll(Array.from({ length: 40 }, (_, index) => ({ content: `Subject${index} zebra${index * 7}` })));
    const job = await tidy();
    expect(job).toMatchObject({ state: 'done', progress: { done: 42, total: 42 }, used: { requests: 1 } });
  });

  test('drops what cites nothing, quotes wrongly, or says what no memory says', async () => {
    await teas();
    server.respond((asked) => ({
      suggestions: [
        merge(asked, { memories: ['m77', 'm1'] }),
        merge(asked, { evidence: [] }),
        merge(asked, { evidence: [{ memory: 'm1', text: 'Ada hates tea' }] }),
        merge(asked, { content: 'Ada likes 4 teas' }),
        merge(asked, { content: 'Ada and Boris like tea' }),
        merge(asked, { memories: ['m1'] }),
        merge(asked),
      ],
    }));
    expect((await tidy()).tidied).toEqual({ suggested: 1, known: 0, refused: 6 });
  });

  test('drops what the model says of a memory that was corrected meanwhile, and asks again', async () => {
    const [, newer] = await teas();
    server.respond((asked) => {
      if (!asked.prompt.includes(MORE_TEA)) return { suggestions: [] };
      return { suggestions: [merge(asked, { evidence: [{ memory: labelOf(asked, TEA), text: TEA }] })] };
    });
    server.state.troubleFor = async () => {
      if (server.requests.length === 1)
        await caller.change(newer!.id, { content: 'Ada likes tea, but green tea alone' });
      return undefined;
    };
    expect(await tidy()).toMatchObject({ state: 'done', tidied: { suggested: 0, refused: 0 }, used: { requests: 2 } });
    expect(await suggestions()).toEqual([]);
  });

  test('stores a suggestion that lacks a date, has null for its reason, or more than was asked for', async () => {
    await teas();
    server.respond((asked) => ({
      suggestions: [{ ...merge(asked), date: undefined, reason: null, priority: 1 }],
      notes: 'Done.',
    }));
    expect((await tidy()).tidied).toEqual({ suggested: 1, known: 0, refused: 0 });
    expect(await suggestions()).toMatchObject([{ kind: 'merge', reason: 'A model suggested it.' }]);
  });

  test('never suggests again what a person rejected', async () => {
    await teas();
    await tidy();
    const [{ id }] = (await suggestions()) as [Suggestion];
    await caller.call(`/v1/suggestions/${id}/reject`, { method: 'POST' });
    expect((await tidy()).tidied).toEqual({ suggested: 0, known: 1, refused: 0 });
    expect(await suggestions()).toEqual([]);
  });

  test('shows the model the memories of one user, and what is suggested already', async () => {
    await teas();
    await caller.add('Ada likes tea, says Boris', { user: 'boris' });
    await tidy();
    await tidy();
    const prompts = server.requests.map(({ body }) => JSON.stringify(body));
    expect(prompts.join()).not.toContain('says Boris');
    expect(prompts.at(-1)).toContain('Suggested already');
  });

  test('is the only open one of its user and project; asking again answers it', async () => {
    await teas({ user: 'ada' });
    await settings({ extraction: { dailyTokens: 0 } });
    const first = await request({ user: 'ada' });
    expect(await request({ user: 'ada' })).toBe(first);
    expect(await request({ user: 'ada', project: 'x' })).not.toBe(first);
  });

  test('waits while the cap is reached, and goes on when it is raised', async () => {
    await teas();
    await settings({ extraction: { dailyTokens: 0 } });
    const id = await request();
    const waiting = await untilJob(caller, id, ({ error }) => error !== null);
    expect(waiting).toMatchObject({ state: 'queued', error: { code: 'quota_exceeded' }, used: { requests: 0 } });
    expect(server.requests).toEqual([]);
    await settings({ extraction: { dailyTokens: null } });
    await daemon.jobRunner.follow();
    expect((await untilEnded(caller, id)).tidied?.suggested).toBe(1);
  });

  test('can be cancelled, and has no effect afterwards', async () => {
    await teas();
    await settings({ extraction: { dailyTokens: 0 } });
    const id = await request();
    await untilJob(caller, id, ({ error }) => error !== null);
    expect((await caller.call(`/v1/jobs/${id}`, { method: 'DELETE' })).status).toBe(204);
    expect((await untilEnded(caller, id)).state).toBe('cancelled');
    expect(await suggestions()).toEqual([]);
  });

  test('counts the tokens of unusable output and tries again', async () => {
    await teas();
    server.respond(() => ({ nothing: true }));
    const id = await request();
    const failed = await untilJob(caller, id, ({ error }) => error !== null);
    expect(failed).toMatchObject({ state: 'queued', attempts: 1, used: { requests: 1 } });
    server.respond((asked) => ({ suggestions: [merge(asked)] }));
    daemon.clock.advance(10_000);
    await daemon.jobRunner.follow();
    expect(await untilEnded(caller, id)).toMatchObject({ state: 'done', tidied: { suggested: 1 } });
  });

  test('goes on after the last stored portion when a later one fails', async () => {
    await teas();
    await caller.addAll(
      Array.from({ length: 30 }, (_, index) => ({ content: `The zebra of paddock ${index % 15} grazes` })),
    );
    const asked: string[] = [];
    server.respond(({ prompt }) => {
      asked.push(prompt);
      return asked.length === 2 ? 'nonsense' : { suggestions: [] };
    });
    const id = await request();
    const failed = await untilJob(caller, id, ({ error }) => error !== null);
    expect(failed).toMatchObject({ state: 'queued', progress: { done: 16, total: 17 } });
    daemon.clock.advance(10_000);
    await daemon.jobRunner.follow();
    expect(await untilEnded(caller, id)).toMatchObject({ state: 'done', progress: { done: 17, total: 17 } });
    expect(asked.filter((prompt) => prompt.includes(MORE_TEA))).toHaveLength(1);
  });

  test('requires a key', async () => {
    caller = await daemon.account();
    expect(await caller.call('/v1/tidy', { method: 'POST' })).toMatchObject({ status: 422 });
  });

  test('is answered to nobody else, and is gone with its user', async () => {
    await teas({ user: 'ada' });
    const { id } = await tidy({ user: 'ada' });
    const stranger = await daemon.account();
    expect((await stranger.call(`/v1/jobs/${id}`)).status).toBe(404);
    expect((await caller.call('/v1/users/ada', { method: 'DELETE' })).status).toBe(204);
    expect((await caller.call(`/v1/jobs/${id}`)).status).toBe(404);
  });
});

describe('by schedule', () => {
  const jobs = async () => (await caller.call<{ data: Job[] }>('/v1/jobs')).body.data;
  const followed = async () => {
    await daemon.tidyJobs.follow();
    for (const { id } of await jobs()) await untilEnded(caller, id);
    return (await jobs()).length;
  };

  test('is off at first', async () => {
    await teas();
    expect((await caller.call('/v1/provider-settings')).body).toMatchObject({ tidySchedule: 'off' });
    expect(await followed()).toBe(0);
  });

  test('asks about users whose memories changed, once in a period', async () => {
    await teas();
    await settings({ tidySchedule: 'daily' });
    expect(await followed()).toBe(1);
    expect(await suggestions()).toHaveLength(1);
    await caller.add('Ada likes tea most of all');
    await caller.add('Zucchini soup');
    expect(await followed()).toBe(1);
    daemon.clock.advance(DAY_MS);
    expect(await followed()).toBe(2);
    // Only what changed is read, beside what is like it.
    expect((await jobs())[0]).toMatchObject({ progress: { done: 2, total: 2 }, used: { requests: 1 } });
    expect(JSON.stringify(server.requests.at(-1)!.body)).toContain(MORE_TEA);
    daemon.clock.advance(DAY_MS);
    // Nothing changed since.
    expect(await followed()).toBe(2);
    await caller.add('Ada drinks tea at noon');
    await settings({ tidySchedule: 'weekly' });
    daemon.clock.advance(DAY_MS);
    expect(await followed()).toBe(2);
    daemon.clock.advance(6 * DAY_MS);
    expect(await followed()).toBe(3);
  });

  test('costs nothing without a key, and waits for the next period', async () => {
    caller = await daemon.account();
    await teas();
    await settings({ tidySchedule: 'daily' });
    expect(await followed()).toBe(0);
    expect(server.requests).toEqual([]);
  });
});

import { expect } from 'vitest';
import type { Conversation } from '../../../src/contract/conversations.ts';
import type { Job, JobAccepted } from '../../../src/contract/jobs.ts';
import type { Extracted } from '../../../src/features/extraction/prompt.ts';
import type { AskedModel, ProviderServer } from '../../helpers/providers/server.ts';
import type { Caller, MemoryDaemon } from '../memories/memory-daemon.ts';
import { putKey } from '../providers/provider-daemon.ts';

/** The key that the servers of these suites accept. */
export const KEY = 'sk-test-0123456789abcdef';

/**
 * Creates an account with that key, whose model extracts one memory from the first message. Each call is a minute after
 * the last.
 */
export async function newOwner(daemon: MemoryDaemon, server: ProviderServer, content: string): Promise<Caller> {
  daemon.clock.advance(61_000);
  const caller = await daemon.account();
  await putKey(caller, server, KEY);
  server.requests.length = 0;
  server.respond(() => ({ memories: [extracted(content, [1])] }));
  return caller;
}

type Said = { role?: string; name?: string; content: string; createdAt?: string };

/** Creates a conversation with these messages; a string is a user message. */
export async function converse(caller: Caller, said: readonly (string | Said)[], user?: string): Promise<string> {
  const body = user === undefined ? {} : { user };
  const { id } = (await caller.call<Conversation>('/v1/conversations', { body })).body;
  await say(caller, id, said);
  return id;
}

/** Appends to a conversation; returns the ids of the messages. */
export async function say(caller: Caller, id: string, said: readonly (string | Said)[]): Promise<string[]> {
  const messages = said.map((one) => ({ role: 'user', ...(typeof one === 'string' ? { content: one } : one) }));
  const answer = await caller.call<{ data: { id: string }[] }>(`/v1/conversations/${id}/messages`, {
    body: { messages },
  });
  expect(answer.status, answer.text).toBe(201);
  return answer.body.data.map((message) => message.id);
}

/** Requests an extraction and returns the job's id. */
export async function extract(caller: Caller, id: string, body?: object): Promise<string> {
  const path = `/v1/conversations/${id}/extract`;
  const answer = await caller.call<JobAccepted>(path, body === undefined ? { method: 'POST' } : { body });
  expect(answer.status, answer.text).toBe(202);
  expect(answer.headers.get('location')).toBe(`/v1/jobs/${answer.body.jobId}`);
  return answer.body.jobId;
}

export async function jobOf(caller: Caller, jobId: string): Promise<Job> {
  const answer = await caller.call<Job>(`/v1/jobs/${jobId}`);
  expect(answer.status, answer.text).toBe(200);
  return answer.body;
}

/** Resolves with the job once `isThere` accepts it. */
export async function untilJob(caller: Caller, jobId: string, isThere: (job: Job) => boolean): Promise<Job> {
  for (let tries = 0; tries < 500; tries += 1) {
    const job = await jobOf(caller, jobId);
    if (isThere(job)) return job;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`The job is ${JSON.stringify(await jobOf(caller, jobId))}.`);
}

export const untilEnded = (caller: Caller, jobId: string) =>
  untilJob(caller, jobId, ({ finishedAt }) => finishedAt !== null);

/** Requests an extraction and waits for the job to end. */
export async function extractAndWait(caller: Caller, id: string, body?: object): Promise<Job> {
  return untilEnded(caller, await extract(caller, id, body));
}

/** A memory as the model returns it. */
export function extracted(content: string, messages: number[], more: Partial<Extracted> = {}): Extracted {
  return { decision: 'add', content, tags: [], messages, known: '', date: '', reason: 'said so', ...more };
}

/** The label of a known memory in the prompt; throws if it is not there. */
export function labelOf({ prompt }: AskedModel, content: string): string {
  const line = prompt.split('\n').find((one) => /^\[m\d+\]/.test(one) && one.includes(content));
  if (line === undefined) throw new Error(`${content} is not known in:\n${prompt}`);
  return /^\[(m\d+)\]/.exec(line)![1]!;
}

/** The number of a message in the prompt; throws if it is not there. */
export function numberOf({ prompt }: AskedModel, content: string): number {
  const line = prompt.split('\n').find((one) => /^\[\d+\]/.test(one) && one.includes(content));
  if (line === undefined) throw new Error(`Nobody says ${content} in:\n${prompt}`);
  return Number(/^\[(\d+)\]/.exec(line)![1]);
}

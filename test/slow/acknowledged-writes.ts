import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { expect } from 'vitest';
import { callAt } from '../helpers/process.ts';

/** What a writer was told is stored. */
interface Written {
  apiKey: string;
  path: string;
  content: string;
}

/** What writers have done so far. */
export interface Load {
  written: Written[];
  refused: number;
  stopping: boolean;
}

/** Repeats a write under one idempotency key until it is acknowledged; what a dead server answered does not count. */
async function writeOnce(load: Load, url: () => string, apiKey: string, path: string, body: object, key: string) {
  while (true) {
    const headers = { 'idempotency-key': key };
    const answer = await callAt(url(), apiKey, path, { body, headers }).catch(() => undefined);
    if (answer?.status === 201) return answer.body;
    if (answer !== undefined) {
      expect(answer.status, JSON.stringify(answer.body)).toBe(503);
      expect(answer.headers.has('retry-after')).toBe(true);
    }
    load.refused += 1;
    await sleep(100);
  }
}

/** Writes memories, and conversations with messages, until the load stops. */
export async function writeAll(load: Load, url: () => string, apiKey: string, name: string): Promise<void> {
  for (let count = 0; !load.stopping; count += 1) {
    const content = `what ${name} remembers as number ${count}`;
    const memory = await writeOnce(load, url, apiKey, '/v1/memories', { content }, `${name}-m-${count}`);
    load.written.push({ apiKey, path: `/v1/memories/${memory.id}`, content });
    if (count % 4 > 0) continue;
    const { id } = await writeOnce(load, url, apiKey, '/v1/conversations', { title: name }, `${name}-c-${count}`);
    const messages = { messages: [{ role: 'user', content: `said: ${content}` }] };
    const path = `/v1/conversations/${id}/messages`;
    const { data } = await writeOnce(load, url, apiKey, path, messages, `${name}-a-${count}`);
    const [message] = data as { id: string }[];
    load.written.push({ apiKey, path: `${path}/${message!.id}`, content: `said: ${content}` });
  }
}

export async function untilWritten(load: Load, count: number): Promise<void> {
  const goal = load.written.length + count;
  for (const deadline = performance.now() + 60_000; load.written.length < goal; await sleep(5)) {
    if (performance.now() > deadline) throw new Error(`only ${load.written.length} of ${goal} writes in a minute`);
  }
}

async function countRows(databaseUrl: string): Promise<unknown> {
  const client = new pg.Client(databaseUrl);
  await client.connect();
  try {
    await client.query(`SET svc.tenants = '*'`);
    const counts = `SELECT (SELECT COUNT(*) FROM memories)::int AS memories, (SELECT COUNT(*) FROM messages)::int AS messages`;
    return (await client.query(counts)).rows[0];
  } finally {
    await client.end();
  }
}

/** Fails unless everything acknowledged is stored, and stored once. */
export async function expectStored(load: Load, url: string, databaseUrl: string): Promise<void> {
  for (const { apiKey, path, content } of load.written) {
    const { status, body } = await callAt(url, apiKey, path);
    expect({ status, content: body.content }).toEqual({ status: 200, content });
  }
  const isMemory = ({ path }: Written) => path.startsWith('/v1/memories/');
  expect(await countRows(databaseUrl)).toEqual({
    memories: load.written.filter(isMemory).length,
    messages: load.written.filter((one) => !isMemory(one)).length,
  });
}

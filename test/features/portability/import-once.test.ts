import { request } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { ImportReport } from '../../../src/contract/portability.ts';
import { type Caller, type MemoryDaemon, startMemoryDaemon } from '../memories/memory-daemon.ts';
import { newAccount, portable } from './portable-account.ts';

let daemon: MemoryDaemon;
let caller: Caller;

beforeAll(async () => {
  daemon = await startMemoryDaemon();
});
afterAll(() => daemon.close());
beforeEach(async () => {
  caller = await newAccount(daemon);
});

const TEA = '{"content":"Ada drinks tea"}\n';
const COFFEE = '{"content":"Ada drinks coffee"}\n';
/** Enough for a first batch to be stored while the rest is awaited. */
const LONG = Array.from({ length: 600 }, (_, index) => `{"content":"Memory ${index}"}\n`).join('');

function send(body: string, key: string, query = '', by = caller) {
  const headers = { 'content-type': 'application/x-ndjson', 'idempotency-key': key };
  return by.call<ImportReport & { code: string }>(`/v1/import${query}`, { method: 'POST', body, headers });
}

/** Starts an import and leaves its body open; resolves once it runs. */
async function startImport(key?: string): Promise<{ finish(): Promise<number> }> {
  const headers = {
    authorization: `Bearer ${caller.apiKey}`,
    'content-type': 'application/x-ndjson',
    ...(key !== undefined && { 'idempotency-key': key }),
  };
  const sent = request(`${daemon.baseUrl}/v1/import`, { method: 'POST', headers });
  const status = new Promise<number>((resolve, reject) => {
    sent.once('response', (response) => resolve(response.resume().statusCode!)).once('error', reject);
  });
  sent.write(LONG);
  await expect.poll(async () => (await caller.list()).length).toBeGreaterThan(0);
  return {
    finish() {
      sent.end();
      return status;
    },
  };
}

describe('an import repeated with its Idempotency-Key', () => {
  test('gets the first report again and imports nothing', async () => {
    const first = await send(TEA, 'a');
    expect([first.status, first.body.added.memories]).toEqual([200, 1]);
    expect(first.headers.get('idempotency-replayed')).toBeNull();
    const replay = await send(TEA, 'a');
    expect([replay.status, replay.headers.get('idempotency-replayed')]).toEqual([200, 'true']);
    expect(replay.body).toEqual(first.body);
    const without = await portable(caller).send(TEA);
    expect(without.body).toMatchObject({ added: { memories: 0 }, known: { memories: 1 } });
  });

  test.each([
    ['another body', TEA + COFFEE, ''],
    ['a body that differs in its last byte', TEA.replace(/\n$/, ' '), ''],
    ['an empty body', '', ''],
    ['another user', TEA, '?user=ada'],
    ['another format', TEA, '?format=mem0'],
  ])('is 422 with %s, and imports nothing', async (_, body, query) => {
    await send(TEA, 'a');
    const before = await caller.list();
    const other = await send(body, 'a', query);
    expect([other.status, other.body.code]).toEqual([422, 'unprocessable']);
    expect(await caller.list()).toEqual(before);
    expect((await send(TEA, 'a')).headers.get('idempotency-replayed')).toBe('true');
  });

  test('is compared by every byte of a large body', async () => {
    const large = Array.from({ length: 300 }, (_, index) =>
      JSON.stringify({ content: `${index} ${'x'.repeat(5000)}` }),
    );
    const body = large.join('\n');
    expect((await send(body, 'large')).body.added.memories).toBe(300);
    expect((await send(body, 'large')).body.added.memories).toBe(300);
    expect((await send(`${body} `, 'large')).status).toBe(422);
  });

  test('is imported in each account', async () => {
    const other = await newAccount(daemon);
    expect((await send(TEA, 'a')).body.added.memories).toBe(1);
    const theirs = await send(TEA, 'a', '', other);
    expect([theirs.body.added.memories, theirs.headers.get('idempotency-replayed')]).toEqual([1, null]);
  });

  test('is imported after a first attempt that failed', async () => {
    const failed = await send('{"type":"svc-export","format":"zip"}\n', 'a');
    expect(failed.status).toBe(422);
    expect((await send(TEA, 'a')).body.added.memories).toBe(1);
  });

  test('is 409 while the first is running, which then completes', async () => {
    const first = await startImport('a');
    const second = await send(LONG, 'a');
    expect([second.status, second.body.code, second.headers.get('retry-after')]).toEqual([409, 'conflict', '1']);
    expect(await first.finish()).toBe(200);
    expect((await send(LONG, 'a')).headers.get('idempotency-replayed')).toBe('true');
  });

  test.each(['', 'x'.repeat(256), 'é'])('is 400 with the invalid key %j', async (key) => {
    expect((await send(TEA, key)).status).toBe(400);
  });
});

test('a second import of an account is 409 with Retry-After while the first runs; other accounts import', async () => {
  const first = await startImport();
  const second = await portable(caller).send<{ code: string; detail: string }>(COFFEE);
  expect([second.status, second.body.code]).toEqual([409, 'conflict']);
  expect(second.body.detail).toContain('Another import of this account');
  expect(Number(second.headers.get('retry-after'))).toBeGreaterThan(0);
  expect((await portable(await newAccount(daemon)).send(COFFEE)).status).toBe(200);
  expect(await first.finish()).toBe(200);
  expect((await portable(caller).send(COFFEE)).status).toBe(200);
});

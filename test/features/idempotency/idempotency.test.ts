import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Caller, createCaller, instant, type MemoryDaemon, startMemoryDaemon } from '../memories/memory-daemon.ts';

let daemon: MemoryDaemon;
let caller: Caller;
let keys = 0;

beforeAll(async () => {
  daemon = await startMemoryDaemon();
  caller = await daemon.account();
});
afterAll(() => daemon.close());

const HOUR_MS = 3_600_000;

function newKey(): string {
  keys += 1;
  return `key-${keys}`;
}

function post(key: string, content: unknown, path = '/v1/memories', by = caller) {
  return by.call(path, { body: content, headers: { 'idempotency-key': key } });
}

/** Blocks all writes until the returned function is called, so that requests stay in progress. */
async function holdWrites(): Promise<() => void> {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const started = new Promise<void>((resolve) => {
    void daemon.db.writes.write('daemon', async () => {
      resolve();
      await held;
    });
  });
  await started;
  return release;
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 2));
}

describe('a request repeated with its key', () => {
  test.each([
    ['one memory', '/v1/memories', { content: 'Once only', tags: ['a'], metadata: { b: [1.5, 'é'] } }],
    ['a batch', '/v1/memories/batch', { memories: [{ content: 'Batch one' }, { content: 'Batch two' }] }],
    ['a duplicate', '/v1/memories', { content: 'Once only' }],
  ])('for %s replays the first response byte for byte and has no effect', async (_, path, body) => {
    const key = newKey();
    const first = await post(key, body, path);
    expect(first.headers.has('idempotency-replayed')).toBe(false);
    const before = await caller.list();
    const again = await post(key, body, path);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect([again.status, again.text]).toEqual([first.status, first.text]);
    for (const name of ['etag', 'location', 'content-type']) {
      expect(again.headers.get(name)).toBe(first.headers.get(name));
    }
    expect(await caller.list()).toEqual(before);
  });

  test('replays the first response even after the memory was changed', async () => {
    const key = newKey();
    const first = await post(key, { content: 'Before the change' });
    await caller.change(first.body.id as string, { content: 'After the change' });
    expect((await post(key, { content: 'Before the change' })).text).toBe(first.text);
  });

  test('gets a conflict while the first is in progress, and a replay afterwards', async () => {
    const key = newKey();
    const release = await holdWrites();
    const first = post(key, { content: 'Under way' });
    await until(() => daemon.db.writes.waiting() > 0);
    const second = await post(key, { content: 'Under way' });
    expect(second).toMatchObject({ status: 409, body: { code: 'conflict' } });
    expect(second.headers.get('retry-after')).toBe('1');
    const other = post(newKey(), { content: 'Under another key' });
    release();
    expect((await first).status).toBe(201);
    expect((await other).status).toBe(201);
    expect((await post(key, { content: 'Under way' })).text).toBe((await first).text);
  });

  test('has one effect when sent twenty times concurrently', async () => {
    const key = newKey();
    const answers = await Promise.all(Array.from({ length: 20 }, () => post(key, { content: 'Twenty at once' })));
    const done = answers.filter(({ status }) => status === 201);
    expect(answers.every(({ status }) => status === 201 || status === 409)).toBe(true);
    expect(done.filter(({ headers }) => !headers.has('idempotency-replayed'))).toHaveLength(1);
    expect(new Set(done.map(({ text }) => text)).size).toBe(1);
  });

  test.each([
    ['a different body', { content: 'Another' }, '/v1/memories'],
    ['a different route', { memories: [{ content: 'The one' }] }, '/v1/memories/batch'],
  ])('with %s is rejected and has no effect', async (_, body, path) => {
    const key = newKey();
    await post(key, { content: 'The one' });
    const before = await caller.list();
    expect(await post(key, body, path)).toMatchObject({ status: 422, body: { code: 'unprocessable' } });
    expect(await caller.list()).toEqual(before);
    expect((await post(key, { content: 'The one' })).headers.get('idempotency-replayed')).toBe('true');
  });

  test('runs again if the first was rejected', async () => {
    const key = newKey();
    const body = { content: 'Waits for its predecessor', supersedes: 'mem_not_yet' };
    expect((await post(key, body)).status).toBe(404);
    expect((await post(key, { content: '' })).status).toBe(400);
    const first = await post(key, { content: 'Now it works' });
    expect(first.status).toBe(201);
    expect(first.headers.has('idempotency-replayed')).toBe(false);
  });

  test('does not count against the quota again', async () => {
    const key = newKey();
    await post(key, { content: 'Counted once' });
    const used = async () => {
      const { quotas } = (await caller.call('/v1/account')).body as { quotas: { dailyMemories: { used: number } } };
      return quotas.dailyMemories.used;
    };
    const before = await used();
    await post(key, { content: 'Counted once' });
    expect(await used()).toBe(before);
  });
});

describe('a key', () => {
  test.each([
    ['of 255 characters', 'k'.repeat(255), 201],
    ['of 256 characters', 'k'.repeat(256), 400],
    ['of 0 characters', '', 400],
    ['with a non-ASCII letter', 'é', 400],
    ['with a tab', 'a\tb', 400],
  ])('%s is accepted or rejected', async (name, key, status) => {
    const content = `Sent under a key ${name}`;
    expect((await post(key, { content })).status).toBe(status);
    expect((await caller.list()).includes(content)).toBe(status === 201);
  });

  test('is scoped to its tenant', async () => {
    const other = await daemon.account();
    const key = newKey();
    const mine = await post(key, { content: 'Same key, same words' });
    const theirs = await post(key, { content: 'Same key, same words' }, '/v1/memories', other);
    expect([mine.status, theirs.status]).toEqual([201, 201]);
    expect(theirs.headers.has('idempotency-replayed')).toBe(false);
    expect(theirs.body.id).not.toBe(mine.body.id);
    expect((await post(key, { content: 'Other words' }, '/v1/memories', other)).status).toBe(422);
    expect((await post(key, { content: 'Same key, same words' })).body.id).toBe(mine.body.id);
  });

  test('is stored for 24 hours and can be reused afterwards', async () => {
    const key = newKey();
    const first = await post(key, { content: 'For a day' });
    daemon.clock.advance(24 * HOUR_MS - 60_000);
    await daemon.idempotency.sweep();
    expect((await post(key, { content: 'For a day' })).text).toBe(first.text);
    daemon.clock.advance(60_000);
    const next = await post(key, { content: 'For the next day' });
    expect(next.status).toBe(201);
    expect(next.headers.has('idempotency-replayed')).toBe(false);
    // Erasing the first memory must not redact the second response.
    await caller.erase(first.body.id as string);
    expect((await post(key, { content: 'For the next day' })).text).toBe(next.text);
    daemon.clock.advance(25 * HOUR_MS);
    await daemon.idempotency.sweep();
    for (const table of ['idempotencyKeys', 'idempotencyResources']) {
      expect(await daemon.db.readers.all(`SELECT * FROM ${table}`), table).toEqual([]);
    }
  });

  test('is deleted with what it refers to, however many expire at once', async () => {
    const created = Array.from({ length: 450 }, (_, at) => ({
      claim: { tenantId: caller.tenantId, key: `expired-${at}`, requestHash: 'hash' },
      ...{ status: 201, body: {}, resourceIds: [`mem_${at}`] },
    }));
    await daemon.db.writes.write(caller.tenantId, (connection) => daemon.idempotency.store(connection, created));
    daemon.clock.advance(25 * HOUR_MS);
    await daemon.idempotency.sweep();
    for (const table of ['idempotencyKeys', 'idempotencyResources']) {
      expect(await daemon.db.readers.all(`SELECT * FROM ${table}`), table).toEqual([]);
    }
  });
});

describe('a resource created with a key', () => {
  test.each([
    ['erased', async (id: string) => caller.erase(id)],
    [
      'expired',
      async () => {
        daemon.clock.advance(120_000);
        await daemon.memories.sweep();
      },
    ],
  ])('and %s since is neither replayed nor stored', async (name, vanish) => {
    const key = newKey();
    const secret = `canary ${name}`;
    const memories = [
      { content: secret, expiresAt: instant(daemon.clock.nowMs() + 60_000) },
      { content: `by ${name}` },
    ];
    const first = await post(key, { memories }, '/v1/memories/batch');
    await vanish((first.body.data as { id: string }[])[0]!.id);
    expect(await post(key, { memories }, '/v1/memories/batch')).toMatchObject({ status: 410, body: { code: 'gone' } });
    const kept = await daemon.db.readers.all<{ answer: string | null }>('SELECT answer FROM idempotencyKeys');
    expect(kept.filter(({ answer }) => answer?.includes(secret))).toEqual([]);
    expect(await caller.list()).toContain(`by ${name}`);
  });
});

test('stored responses survive a daemon restart', async () => {
  const before = await startMemoryDaemon();
  const { apiKey, tenantId, call } = await before.account();
  const request = { body: { content: 'Before the restart' }, headers: { 'idempotency-key': 'over-the-restart' } };
  const first = await call('/v1/memories', request);
  await before.stop();
  const after = await startMemoryDaemon({ dataDir: before.folder });
  const owner = createCaller(after.call, apiKey, tenantId);
  const again = await owner.call('/v1/memories', request);
  expect(again.headers.get('idempotency-replayed')).toBe('true');
  expect(again.text).toBe(first.text);
  expect((await owner.call('/v1/memories', { ...request, body: { content: 'Other' } })).status).toBe(422);
  expect(await owner.list()).toEqual(['Before the restart']);
  await after.stop();
  await rm(before.folder, { recursive: true, force: true });
});

import { connect, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type ChangeEvent, createClient, type EventsOptions } from '../../../src/client/client.ts';
import { openBrowser } from '../connections/browser.ts';
import { conversing, SPAN } from '../conversations/conversation-caller.ts';
import { type Caller, type MemoryDaemon, startMemoryDaemon } from '../memories/memory-daemon.ts';

let daemon: MemoryDaemon;
let caller: Caller;
const listening: AbortController[] = [];

beforeAll(async () => {
  daemon = await startMemoryDaemon();
});
beforeEach(async () => {
  daemon.clock.advance(61_000);
  caller = await daemon.account();
});
afterEach(() => {
  for (const controller of listening.splice(0)) controller.abort();
});
afterAll(() => daemon.close());

/** Collects events until the test ends, or the stream does. */
async function listen({ apiKey }: Caller, options: EventsOptions = {}) {
  const controller = new AbortController();
  listening.push(controller);
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  const client = createClient({
    ...{ baseUrl: daemon.baseUrl, apiKey, retries: 0 },
    // The headers arrive with the first text, which names the change that the stream begins after.
    async fetch(...request) {
      const response = await fetch(...request);
      open();
      return response;
    },
  });
  const received: ChangeEvent[] = [];
  const ended = (async () => {
    for await (const event of client.events({ ...options, signal: controller.signal })) received.push(event);
  })().catch((error: Error) => error);
  await opened;
  return {
    received,
    ended,
    names: () => received.map(({ event }) => event),
    async until(count: number): Promise<ChangeEvent[]> {
      await expect.poll(() => received.length, { timeout: 15_000, interval: 10 }).toBeGreaterThanOrEqual(count);
      return received;
    },
  };
}

/** Lets the check of credentials become due, and a commit wake the streams. */
async function checkCredentials(): Promise<void> {
  daemon.clock.advance(5000);
  await daemon.db.writes.write(caller.tenantId, async () => {});
}

describe('the event stream', () => {
  test('names what happens to memories with the id and user, without content', async () => {
    const stream = await listen(caller);
    const tea = await caller.add('Ada drinks tea', { user: 'ada' });
    await caller.change(tea.id, { content: 'Ada drinks green tea' });
    const coffee = await caller.add('Ada drinks coffee', { user: 'ada', supersedes: tea.id });
    await caller.erase(coffee.id);
    const events = await stream.until(5);
    const seen = events.map(({ event, data }) => [event, data.id, data.user]);
    expect(seen.slice(0, 2)).toEqual([
      ['memory.created', tea.id, 'ada'],
      ['memory.updated', tea.id, 'ada'],
    ]);
    expect(seen.slice(2, 4).sort()).toEqual([
      ['memory.created', coffee.id, 'ada'],
      ['memory.updated', tea.id, 'ada'],
    ]);
    expect(seen[4]).toEqual(['memory.deleted', coffee.id, 'ada']);
    expect(JSON.stringify(events)).not.toMatch(/drinks/);
    expect(Object.keys(events[0]!.data)).toEqual(['id', 'user', 'author', 'at']);
  });

  test('names what happens to conversations and episodes', async () => {
    const stream = await listen(caller);
    const talk = conversing(caller);
    const { id } = await talk.begin({ user: 'ada' });
    await talk.say(id, 'One', 'Two');
    await caller.call(`/v1/conversations/${id}`, { method: 'PATCH', body: { title: 'Tea' } });
    const episode = await talk.episode({ title: 'Tea', user: 'ada', ...SPAN });
    await caller.call(`/v1/episodes/${episode.id}`, { method: 'PATCH', body: { title: 'Green tea' } });
    await caller.call(`/v1/episodes/${episode.id}`, { method: 'DELETE' });
    await caller.call(`/v1/conversations/${id}`, { method: 'DELETE' });
    const events = await stream.until(7);
    expect(events.map(({ event, data }) => [event, data.id, data.user])).toEqual([
      ['conversation.created', id, 'ada'],
      ['conversation.appended', id, 'ada'],
      ['conversation.updated', id, 'ada'],
      ['episode.created', episode.id, 'ada'],
      ['episode.updated', episode.id, 'ada'],
      ['episode.deleted', episode.id, 'ada'],
      ['conversation.deleted', id, 'ada'],
    ]);
  });

  test('names feedback, changes of the account, and the erasure of a user once', async () => {
    await caller.addAll(Array.from({ length: 5 }, (_, index) => ({ content: `Tea ${index}`, user: 'ada' })));
    const stream = await listen(caller);
    const { searchId, results } = (await caller.search('tea', { user: 'ada' })).body;
    await caller.call(`/v1/searches/${searchId}/feedback`, { body: { used: [results[0]!.id] } });
    await caller.call('/v1/provider-settings', { method: 'PATCH', body: { embedding: null } });
    await caller.call('/v1/users/ada', { method: 'DELETE' });
    await stream.until(3);
    expect(stream.received.map(({ event, data }) => [event, data.id])).toEqual([
      ['feedback', searchId],
      ['account.changed', null],
      ['user.deleted', null],
    ]);
  });

  test('shows nothing of other accounts', async () => {
    const stranger = await daemon.account();
    const [own, foreign] = [await listen(caller), await listen(stranger)];
    await caller.add('Ada drinks tea');
    await own.until(1);
    await stranger.add('Bob drinks milk');
    await foreign.until(1);
    expect([own.received.length, foreign.received.length]).toEqual([1, 1]);
  });

  test('continues after the last event without a gap or a repetition', async () => {
    const first = await listen(caller);
    const ids = (await caller.addAll([{ content: 'One' }, { content: 'Two' }, { content: 'Three' }])).map(
      ({ id }) => id,
    );
    const [one] = await first.until(3);
    const four = await caller.add('Four');
    const second = await listen(caller, { lastEventId: one!.id });
    const seen = (await second.until(3)).map(({ data }) => data.id);
    expect([one!.data.id, ...seen].sort()).toEqual([...ids, four.id].sort());
    expect(seen.at(-1)).toBe(four.id);
  });

  test('continues where it stood before the first change', async () => {
    const first = await listen(caller);
    listening.splice(0)[0]!.abort();
    await first.ended;
    const tea = await caller.add('Tea');
    const second = await listen(caller, { lastEventId: '0-0' });
    expect((await second.until(1)).map(({ event, data }) => [event, data.id])).toEqual([['memory.created', tea.id]]);
  });

  test.each(['7-7', 'nonsense', '999999999999999-1', '1-1'])(
    'begins with reset after the unknown event %s',
    async (id) => {
      await caller.add('Tea');
      const stream = await listen(caller, { lastEventId: id });
      const [reset] = await stream.until(1);
      expect(reset).toMatchObject({ event: 'reset', data: { id: null, user: null } });
      const coffee = await caller.add('Coffee');
      expect((await stream.until(2))[1]!.data.id).toBe(coffee.id);
    },
  );

  test('begins with reset once the log was trimmed, and keeps the latest change to continue from', async () => {
    const stream = await listen(caller);
    await caller.add('One');
    await caller.add('Two');
    const [one, two] = await stream.until(2);
    daemon.clock.advance(2 * 3_600_000);
    await daemon.events.trim();
    expect((await (await listen(caller, { lastEventId: one!.id })).until(1))[0]!.event).toBe('reset');
    const resumed = await listen(caller, { lastEventId: two!.id });
    await caller.add('Three');
    expect((await resumed.until(1)).map(({ event }) => event)).toEqual(['memory.created']);
  });

  test('is limited to 10 per account, and frees the place of one that was closed', async () => {
    for (let count = 0; count < 10; count += 1) await listen(caller);
    const refused = await caller.call('/v1/events');
    expect([refused.status, refused.body.code]).toEqual([429, 'rate_limited']);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    const other = await daemon.account();
    await listen(other);
    const before = daemon.events.openStreams();
    listening.shift()!.abort();
    await expect.poll(() => daemon.events.openStreams()).toBe(before - 1);
    await listen(caller);
  });

  test.each([
    ['before the answer', false],
    ['while another stream is open on the connection', true],
  ])('leaves its place if the client hangs up %s', async (_, isOpen) => {
    const before = daemon.events.openStreams();
    const { hostname, port } = new URL(daemon.baseUrl);
    const request = `GET /v1/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${caller.apiKey}\r\n\r\n`;
    for (let count = 0; count < 12; count += 1) {
      const closed = new Promise((resolve) =>
        daemon.app.server.once('connection', (accepted: Socket) => accepted.once('close', resolve)),
      );
      const socket = connect({ host: hostname, port: Number(port) });
      socket.on('error', () => {});
      socket.write(request.repeat(2));
      await new Promise((resolve) => daemon.app.server.once('request', resolve));
      if (isOpen) await expect.poll(() => daemon.events.openStreams(), { interval: 5 }).toBe(before + 2);
      socket.resetAndDestroy();
      await closed;
      await expect.poll(() => daemon.events.openStreams(), { interval: 5 }).toBe(before);
    }
    await listen(caller);
  });

  test('ends within seconds once its key is revoked', async () => {
    const stream = await listen(caller);
    await caller.call('/v1/auth/key', { method: 'DELETE' });
    await checkCredentials();
    expect(await stream.ended).toMatchObject({ code: 'unauthenticated' });
  });

  test('is open to the session of a browser, and ends with it', async () => {
    const browser = await openBrowser(daemon, caller);
    const response = await fetch(`${daemon.baseUrl}/v1/events`, {
      headers: { cookie: browser.cookie, 'sec-fetch-site': 'same-origin' },
    });
    expect(response.status).toBe(200);
    const { id } = await caller.add('Tea');
    const chunks = response.body!.pipeThrough(new TextDecoderStream())[Symbol.asyncIterator]();
    let text = '';
    while (!text.includes(id)) text += (await chunks.next()).value ?? expect.fail('the stream ended');
    expect((await browser.call('/v1/session', { method: 'DELETE' })).status).toBe(204);
    await checkCredentials();
    expect((await chunks.next()).done).toBe(true);
  });

  test('ends at once when the account is erased', async () => {
    const stream = await listen(caller);
    await caller.call('/v1/account', { method: 'DELETE' });
    expect(await stream.ended).toMatchObject({ code: 'unauthenticated' });
    expect(stream.names()).toEqual([]);
    const sql = 'SELECT COUNT(*) AS n FROM changes WHERE tenantId = ?';
    expect(await daemon.db.readers.get(sql, [caller.tenantId])).toEqual({ n: 0 });
  });

  test('answers HEAD without a stream, and declares its media type', async () => {
    const before = daemon.events.openStreams();
    const head = await caller.call('/v1/events', { method: 'HEAD' });
    expect([head.status, head.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8']);
    expect(daemon.events.openStreams()).toBe(before);
  });

  test('needs a key', async () => {
    expect((await daemon.call(undefined, '/v1/events')).status).toBe(401);
  });
});

test('streams do not hold up the stop of the daemon, and the log outlives it', async () => {
  const second = await startMemoryDaemon();
  const own = await second.account();
  await own.add('Tea');
  const response = await fetch(`${second.baseUrl}/v1/events`, { headers: { authorization: `Bearer ${own.apiKey}` } });
  const text = response.text();
  await second.stop();
  expect(await text).toMatch(/^retry: 2000\nid: 1-\d{13}\n\n$/);
  await second.close();
});

test('a client that reads nothing does not hold up the stop of the daemon', async () => {
  const second = await startMemoryDaemon();
  const own = await second.account();
  await own.add('Tea', { user: '🍵'.repeat(256) });
  await second.db.writes.write(own.tenantId, async (connection) => {
    for (let rows = 1; rows < 8192; rows *= 2) {
      await connection.run(
        `INSERT INTO changes (tenantId, number, at, kind, itemId, scope)
         SELECT tenantId, number + ?, at, kind, itemId, scope FROM changes WHERE tenantId = ?`,
        [rows, own.tenantId],
      );
    }
  });
  let held: Socket | undefined;
  second.app.server.on('connection', (accepted: Socket) => {
    held = accepted;
  });
  const { hostname, port } = new URL(second.baseUrl);
  const socket = connect({ host: hostname, port: Number(port) }).pause();
  socket.on('error', () => {});
  const headers = ['Host: x', `Authorization: Bearer ${own.apiKey}`, 'Last-Event-ID: 0-0'];
  socket.write(`GET /v1/events HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n`);
  await expect.poll(() => held?.writableNeedDrain).toBe(true);
  // Times out if it waits until a client that reads nothing is cut off.
  await second.stop();
  socket.destroy();
  await second.close();
});

import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createHttpFetch } from '../../src/cli/http-fetch.ts';
import { ApiError, createClient, UnreachableError } from '../../src/client/client.ts';
import { type Caller, type MemoryDaemon, startMemoryDaemon } from '../features/memories/memory-daemon.ts';
import { newAccount, portable, version } from '../features/portability/portable-account.ts';

/** For clients that are slow, stall, or arrive all at once. */

const REQUEST_MS = 1500;
let daemon: MemoryDaemon;
/** An account whose export is larger than all buffers on the way. */
let large: Caller;

beforeAll(async () => {
  daemon = await startMemoryDaemon({ timeouts: { headersMs: 2000, requestMs: REQUEST_MS } });
  large = await newAccount(daemon);
  const text = 'x'.repeat(90_000);
  const lines = Array.from({ length: 200 }, (_, index) => version({ content: `${index} ${text}` }));
  await portable(large).importFile(lines);
});
afterAll(() => daemon.close());

async function until(condition: () => Promise<boolean>, ms = 5000): Promise<boolean> {
  for (const deadline = performance.now() + ms; performance.now() < deadline; await sleep(20)) {
    if (await condition()) return true;
  }
  return false;
}

/** Whether the write-ahead log can be truncated, because no reader holds an older snapshot. */
async function isFree(): Promise<boolean> {
  await daemon.db.probe(daemon.clock.nowMs());
  await daemon.db.checkpoint();
  return (await stat(join(daemon.folder, 'svc.db-wal'))).size === 0;
}

async function open(caller: Caller, head: string): Promise<Socket> {
  const socket = connect({ port: Number(new URL(daemon.baseUrl).port), host: '127.0.0.1' });
  socket.on('error', () => {});
  await once(socket, 'connect');
  socket.write(`${head} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${caller.apiKey}\r\n`);
  return socket;
}

/** Requests an export, waits for the response to begin, and reads none of it. */
async function beginExport(caller: Caller): Promise<Socket> {
  const socket = await open(caller, 'GET /v1/export');
  socket.write('\r\n');
  await once(socket, 'readable');
  return socket;
}

describe('an export', () => {
  test('is a consistent snapshot, whatever is written meanwhile', async () => {
    const caller = await newAccount(daemon);
    const texts = Array.from({ length: 60 }, (_, index) => version({ content: `${index} ${'y'.repeat(50_000)}` }));
    await portable(caller).importFile(texts);
    const answer = await fetch(`${daemon.baseUrl}/v1/export`, {
      headers: { authorization: `Bearer ${caller.apiKey}` },
    });
    const reader = answer.body!.getReader();
    const decoder = new TextDecoder();
    let text = decoder.decode((await reader.read()).value, { stream: true });
    await caller.add('Written meanwhile');
    await caller.erase(texts.at(-1)!.id);
    for (;;) {
      const { value, done } = await reader.read();
      if (done) break;
      text += decoder.decode(value, { stream: true });
    }
    expect(text).not.toContain('Written meanwhile');
    expect(text).toContain(texts.at(-1)!.id);
    expect(JSON.parse(text.trimEnd().split('\n').at(-1)!)).toMatchObject({ type: 'end', memories: 60 });
    expect(await portable(caller).text()).toContain('Written meanwhile');
  });

  test('that is not read, or too slowly, is aborted', async () => {
    const unread = await beginExport(large);
    expect((await large.call('/v1/export')).status).toBe(503);
    expect(await until(async () => (await large.call('/v1/export')).status === 200, 4 * REQUEST_MS)).toBe(true);
    let heard = '';
    unread.on('data', (chunk) => {
      heard += chunk.toString();
    });
    unread.resume();
    expect(await until(async () => unread.destroyed || unread.readableEnded)).toBe(true);
    expect(heard).toMatch(/^HTTP\/1\.1 200/);
    expect(heard).not.toContain('"type":"end"');

    const slow = await beginExport(large);
    const sips = setInterval(() => slow.read(1), 20);
    expect((await large.call('/v1/export')).status).toBe(503);
    expect(await until(async () => (await large.call('/v1/export')).status === 200, 4 * REQUEST_MS)).toBe(true);
    clearInterval(sips);
    slow.destroy();
  });

  test('runs once at a time per account; a second one is rejected with Retry-After', async () => {
    const socket = await beginExport(large);
    const second = await large.call('/v1/export');
    expect(second).toMatchObject({ status: 503, body: { code: 'unavailable' } });
    expect(second.headers.get('retry-after')).toBe('5');
    expect((await (await newAccount(daemon)).call('/v1/export')).status).toBe(200);
    socket.destroy();
    expect(await until(async () => (await large.call('/v1/export')).status === 200, REQUEST_MS / 2)).toBe(true);
  });

  test('that is cut off is detected as incomplete by the client', async () => {
    const client = (fetchIt?: ReturnType<typeof createHttpFetch>) =>
      createClient({ baseUrl: daemon.baseUrl, apiKey: large.apiKey, ...(fetchIt && { fetch: fetchIt }) });
    for (const its of [client(), client(createHttpFetch())]) {
      let lines = 0;
      for await (const { end } of its.export()) lines += end ? 0 : 1;
      expect(lines).toBe(201);
      const broken = (async () => {
        for await (const _ of its.export()) daemon.app.server.closeAllConnections();
      })();
      await expect(broken).rejects.toThrow(UnreachableError);
    }
    expect(await until(isFree)).toBe(true);
  });
});

describe('an import', () => {
  test('may take longer than any other request, as long as data keeps arriving', async () => {
    const caller = await newAccount(daemon);
    const client = createClient({ baseUrl: daemon.baseUrl, apiKey: caller.apiKey, fetch: createHttpFetch() });
    const started = performance.now();
    const report = await client.import(
      (async function* () {
        for (let index = 0; index < 8; index += 1) {
          yield Buffer.from(`{"content":"Fact ${index}"}\n`);
          await sleep(REQUEST_MS / 5);
        }
      })(),
    );
    expect(report.added.memories).toBe(8);
    expect(performance.now() - started).toBeGreaterThan(REQUEST_MS);
  });

  test('stops when its key is replaced; what was imported before stays', async () => {
    const importing = async (meanwhile: (caller: Caller) => Promise<unknown>) => {
      const caller = await newAccount(daemon);
      const line = (index: number) => Buffer.from(`{"content":"Fact ${index}"}\n`);
      const body = (async function* () {
        yield Buffer.concat(Array.from({ length: 500 }, (_, index) => line(index)));
        expect(await until(async () => (await caller.list()).length > 0)).toBe(true);
        await meanwhile(caller);
        yield line(500);
      })();
      const client = createClient({ baseUrl: daemon.baseUrl, apiKey: caller.apiKey, fetch: createHttpFetch() });
      return client.import(body);
    };
    expect((await importing(async () => {})).added.memories).toBe(501);
    const rotated = importing(({ tenantId }) =>
      daemon.db.writes.write('daemon', (on) => daemon.keys.rotate(on, tenantId)),
    );
    await expect(rotated).rejects.toMatchObject({
      code: 'unauthenticated',
      problem: { report: { added: { memories: 500 }, complete: false } },
    });
  });

  test('whose client stalls is ended and reports what was done', async () => {
    const caller = await newAccount(daemon);
    const socket = await open(caller, 'POST /v1/import');
    let heard = '';
    socket.on('data', (chunk) => {
      heard += chunk.toString();
    });
    socket.write('content-length: 5000\r\n\r\n{"content":"Half"}\n{"cont');
    expect(await until(async () => heard.includes('"report"'))).toBe(true);
    expect(heard).toMatch(/^HTTP\/1\.1 400 /);
    expect(heard).toContain('took too long');
    socket.destroy();
    expect((await portable(caller).send('{"content":"Whole"}')).status).toBe(200);
  });

  test('that is killed halfway continues when it is sent again, with the same result', async () => {
    const caller = await newAccount(daemon);
    const from = await newAccount(daemon);
    await portable(from).importFile(Array.from({ length: 1500 }, () => version()));
    const text = await portable(from).text();
    const socket = await open(caller, 'POST /v1/import');
    socket.write(`content-length: ${Buffer.byteLength(text)}\r\n\r\n${text.slice(0, text.length / 2)}`);
    expect(await until(async () => (await caller.list()).length > 0)).toBe(true);
    socket.destroy();
    const again = () => portable(caller).send(text);
    expect(await until(async () => (await again()).status === 200)).toBe(true);
    expect((await again()).body).toMatchObject({ added: { memories: 0 }, known: { memories: 1500 } });
    expect(await portable(caller).lines()).toEqual(await portable(from).lines());
    const faults = daemon.logLines.filter(
      (line) => line.includes('"level":50') && !line.includes('is already running'),
    );
    expect(faults).toEqual([]);
  });

  test.each<[string, ReturnType<typeof createHttpFetch> | undefined]>([
    ['the platform’s fetch', undefined],
    ['the command line’s fetch', createHttpFetch()],
  ])('that is rejected while its body is being sent reports that to %s', async (_, fetchIt) => {
    const caller = await newAccount(daemon);
    const client = createClient({ baseUrl: daemon.baseUrl, apiKey: caller.apiKey, ...(fetchIt && { fetch: fetchIt }) });
    let sent = 0;
    const endless = async function* () {
      yield Buffer.from('{"type":"svc-export","format":"zip"}\n');
      for (;;) {
        sent += 1;
        yield Buffer.alloc(65_536, 'x');
      }
    };
    const refused = await client.import(endless()).catch((error: Error) => error);
    expect(refused).toBeInstanceOf(ApiError);
    expect((refused as ApiError).code).toBe('unprocessable');
    expect(sent).toBeLessThan(20_000);
    expect(await client.import(version2())).toMatchObject({ added: { memories: 1 } });
  });

  test('that is rejected while its body is being sent reports that to a client that sends all of it first', async () => {
    const caller = await newAccount(daemon);
    const socket = await open(caller, 'POST /v1/import');
    let heard = '';
    socket.on('data', (chunk) => {
      heard += chunk.toString();
    });
    const body = Buffer.concat([Buffer.from('{"type":"svc-export","format":"zip"}\n'), Buffer.alloc(30_000_000, 'x')]);
    socket.write(`content-length: ${body.length}\r\n\r\n`);
    await new Promise((resolve) => socket.write(body, resolve));
    await until(async () => heard.startsWith('HTTP/1.1 '));
    expect(heard).toMatch(/^HTTP\/1\.1 422 /);
    socket.write('GET /v1/account HTTP/1.1\r\nhost: x\r\n\r\n');
    expect(await until(async () => heard.includes('HTTP/1.1 401'))).toBe(true);
    socket.destroy();
  });

  test('whose account is erased meanwhile imports nothing more', async () => {
    const caller = await newAccount(daemon);
    const socket = await open(caller, 'POST /v1/import');
    let heard = '';
    socket.on('data', (chunk) => {
      heard += chunk.toString();
    });
    const lines = (count: number) => Array.from({ length: count }, () => `${JSON.stringify(version())}\n`).join('');
    const [before, after] = [lines(600), lines(600)];
    socket.write(`content-length: ${before.length + after.length}\r\n\r\n${before}`);
    expect(await until(async () => (await caller.list()).length > 0)).toBe(true);
    expect((await caller.call('/v1/account', { method: 'DELETE' })).status).toBe(204);
    socket.write(after);
    expect(await until(async () => heard.includes('"report"'))).toBe(true);
    expect(heard).toMatch(/^HTTP\/1\.1 401 /);
    socket.destroy();
    const left = await daemon.db.readers.all('SELECT id FROM memories WHERE tenantId = ?', [caller.tenantId]);
    expect(left).toEqual([]);
  });

  test('is aborted when the daemon stops', async () => {
    const own = await startMemoryDaemon();
    const caller = await newAccount(own);
    const headers = { authorization: `Bearer ${caller.apiKey}` };
    const begin = () => {
      const body = new ReadableStream<Uint8Array>({
        start: (controller) => controller.enqueue(Buffer.from('{"content":"One"}\n')),
      });
      const request: RequestInit & { duplex: 'half' } = { method: 'POST', headers, body, duplex: 'half' };
      const under = { way: true, answer: fetch(`${own.baseUrl}/v1/import`, request) };
      under.answer.finally(() => {
        under.way = false;
      });
      return under;
    };
    let importing = begin();
    const isUnderWay = async () => {
      // The probing import occupies the account for a moment: another that arrives just then is refused, so it goes first.
      if (!importing.way) {
        importing = begin();
        return false;
      }
      return (await portable(caller).send('{}')).status === 409;
    };
    expect(await until(isUnderWay)).toBe(true);
    await own.close();
    expect((await importing.answer).status).toBe(503);
  });
});

async function* version2(): AsyncGenerator<Uint8Array> {
  yield Buffer.from(`${JSON.stringify(version())}\n`);
}

import { once } from 'node:events';
import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FairnessLoad, LoadOrder } from './fairness.ts';
import type { FilledTenant } from './fill-folder.ts';
import { portions } from './portions.ts';
import { createTexts } from './texts.ts';

// Loads a daemon as one tenant of the fairness benchmark, in a separate process, so that preparing and sending large
// bodies does not slow the measurement. Prints a line when it is ready, starts when it is written to, and prints the
// statuses of its answers at the end.

const INTERVAL_MS = 500;
const EXPORT_BYTES_PER_SECOND = 40_000;
const IMPORT_BYTES = 30_000_000;
const IDEOGRAPHS = 20_000;
/** All of them are this machine; without a key each has its own rate limit. */
const ADDRESSES = ['127.0.0.1', '127.0.0.2', '127.0.0.3', '127.0.0.4'];
const CONNECTIONS_PER_ADDRESS = 2;
const AT = '2026-01-01T10:00:00.000Z';

const { load, url, tenant, seconds, scale } = JSON.parse(process.argv[2] ?? '') as LoadOrder;
const texts = createTexts(9);
const statuses: Record<number, number> = {};
const agent = new http.Agent({ keepAlive: true, maxSockets: 200 });
/** Counts the connections of each address separately. */
const strangerAgent = new http.Agent({ keepAlive: true, maxSockets: CONNECTIONS_PER_ADDRESS });

interface Sent {
  method: 'GET' | 'POST';
  path: string;
  type?: string;
  body?: Buffer | readonly Buffer[];
  /** Sent without the key, from this address. */
  strangerAt?: string;
  /** Reads the answer at this rate, until the load ends. */
  bytesPerSecond?: number;
}

function send({ method, path, type = 'application/json', body = [], strangerAt, bytesPerSecond }: Sent): Promise<void> {
  const chunks = [body].flat();
  return new Promise((resolve, reject) => {
    const headers = {
      ...(strangerAt === undefined && { authorization: `Bearer ${tenant.apiKey}` }),
      ...(chunks.length > 0 && { 'content-type': type }),
    };
    const from = strangerAt === undefined ? { agent } : { agent: strangerAgent, localAddress: strangerAt };
    const request = http.request(url + path, { method, headers, ...from }, async (response) => {
      statuses[response.statusCode!] = (statuses[response.statusCode!] ?? 0) + 1;
      if (bytesPerSecond !== undefined) await readSlowly(response, bytesPerSecond);
      response.resume().once('close', resolve);
    });
    request.once('error', reject);
    for (const chunk of chunks) request.write(chunk);
    request.end();
  });
}

async function readSlowly(response: http.IncomingMessage, bytesPerSecond: number): Promise<void> {
  const endMs = performance.now() + seconds * 1000;
  for await (const chunk of response) {
    if (performance.now() > endMs) break;
    await sleep(((chunk as Buffer).length / bytesPerSecond) * 1000);
  }
  response.destroy();
}

/** Sends at fixed times, whether or not the previous request was answered. */
async function sendRepeatedly(request: Sent): Promise<void> {
  const pending: Promise<void>[] = [];
  for (let elapsedMs = 0; elapsedMs < seconds * 1000; elapsedMs += INTERVAL_MS) {
    pending.push(send(request));
    await sleep(INTERVAL_MS);
  }
  await Promise.all(pending);
}

/** Sends the next request as soon as the last one is answered. */
async function sendContinuously(request: Sent): Promise<void> {
  const endMs = performance.now() + seconds * 1000;
  while (performance.now() < endMs) await send(request);
}

async function sendAtOnce(requests: readonly Sent[]): Promise<void> {
  await Promise.all(requests.map(send));
}

const json = (value: unknown) => Buffer.from(JSON.stringify(value));

function appending({ conversationIds }: FilledTenant, contents: readonly string[]): Sent {
  const messages = contents.map((content) => ({ role: 'user', content }));
  return { method: 'POST', path: `/v1/conversations/${conversationIds[0]}/messages`, body: json({ messages }) };
}

function prose(characters: number): string {
  let text = texts.memory();
  while (text.length < characters) text += ` ${texts.memory()}`;
  return text.slice(0, characters);
}

/** Distinct text without spaces, of which nearly every pair of characters is a separate term. */
function ideographs(characters: number, seed: number): string {
  const codes = Array.from(
    { length: characters },
    (_, index) => 0x4e00 + ((index * (seed + 7) + index ** 2) % IDEOGRAPHS),
  );
  return codes.map((code) => String.fromCharCode(code)).join('');
}

/** One conversation with short messages and, among every fifty, one of the maximum length. */
function* exportedConversation(version: number): Generator<object> {
  const conversationId = `conv_${'7'.repeat(32)}`;
  const shared = { metadata: {}, createdAt: AT };
  const times = { ...shared, user: 'default', version: 1, updatedAt: AT };
  yield { type: 'svc-export', format: 'svc', version, exportedAt: AT };
  yield { type: 'conversation', id: conversationId, title: null, ...times };
  let bytes = 0;
  for (let ordinal = 1; bytes < IMPORT_BYTES * scale; ordinal += 1) {
    const content = ordinal % 50 === 0 ? ideographs(100_000, ordinal) : prose(2000);
    bytes += Buffer.byteLength(content);
    const id = `msg_${ordinal.toString(16).padStart(32, '0')}`;
    yield { type: 'message', id, conversationId, ordinal, role: 'user', name: null, content, ...shared };
  }
}

async function importing(): Promise<Sent> {
  // Takes a second to load, which the other loads need not spend.
  const { EXPORT_VERSION } = await import('../src/contract/portability.ts');
  const body: Buffer[] = [];
  for await (const portion of portions(exportedConversation(EXPORT_VERSION))) body.push(Buffer.from(portion));
  return { method: 'POST', path: '/v1/import', type: 'application/x-ndjson', body };
}

function asking(path: string): Sent[] {
  return Array.from({ length: 110 * scale }, () => ({ method: 'POST', path, body: json({ query: texts.query() }) }));
}

/** Bodies of up to 1 MB that `JSON.parse` takes longest for: deep ones, many names, many values, and the longest accepted. */
function hostileBodies(): Buffer[] {
  const nest = '['.repeat(400_000) + ']'.repeat(400_000);
  const names = (count: number, first = 0) =>
    `{${Array.from({ length: count }, (_, index) => `"n${first + index}":1`).join()}}`;
  const values = (count: number) => `[${Array(count).fill('""').join()}]`;
  const accepted = `[${Array.from({ length: 2200 }, (_, index) => names(8, 8 * index)).join()},${values(20_000)}]`;
  return [nest, names(70_000), values(300_000), accepted].map((y) => Buffer.from(`{"email":"a@b.co","y":${y}}`));
}

/** Sends one of the bodies from each address without the key, each time the last was answered, and all of them with it. */
async function sendHostileBodies(bodies: readonly Buffer[]): Promise<void> {
  const connections = ADDRESSES.flatMap((address) => Array<string>(CONNECTIONS_PER_ADDRESS).fill(address));
  const strangers = connections.map(
    (strangerAt): Sent => ({
      ...{ method: 'POST', path: '/v1/auth/magic-link', strangerAt },
      body: bodies[ADDRESSES.indexOf(strangerAt) % bodies.length]!,
    }),
  );
  const own = bodies.map((body): Sent => ({ method: 'POST', path: '/v1/memories', body }));
  await Promise.all([...strangers.map(sendContinuously), ...own.map(sendRepeatedly)]);
}

/** Prepares the requests of each load and returns what sends them. */
const LOADS: Record<FairnessLoad, () => Promise<() => Promise<void>>> = {
  async ligatures() {
    const request = appending(tenant, Array<string>(Math.ceil(3 * scale)).fill('\ufdfa'.repeat(99_999)));
    return () => sendRepeatedly(request);
  },
  async messages() {
    const request = appending(
      tenant,
      Array.from({ length: 500 * scale }, () => prose(2000)),
    );
    return () => sendRepeatedly(request);
  },
  async memories() {
    const contents = Array.from({ length: 100 * scale }, (_, index) => ideographs(100_000, index));
    const requests = contents.map(
      (content): Sent => ({ method: 'POST', path: '/v1/memories', body: json({ content }) }),
    );
    return () => sendAtOnce(requests);
  },
  async searches() {
    const requests = asking('/v1/search');
    return () => sendAtOnce(requests);
  },
  async contexts() {
    const requests = asking('/v1/context');
    return () => sendAtOnce(requests);
  },
  async import() {
    const request = await importing();
    return () => sendAtOnce([request]);
  },
  async export() {
    return () => sendAtOnce([{ method: 'GET', path: '/v1/export', bytesPerSecond: EXPORT_BYTES_PER_SECOND }]);
  },
  async hostile() {
    const bodies = hostileBodies();
    return () => sendHostileBodies(bodies);
  },
};

const run = await LOADS[load]();
process.stdout.write('ready\n');
await once(process.stdin, 'data');
await run();
agent.destroy();
strangerAgent.destroy();
process.stdout.write(`${JSON.stringify(statuses)}\n`);

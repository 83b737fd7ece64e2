import { connect as connectSocket } from 'node:net';
import { text as readAll } from 'node:stream/consumers';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type Caller, type MemoryDaemon, startMemoryDaemon } from '../features/memories/memory-daemon.ts';
import { codePoint } from '../helpers/code-point.ts';

let daemon: MemoryDaemon;
let caller: Caller;

beforeAll(async () => {
  daemon = await startMemoryDaemon();
  caller = await daemon.account();
});
afterAll(() => daemon.close());

const MIB = 1024 * 1024;

function post(body: string | Uint8Array, contentType = 'application/json') {
  return caller.call('/v1/memories', { method: 'POST', body, headers: { 'content-type': contentType } });
}

/** Builds a body of exactly `bytes` bytes. */
function bodyOf(bytes: number): string {
  const [head, tail] = ['{"content":"x","metadata":{"a":"', '"}}'];
  return head + 'y'.repeat(bytes - head.length - tail.length) + tail;
}

const bytes = (...parts: (string | number[])[]) =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.from(part))));

describe('a body that cannot be stored unchanged', () => {
  beforeAll(async () => {
    caller = await daemon.account();
    await caller.add('Was here before');
  });
  afterEach(async () => {
    // The daemon is alive and stored nothing.
    expect(await caller.list()).toEqual(['Was here before']);
  });

  test.each<[string, string | Uint8Array, number, string?]>([
    ['not JSON', '{content: "x"}', 400],
    ['truncated JSON', '{"content":"x', 400],
    ['two values', '{"content":"x"}{"content":"y"}', 400],
    ['NaN', '{"content":"x","metadata":{"a":NaN}}', 400],
    ['nothing', '', 400, '/'],
    ['null', 'null', 400, '/'],
    ['a list', '[{"content":"x"}]', 400, '/'],
    ['a string', '"x"', 400, '/'],
    ['5 for a string', '{"content":5}', 400, '/content'],
    ['true for a string', '{"content":true}', 400, '/content'],
    ['a member __proto__', '{"content":"x","__proto__":{"admin":true}}', 400, '/'],
    ['__proto__ in escapes', '{"content":"x","\\u005f_proto__":{}}', 400, '/'],
    ['__proto__ deep inside', '{"content":"x","metadata":{"a":[{"__proto__":1}]}}', 400, '/metadata/a/0'],
    ['constructor.prototype', '{"content":"x","metadata":{"constructor":{"prototype":{"a":1}}}}', 400, '/metadata'],
    ['a list 10,000 deep', `{"content":"x","metadata":{"a":${'['.repeat(10_000)}${']'.repeat(10_000)}}}`, 400],
    ['objects 10,000 deep', `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`, 400],
    ['a list 400,000 deep', '['.repeat(400_000) + ']'.repeat(400_000), 400],
    ['33 levels', `{"content":"x","metadata":{"a":${'['.repeat(31)}${']'.repeat(31)}}}`, 400],
    ['bad UTF-8', bytes('{"content":"', [0xff, 0xfe], '"}'), 400],
    ['overlong UTF-8', bytes('{"content":"', [0xc0, 0xaf], '"}'), 400],
    ['a surrogate encoded in UTF-8', bytes('{"content":"', [0xed, 0xa0, 0x80], '"}'), 400],
    ['UTF-16', Buffer.from('{"content":"x"}', 'utf16le'), 400],
    ['NUL in the content', '{"content":"a\\u0000b"}', 400, '/content'],
    ['NUL in a name', '{"content":"x","metadata":{"a\\u0000":1}}', 400, '/metadata'],
    ['half a surrogate pair', '{"content":"a\\ud800"}', 400, '/content'],
    ['the other half in a tag', '{"content":"x","tags":["\\udc00"]}', 400, '/tags/0'],
    ['half a pair in a name with a slash', '{"content":"x","metadata":{"a/~":{"b\\ud83d":1}}}', 400, '/metadata/a~1~0'],
    ['1e400', '{"content":"x","metadata":{"a":1e400}}', 400, '/metadata/a'],
    ['-1e400', '{"content":"x","metadata":{"a":[-1e400]}}', 400, '/metadata/a/0'],
    ['an integer of 2^53', '{"content":"x","metadata":{"a":9007199254740992}}', 400, '/metadata/a'],
    ['an integer of 20 digits', '{"content":"x","metadata":{"a":12345678901234567890}}', 400, '/metadata/a'],
    ['a name twice', '{"content":"x","content":"y"}', 400, '/'],
    ['a name twice, once in escapes', '{"content":"x","\\u0063ontent":"y"}', 400, '/'],
    ['a name twice deep inside', '{"content":"x","metadata":{"a":{"b":1,"b":1}}}', 400, '/'],
    ['a BOM in its middle', '{"content":\ufeff"x"}', 400],
    ['1 MiB and a byte', bodyOf(MIB + 1), 413],
    ['1 MiB with one field over its limit', bodyOf(MIB), 400, '/metadata'],
  ])('%s is rejected', async (_, body, status, path) => {
    const answer = await post(body);
    expect(answer.status, answer.text.slice(0, 300)).toBe(status);
    expect(answer.headers.get('content-type')).toContain('application/problem+json');
    expect(answer.body.code).toBe(status === 413 ? 'payload_too_large' : 'invalid_request');
    expect(answer.text.length).toBeLessThan(2000);
    if (path !== undefined) expect((answer.body.errors as { path: string }[])[0]?.path).toBe(path);
  });

  test.each(['text/plain', 'application/xml', 'text/json', 'application/jsonp', 'multipart/form-data; boundary=x', ''])(
    'of the media type "%s" is rejected as unsupported',
    async (contentType) => {
      const answer = await post('{"content":"x"}', contentType);
      expect(answer).toMatchObject({ status: 415, body: { code: 'unsupported_media_type' } });
    },
  );

  test.each([
    ['a compressed body', { 'content-encoding': 'gzip' }],
    ['two lengths', { 'content-length': '15, 16' }],
    ['a length and chunks', { 'content-length': '15', 'transfer-encoding': 'chunked' }],
    ['a negative length', { 'content-length': '-5' }],
  ])('%s is rejected', async (_, headers) => {
    const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    const own = 'content-length' in headers ? '' : 'content-length: 4\r\n';
    const answer = await speak(`${own}${head.join('')}content-type: application/json\r\n\r\n\u001f\u008b\u0008\u0000`);
    expect(answer).toMatch(/^HTTP\/1\.1 4\d\d /);
  });

  test.each([
    ['a lone %', '%'],
    ['bytes that are not UTF-8', '%ff'],
    ['NUL', '%00'],
    ['path traversal', '..%2f..'],
    ['a line break', 'mem_1%0d%0aX:1'],
    ['299 letters', 'x'.repeat(299)],
    ['5,000 letters', 'x'.repeat(5000)],
    ['SQL', "'%20OR%201=1%20--"],
    ['Japanese', '%E6%97%A5'],
  ])('a path with %s as the id finds nothing', async (_, id) => {
    const answer = await caller.call(`/v1/memories/${id}`);
    expect([400, 404]).toContain(answer.status);
    expect(answer.headers.get('content-type')).toContain('application/problem+json');
    expect(answer.headers.get('x-ratelimit-limit')).toBe('3000');
  });
});

test('a write with NUL in its id refuses no other that is stored in the same transaction', async () => {
  const [stranger, neighbor] = [await daemon.account(), await daemon.account()];
  const statuses = await Promise.all(
    Array.from({ length: 40 }, async (_, index) => {
      const wrong = stranger.call('/v1/conversations/%00/messages', {
        body: { messages: [{ role: 'user', content: `Knock ${index}` }] },
      });
      const erased = stranger.call('/v1/conversations/%00', { method: 'DELETE' });
      const { status } = await neighbor.call('/v1/conversations', { body: { title: `Chat ${index}` } });
      expect([400, 404]).toContain((await wrong).status);
      expect([400, 404]).toContain((await erased).status);
      return status;
    }),
  );
  expect(new Set(statuses)).toEqual(new Set([201]));
});

/** Sends a raw request and returns the whole response. */
async function speak(rest: string): Promise<string> {
  const { hostname, port } = new URL(daemon.baseUrl);
  const socket = connectSocket(Number(port), hostname);
  const head = `POST /v1/memories HTTP/1.1\r\nhost: x\r\nconnection: close\r\nauthorization: Bearer ${caller.apiKey}\r\n`;
  socket.write(Buffer.from(head + rest, 'latin1'));
  return readAll(socket);
}

describe('an unusual but valid body', () => {
  test.each<[string, string | Uint8Array, string]>([
    ['a BOM before it', '\ufeff{"content":"with a mark"}', 'application/json'],
    ['a charset named', '{"content":"with a charset é"}', 'application/json; charset=utf-8'],
    ['the type in capitals', '{"content":"in capitals"}', 'Application/JSON'],
    ['white space all over', ' \n\t{ "content" : "with space" } \r\n', 'application/json'],
    [
      'colons and quotes in its texts',
      '{"content":"a: \\"b\\": {\\"c\\": 1}","metadata":{":":":"}}',
      'application/json',
    ],
    ['escapes only', '{"\\u0063ontent":"\\u0061\\ud83c\\udf55"}', 'application/json'],
    [
      'names of JavaScript’s own',
      '{"content":"own","metadata":{"constructor":1,"toString":2,"prototype":{}}}',
      'application/json',
    ],
    ['30 levels', `{"content":"deep","metadata":{"a":${'['.repeat(28)}${']'.repeat(28)}}}`, 'application/json'],
  ])('%s is accepted', async (_, body, contentType) => {
    const answer = await post(body, contentType);
    expect(answer.status, answer.text).toBe(201);
    const sent = JSON.parse(
      Buffer.from(body)
        .toString()
        .replace(/^\ufeff/, ''),
    );
    expect(answer.body).toMatchObject(sent);
    expect((await caller.read(answer.body.id as string)).text).toBe(answer.text);
  });

  test('the largest batch that fits is stored whole', async () => {
    const contents = Array.from({ length: 10 }, (_, index) => `${index}${'x'.repeat(99_999)}`);
    const added = await caller.addAll(contents.map((content) => ({ content, user: 'large' })));
    expect(added.map(({ content }) => content)).toEqual(contents);
  });
});

test('everything stored is returned unchanged', { timeout: 30_000 }, async () => {
  const sound = (text: string) => !text.includes('\0') && text.isWellFormed();
  const words = fc.string({ unit: codePoint, maxLength: 60 }).filter(sound);
  const content = fc
    .oneof(words, fc.string({ unit: 'grapheme', maxLength: 60 }))
    .filter((text) => /\S/u.test(text) && sound(text));
  const name = fc
    .string({ unit: codePoint, minLength: 1, maxLength: 20 })
    .filter((text) => sound(text) && text !== '__proto__');
  const tag = name.filter((text) => !/[\u0000-\u001f\u007f]/.test(text));
  const number = fc
    .double({ noNaN: true, noDefaultInfinity: true })
    .filter(isKeepable)
    .map((value) => value + 0);
  const leaf = fc.oneof(words, number, fc.boolean(), fc.constant(null));
  const { json } = fc.letrec((tie) => ({
    json: fc.oneof(
      { maxDepth: 4 },
      leaf,
      fc.array(tie('json'), { maxLength: 3 }),
      fc.dictionary(name, tie('json'), { maxKeys: 3 }),
    ),
  }));
  const memory = fc.record({
    content,
    tags: fc.uniqueArray(tag, { maxLength: 4 }),
    metadata: fc.dictionary(name, json, { maxKeys: 5 }),
  });
  let users = 0;
  await fc.assert(
    fc.asyncProperty(memory, async (given) => {
      users += 1;
      const sent = JSON.parse(JSON.stringify(given)) as typeof given;
      const { id, ...added } = await caller.add(given.content, { ...given, user: `user ${users}` });
      expect(added).toMatchObject({ content: sent.content, tags: sent.tags });
      expect(added.metadata).toEqual(sent.metadata);
      const read = (await caller.read(id)).body;
      expect([read.content, read.tags, read.metadata]).toEqual([sent.content, sent.tags, sent.metadata]);
      expect(await caller.list(`?user=user%20${users}`)).toEqual([sent.content]);
    }),
    { numRuns: 40 },
  );
});

function isKeepable(value: number): boolean {
  return !Number.isInteger(value) || Number.isSafeInteger(value);
}

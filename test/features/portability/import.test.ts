import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Conversation } from '../../../src/contract/conversations.ts';
import type { Memory } from '../../../src/contract/memories.ts';
import { conversing } from '../conversations/conversation-caller.ts';
import { setUsed } from '../limits/tenants.ts';
import { type Caller, type MemoryDaemon, startMemoryDaemon } from '../memories/memory-daemon.ts';
import { NONE, newAccount, portable, version } from './portable-account.ts';

let daemon: MemoryDaemon;

beforeAll(async () => {
  daemon = await startMemoryDaemon({ config: { quotas: 'A' } });
  daemon.clock.setNoon();
});
afterAll(() => daemon.close());

const at = '2026-01-01T10:00:00.000Z';
const conversation = (id: string, more = {}) => ({
  ...{ type: 'conversation', id, title: null, cut: false, version: 1 },
  ...{ user: 'default', metadata: {}, createdAt: at, updatedAt: at, ...more },
});
const message = (id: string, conversationId: string, ordinal: number, more = {}) => ({
  ...{ type: 'message', id, conversationId, ordinal, role: 'user', name: null },
  ...{ content: `Message ${ordinal}`, metadata: {}, createdAt: at, ...more },
});
const episode = (id: string, more = {}) => ({
  ...{ type: 'episode', id, title: 'Episode', summary: null, outcome: null, conversationId: null },
  ...{ fromMessageId: null, toMessageId: null, startedAt: at, endedAt: at, memoryIds: [], cut: false, edited: [] },
  ...{ version: 1, user: 'default', metadata: {}, createdAt: at, updatedAt: at, ...more },
});
const idOf = (prefix: string, number: number) => `${prefix}_${number.toString(16).padStart(32, '0')}`;
const MIB = 1024 * 1024;

describe('an invalid line', () => {
  const deep = `${'['.repeat(40)}${']'.repeat(40)}`;
  const withMetadata = (json: string) => JSON.stringify(version()).replace('"metadata":{}', `"metadata":{"a":${json}}`);
  test.each<[string, string | Uint8Array, RegExp]>([
    ['invalid JSON', '{"type":', /is not a JSON object/],
    ['a list', '[]', /is not a JSON object/],
    ['bad UTF-8', new Uint8Array([0x7b, 0xff, 0x7d]), /UTF-8/],
    ['NUL', JSON.stringify(version({ content: 'a\0b' })), /NUL/],
    ['a lone surrogate', JSON.stringify(version({ content: 'a\ud800b' })), /surrogate/],
    ['__proto__', withMetadata('{"__proto__":1}'), /__proto__/],
    ['depth', withMetadata(deep), /deeper than 32/],
    ['a name twice', withMetadata('{"x":1,"x":2}'), /same name twice/],
    ['a number beyond 2^53', withMetadata('9007199254740993'), /2\^53/],
    ['too long a line', `{"content":"${'x'.repeat(MIB)}"}`, /longer than 1 MiB/],
    ['too much metadata', withMetadata(JSON.stringify('x'.repeat(17_000))), /at most 16384 bytes/],
    ['an unknown type', '{"type":"key","id":1}', /has an unknown type: key/],
    ['an unknown field', JSON.stringify(version({ color: 'red' })), /unknown field: color/],
    ['a missing field', JSON.stringify({ ...version(), user: undefined }), /user is missing/],
    ['an id of another kind', JSON.stringify(version({ id: 'mem_1' })), /id must match/],
    ['an impossible date', JSON.stringify(version({ validFrom: '2026-02-30T00:00:00Z' })), /validFrom/],
    ['too large a version', JSON.stringify(version({ version: 2 ** 40 })), /version must be/],
    ['no content', JSON.stringify(version({ content: ' ' })), /content is empty/],
    ['a superseded memory without validTo', JSON.stringify(version({ supersededBy: idOf('mem', 9) })), /validTo/],
    [
      'an episode that ends early',
      JSON.stringify(episode(idOf('ep', 1), { endedAt: '2025-01-01T00:00:00Z' })),
      /endedAt/,
    ],
    ['an automatic cut without messages', JSON.stringify(episode(idOf('ep', 2), { cut: true })), /fromMessageId/],
  ])('(%s) is left out with its reason; the lines around it are imported', async (_, line, reason) => {
    const caller = await newAccount(daemon);
    const around = [version(), version()].map((memory) => `${JSON.stringify(memory)}\n`);
    const body = Buffer.concat([around[0]!, line, '\n', around[1]!].map((part) => Buffer.from(part)));
    const { body: report } = await portable(caller).send(body);
    expect(report).toMatchObject({ added: { ...NONE, memories: 2 }, skipped: 1 });
    expect(report.reasons).toEqual([{ place: 'line 2', reason: expect.stringMatching(reason), fault: true }]);
    expect(await caller.list()).toHaveLength(2);
  });

  test('is reported with a short reason, however long the line is', async () => {
    const caller = await newAccount(daemon);
    const { reasons } = await portable(caller).importFile([{ ...version(), ['x'.repeat(500_000)]: 1 }, version()]);
    expect(reasons[0]!.reason.length).toBe(300);
  });

  test('is always counted; the first 1,000 reasons are reported', async () => {
    const caller = await newAccount(daemon);
    const report = await portable(caller).importFile('x\n'.repeat(1200));
    expect([report.skipped, report.reasons.length, report.reasons.at(-1)!.place]).toEqual([1200, 1000, 'line 1000']);
  });
});

describe('existing data', () => {
  test('a memory with a known id, or with the content of a live memory, is not imported again', async () => {
    const caller = await newAccount(daemon);
    const [first, second] = [version({ content: 'Oolong tea' }), version({ content: 'Black tea' })];
    await portable(caller).importFile([first, second]);
    const again = [
      { ...first, content: 'Green tea' },
      version({ content: ' OOLONG  tea ' }),
      version({ content: 'Cake' }),
    ];
    const report = await portable(caller).importFile([...again, version({ content: 'cake' })]);
    expect(report).toMatchObject({ added: { memories: 1 }, known: { memories: 3 } });
    expect((await caller.list()).sort()).toEqual(['Black tea', 'Cake', 'Oolong tea']);
  });

  test.each([
    ['before it', true, 0],
    ['after it', false, 0],
    ['in an earlier batch', true, 500],
    ['in a later batch', false, 500],
  ])('a superseded memory names the stored equal of a successor %s', async (_, isBefore, between) => {
    const caller = await newAccount(daemon);
    const [soon, late] = [60_000, 120_000].map((ms) => new Date(daemon.clock.nowMs() + ms).toISOString());
    const stored = [await caller.add('Black tea'), await caller.add('Room 12', { externalId: 'room' })];
    const next = [
      version({ content: ' BLACK  tea ' }),
      version({ content: 'Room 14', externalId: 'room' }),
      version({ content: 'Green tea', expiresAt: soon }),
      version({ content: 'White tea', expiresAt: late }),
    ];
    daemon.clock.advance(60_001);
    const old = next.map(({ id }) => version({ validTo: at, supersededBy: id }));
    const others = Array.from({ length: between }, () => version());
    const lines = isBefore ? [...next, ...others, ...old] : [...old, ...others, ...next];
    const report = await portable(caller).importFile(lines);
    expect(report).toMatchObject({ added: { memories: between + 5 }, known: { memories: 2 }, skipped: 1 });
    const read = await Promise.all(old.map(async ({ id }) => (await caller.read(id)).body));
    expect(read.map(({ validTo }) => validTo)).toEqual(old.map(() => at));
    expect(read.map(({ supersededBy }) => supersededBy)).toEqual([stored[0]!.id, stored[1]!.id, null, next[3]!.id]);
  });

  test('the ids of another tenant do not conflict', async () => {
    const [owner, stranger] = [await newAccount(daemon), await newAccount(daemon)];
    const talk = [conversation(idOf('conv', 1)), message(idOf('msg', 1), idOf('conv', 1), 1), episode(idOf('ep', 1))];
    const lines = [version(), ...talk];
    const added = { memories: 1, conversations: 1, messages: 1, episodes: 1 };
    expect(await portable(owner).importFile(lines)).toMatchObject({ added });
    const before = await portable(owner).lines();
    const mine = lines.map((line) => ({
      ...line,
      user: 'content' in line ? undefined : 'mallory',
      metadata: { mine: 1 },
    }));
    expect(
      await portable(stranger).importFile([{ ...lines[0], metadata: { mine: 1 } }, ...mine.slice(1)]),
    ).toMatchObject({
      added,
    });
    expect(await portable(owner).lines()).toEqual(before);
    expect((await portable(stranger).text()).match(/"mine":1/g)).toHaveLength(4);
  });

  test('an expired memory does not block an import, and expired memories in the file are left out', async () => {
    const caller = await newAccount(daemon);
    const soon = new Date(daemon.clock.nowMs() + 60_000).toISOString();
    const lasting = version({ content: 'Kept' });
    await portable(caller).importFile([
      version({ content: 'Comes again', expiresAt: soon }),
      { ...lasting, expiresAt: soon },
    ]);
    daemon.clock.advance(60_001);
    const lines = [version({ content: 'Comes again' }), lasting, version({ expiresAt: soon })];
    const report = await portable(caller).importFile(lines);
    expect(report).toMatchObject({ added: { memories: 2 }, reasons: [{ place: 'line 3', fault: false }] });
    expect(await caller.list()).toHaveLength(2);
  });

  test('memories as they are listed become new ones, without those that are outdated', async () => {
    const [from, to] = [await newAccount(daemon), await newAccount(daemon)];
    const headers = { 'user-agent': 'tea-shop/1' };
    const { body } = await from.call<Memory>('/v1/memories', { body: { content: 'Ada drinks tea' }, headers });
    await from.add('Ada rows');
    const outdated = { method: 'PATCH', body: { validTo: new Date(daemon.clock.nowMs()).toISOString() } };
    expect((await from.call(`/v1/memories/${body.id}`, outdated)).status).toBe(200);
    await from.call('/v1/memories', { body: { content: 'Ada has a dog' }, headers });
    const listed = (await from.call<{ data: Memory[] }>('/v1/memories?includeSuperseded=true&order=asc')).body.data;
    expect(listed.map(({ client }) => client)).toContain('tea-shop');
    const report = await portable(to).importFile(listed);
    expect(report).toMatchObject({ added: { memories: 2 }, reasons: [{ reason: 'left out: outdated', fault: false }] });
    expect((await to.list()).sort()).toEqual(['Ada has a dog', 'Ada rows']);
  });

  test('memories as they are listed or found count as said when they last were, but not again', async () => {
    const [from, to] = [await newAccount(daemon), await newAccount(daemon)];
    const [tea, party] = [await from.add('Ada drinks tea'), await from.add('Ada has a party', { occurredAt: at })];
    daemon.clock.advance(60_000);
    for (const { content } of [tea, party]) await from.add(content);
    await from.add('Ada rows');
    const { data } = (await from.call<{ data: Memory[] }>('/v1/memories?order=asc')).body;
    expect(data.map(({ saidAt }) => saidAt !== null)).toEqual([true, true, false]);
    const found = (await from.search('Ada', { explain: true })).body.results;
    expect(found).toHaveLength(3);
    const timesOf = async (caller: Caller) => {
      const listed = (await caller.call<{ data: Memory[] }>('/v1/memories')).body.data;
      return Object.fromEntries(listed.map((memory) => [memory.content, [memory.occurredAt, memory.saidAt]]));
    };
    const times = {
      'Ada drinks tea': [data[0]!.saidAt, null],
      'Ada has a party': [at, null],
      'Ada rows': [data[2]!.createdAt, null],
    };
    daemon.clock.advance(60_000);
    expect(await portable(to).importFile(data)).toMatchObject({ added: { memories: 3 }, skipped: 0 });
    expect(await timesOf(to)).toEqual(times);
    const marked = found.map((result, index) => (index > 0 ? result : { ...result, possiblySupersededBy: tea.id }));
    expect(await portable(to).importFile(marked)).toMatchObject({ known: { memories: 3 }, skipped: 0 });
    expect(await timesOf(to)).toEqual(times);
    const before = await timesOf(from);
    expect(await portable(from).importFile(data)).toMatchObject({ known: { memories: 3 }, skipped: 0 });
    expect(await timesOf(from)).toEqual(before);
  });

  test('a message keeps its ordinal or is left out, and needs its conversation', async () => {
    const caller = await newAccount(daemon);
    const talk = conversing(caller);
    const { id } = await talk.begin();
    const [said] = await talk.say(id, 'First');
    const report = await portable(caller).importFile([
      message(said!.id, id, 7),
      message(idOf('msg', 5), id, 1),
      message(idOf('msg', 6), id, 4),
      message(idOf('msg', 7), idOf('conv', 77), 1),
      episode(idOf('ep', 5), { conversationId: idOf('conv', 77) }),
    ]);
    expect(report).toMatchObject({ added: { messages: 1 }, known: { messages: 1 }, skipped: 3 });
    expect(report.reasons.map(({ reason }) => reason)).toEqual([
      expect.stringContaining('has the ordinal 1'),
      expect.stringContaining('does not exist'),
      expect.stringContaining('does not exist'),
    ]);
    expect(await talk.read(id)).toMatchObject({ messageCount: 2, lastMessageAt: at });
    expect((await talk.say(id, 'Next'))[0]!.ordinal).toBe(5);
  });
});

describe('the version of a conversation', () => {
  const id = idOf('conv', 11);
  const said = (ordinal: number) => message(idOf('msg', 1000 + ordinal), id, ordinal);
  const read = (caller: Caller, headers: Record<string, string> = {}) =>
    caller.call<Conversation>(`/v1/conversations/${id}`, { headers });

  test('is restored exactly, in however many batches its messages arrive', async () => {
    const caller = await newAccount(daemon);
    await portable(caller).importFile([
      conversation(id, { version: 7 }),
      ...[...Array(501).keys()].map((n) => said(n + 1)),
    ]);
    expect((await read(caller)).body).toMatchObject({ version: 7, updatedAt: at, messageCount: 501 });
  });

  test('is raised by a later import that adds messages, not by one that adds none', async () => {
    const caller = await newAccount(daemon);
    const lines = [conversation(id, { version: 7 }), said(1)];
    await portable(caller).importFile(lines);
    const etag = (await read(caller)).headers.get('etag')!;
    await portable(caller).importFile(lines);
    expect((await read(caller, { 'if-none-match': etag })).status).toBe(304);
    await portable(caller).importFile([...lines, said(2), said(3)]);
    const { status, body } = await read(caller, { 'if-none-match': etag });
    expect([status, body.version, body.messageCount]).toEqual([200, 8, 3]);
    expect(body.updatedAt).not.toBe(at);
    const change = { method: 'PATCH', body: { title: 'Tea' }, headers: { 'if-match': etag } };
    expect((await caller.call(`/v1/conversations/${id}`, change)).status).toBe(412);
  });
});

describe('a quota', () => {
  test('ends an import at the last allowed memory with a report; sending the file again later continues it', async () => {
    const caller = await newAccount(daemon, 'Free');
    await setUsed(daemon, caller.tenantId, {
      day: new Date(daemon.clock.nowMs()).toISOString().slice(0, 10),
      memories: 97,
    });
    const replaced = version({ content: 'v1', validTo: at });
    const lines = [
      replaced,
      { ...replaced, version: 2, validTo: null, content: 'v2' },
      ...[1, 2, 3].map(() => version()),
    ];
    const talk = conversation(idOf('conv', 3));
    const text = [...lines, talk].map((line) => `${JSON.stringify(line)}\n`).join('');
    const stopped = await portable(caller).send(text);
    expect([stopped.status, stopped.headers.get('retry-after')]).toEqual([429, expect.stringMatching(/^\d+$/)]);
    expect(stopped.body).toMatchObject({
      ...{ code: 'quota_exceeded', quota: 'dailyMemories', limit: 100 },
      report: { added: { ...NONE, memories: 3 }, complete: false },
    });
    expect(await caller.list()).toHaveLength(3);
    daemon.clock.advance(24 * 3_600_000);
    const added = { ...NONE, memories: 1, conversations: 1 };
    expect(await portable(caller).importFile(text)).toMatchObject({ added, known: { memories: 3 } });
  });

  test('also counts memories that are imported without an id', async () => {
    const caller = await newAccount(daemon, 'Free');
    const text = Array.from({ length: 103 }, (_, index) => `Fact ${index}\n`).join('');
    const stopped = await portable(caller).send<Record<string, unknown>>(text, '?format=lines');
    expect(stopped.body).toMatchObject({ code: 'quota_exceeded', report: { added: { memories: 100 } } });
    expect((await caller.call('/v1/usage?days=1')).body).toMatchObject({ days: [{ memories: 100 }] });
  });
});

describe('the file', () => {
  test('is reported as incomplete if truncated, without its last memory; the whole file completes the import', async () => {
    const [from, to] = [await newAccount(daemon), await newAccount(daemon)];
    const { id } = await from.add('First');
    await from.change(id, { content: 'Second' });
    const text = await portable(from).text();
    const [head, first] = text.split('\n');
    const cut = await portable(to).importFile(`${head}\n${first}\n`);
    expect(cut).toMatchObject({ added: NONE, complete: false, reasons: [{ place: 'line 2', fault: true }] });
    expect(await portable(to).importFile(text)).toMatchObject({ added: { memories: 1 }, complete: true });
    expect((await to.history(id)).body).toEqual((await from.history(id)).body);
  });

  test.each(['{"type":"svc-export","format":"zip"}', '{"type":"svc-export","format":"svc"}', '{"type":"svc-export"}'])(
    'is rejected if its head is %s, of another program',
    async (head) => {
      const caller = await newAccount(daemon);
      const answer = await portable(caller).send(`${head}\n${JSON.stringify(version())}\n`);
      expect(answer.status).toBe(422);
      expect(await caller.list()).toEqual([]);
    },
  );

  test.each([
    'application/x-ndjson',
    'application/json',
    'text/plain; charset=utf-8',
    'application/octet-stream',
    'text/markdown',
  ])('may be sent as %s', async (type) => {
    const caller = await newAccount(daemon);
    const { status, body } = await portable(caller).send('{"content":"Tea"}', '', type);
    expect([status, body.added?.memories]).toEqual([200, 1]);
  });

  test.each(['svc', 'lines'])('may begin with a byte order mark in the format %s', async (format) => {
    const caller = await newAccount(daemon);
    const line = format === 'svc' ? '{"content":"Tea"}' : 'Tea';
    await portable(caller).importFile(`\ufeff${line}\r\n\r\n`, `?format=${format}`);
    expect(await caller.list()).toEqual(['Tea']);
  });

  test('may be empty or sent without a content type; other types and unknown parameters are rejected', async () => {
    const caller = await newAccount(daemon);
    const headers = { authorization: `Bearer ${caller.apiKey}` };
    const url = `${daemon.baseUrl}/v1/import`;
    const body = new TextEncoder().encode('{"content":"Tea"}');
    expect((await fetch(url, { method: 'POST', headers, body })).status).toBe(200);
    expect((await fetch(url, { method: 'POST', headers })).status).toBe(200);
    expect((await portable(caller).send('<a/>', '', 'text/xml')).status).toBe(415);
    expect((await portable(caller).send('', '?format=zip')).status).toBe(400);
    expect((await portable(caller).send('', '?tags=x')).status).toBe(400);
  });

  test('gets the user and tags of the query: the user only where an item names none', async () => {
    const caller = await newAccount(daemon);
    const lines = [{ content: 'Tea', tags: ['own'] }, { content: 'Cake', user: 'ben' }, version({ content: 'Rain' })];
    await portable(caller).importFile(lines, '?user=ada&tag=a&tag=b');
    const { data } = (await caller.call<{ data: { content: string; user: string; tags: string[] }[] }>('/v1/memories'))
      .body;
    const seen = Object.fromEntries(data.map(({ content, user, tags }) => [content, [user, ...tags]]));
    expect(seen).toEqual({ Tea: ['ada', 'own', 'a', 'b'], Cake: ['ben', 'a', 'b'], Rain: ['default', 'a', 'b'] });
  });
});

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Caller, instant, type MemoryDaemon, startMemoryDaemon } from './memory-daemon.ts';

let daemon: MemoryDaemon;
let caller: Caller;

beforeAll(async () => {
  daemon = await startMemoryDaemon();
  caller = await daemon.account();
});
afterAll(() => daemon.close());

describe('adding', () => {
  test('returns exactly the documented fields, with defaults', async () => {
    const answer = await caller.call('/v1/memories', { body: { content: 'Plain fact' } });
    const { id, createdAt } = answer.body as { id: string; createdAt: string };
    expect(answer.status).toBe(201);
    expect(answer.headers.get('location')).toBe(`/v1/memories/${id}`);
    expect(answer.body).toEqual({
      id: expect.stringMatching(/^mem_[0-9a-f]{32}$/),
      content: 'Plain fact',
      user: 'default',
      project: null,
      externalId: null,
      client: 'node',
      author: null,
      origin: null,
      tags: [],
      metadata: {},
      source: null,
      occurredAt: null,
      expiresAt: null,
      pinned: false,
      saidAt: null,
      validFrom: createdAt,
      validTo: null,
      supersededBy: null,
      version: 1,
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      updatedAt: createdAt,
    });
    expect((await caller.read(id)).body).toEqual(answer.body);
  });

  test('returns every accepted field, with timestamps in UTC with milliseconds', async () => {
    const given = {
      content: 'Full fact',
      user: 'ann',
      tags: ['b', 'a'],
      metadata: { deep: { list: [1, 2.5, null, true, 'x'] }, 'line\nbreak': 1, 'a.b': '' },
      source: { conversationId: 'conv_1', messageId: 'msg_1' },
    };
    const added = await caller.add(given.content, {
      ...given,
      occurredAt: '2020-02-29T12:00:00+05:30',
      expiresAt: '9999-12-31T23:59:59.999Z',
    });
    expect(added).toMatchObject({
      ...given,
      occurredAt: '2020-02-29T06:30:00.000Z',
      expiresAt: '9999-12-31T23:59:59.999Z',
      validFrom: '2020-02-29T06:30:00.000Z',
    });
    expect(added.metadata).toEqual(given.metadata);
  });

  test.each([
    ['no content', {}, '/content'],
    ['blank content', { content: ' \n\t\u00a0' }, '/content'],
    ['content that is not a string', { content: 5 }, '/content'],
    ['content of 100,001 characters', { content: 'x'.repeat(100_001) }, '/content'],
    ['an unknown field', { content: 'a', colour: 'red' }, '/colour'],
    ['an id', { content: 'a', id: 'mem_1' }, '/id'],
    ['a control character in a tag', { content: 'a', tags: ['a\u0007'] }, '/tags/0'],
    ['the same tag twice', { content: 'a', tags: ['a', 'a'] }, '/tags'],
    ['65 tags', { content: 'a', tags: Array.from({ length: 65 }, (_, index) => `t${index}`) }, '/tags'],
    ['an empty user', { content: 'a', user: '' }, '/user'],
    ['a user of 10 KB', { content: 'a', user: 'u'.repeat(10_240) }, '/user'],
    ['metadata that is a list', { content: 'a', metadata: [] }, '/metadata'],
    ['metadata without a name', { content: 'a', metadata: { '': 1 } }, '/metadata'],
    ['65 members of metadata', { content: 'a', metadata: Object.fromEntries(names(65)) }, '/metadata'],
    ['16 KiB of metadata in two-byte letters', { content: 'a', metadata: { a: 'é'.repeat(8200) } }, '/metadata'],
    ['a date that does not exist', { content: 'a', occurredAt: '2023-02-29T00:00:00Z' }, '/occurredAt'],
    ['a leap second', { content: 'a', occurredAt: '2016-12-31T23:59:60Z' }, '/occurredAt'],
    ['a time without a zone', { content: 'a', expiresAt: '2030-01-01T00:00:00' }, '/expiresAt'],
    ['an unknown source', { content: 'a', source: { page: '1' } }, '/source/page'],
    ['null for a field', { content: 'a', tags: null }, '/tags'],
  ])('%s is rejected with the path of the field, and nothing is stored', async (_, body, path) => {
    const before = await caller.list();
    const answer = await caller.call('/v1/memories', { body });
    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
    expect((answer.body.errors as { path: string }[])[0]?.path).toBe(path);
    expect(await caller.list()).toEqual(before);
  });

  test('stores and finds a memory with every field at its maximum size', async () => {
    const content = `${'🍕é漢xyzzy '.repeat(11_110)}zebra`;
    const metadata = Object.fromEntries(names(64));
    const tags = Array.from({ length: 64 }, (_, index) => 'é'.repeat(250) + index);
    const added = await caller.add(content, { user: '🧑'.repeat(256), metadata, tags });
    expect((await caller.read(added.id)).body).toMatchObject({ content, metadata, tags });
    expect(await caller.find('zebra', { user: '🧑'.repeat(256) })).toEqual([content]);
  });
});

describe('a batch', () => {
  test('returns the memories in the order sent, and the last one is the newest in the list', async () => {
    const owner = await daemon.account();
    const contents = Array.from({ length: 500 }, (_, index) => `item ${index}`);
    const added = await owner.addAll(contents.map((content) => ({ content })));
    expect(added.map(({ content }) => content)).toEqual(contents);
    expect((await owner.list('?limit=200')).slice(0, 3)).toEqual(['item 499', 'item 498', 'item 497']);
  });

  test.each([
    ['an invalid memory', [{ content: 'good' }, { content: '' }], 400, '/memories/1/content'],
    [
      'supersedes naming an unknown memory',
      [{ content: 'good' }, { content: 'b', supersedes: 'mem_no' }],
      404,
      undefined,
    ],
    ['too much metadata in its only memory', [{ content: 'b', metadata: big() }], 400, '/memories/0/metadata'],
    ['no memories', [], 400, '/memories'],
    ['501 memories', Array.from({ length: 501 }, (_, index) => ({ content: `${index}` })), 400, '/memories'],
  ])('with %s stores nothing', async (_, memories, status, path) => {
    const owner = await daemon.account();
    const answer = await owner.call('/v1/memories/batch', { body: { memories } });
    expect(answer.status).toBe(status);
    if (path) expect((answer.body.errors as { path: string }[])[0]?.path).toBe(path);
    expect(await owner.list()).toEqual([]);
    await owner.addAll([{ content: 'good' }]);
    expect(await owner.list()).toEqual(['good']);
  });

  test('can supersede a memory and add its former content again as a new one', async () => {
    const owner = await daemon.account();
    const first = await owner.add('Ada lives in Paris');
    const [second, third] = await owner.addAll([
      { content: 'Ada lives in Rome', supersedes: first.id },
      { content: 'Ada lives in Paris' },
    ]);
    expect(third).not.toHaveProperty('duplicate');
    expect((await owner.read(first.id)).body.supersededBy).toBe(second!.id);
    expect(await owner.list()).toEqual(['Ada lives in Paris', 'Ada lives in Rome']);
  });

  test('stores content that it contains twice as one memory', async () => {
    const owner = await daemon.account();
    const expiresAt = instant(daemon.clock.nowMs() - 1000);
    const [first, second] = await owner.addAll([{ content: 'Twice' }, { content: ' twice ' }]);
    expect(second).toEqual({ ...first, duplicate: true });
    await owner.addAll([
      { content: 'Gone already', expiresAt },
      { content: 'gone already', expiresAt },
    ]);
    expect(await owner.list()).toEqual(['Twice']);
  });
});

describe('the same content again', () => {
  test.each([
    ['letter for letter', 'The sky is blue', 'The sky is blue'],
    ['in other case', 'The sky is blue', 'THE SKY IS BLUE'],
    ['with other white space', 'The sky is blue', '  The\tsky\n\nis\u00a0blue '],
    ['in another normal form', 'caf\u00e9', 'cafe\u0301'],
  ])('%s does not create a second memory', async (_, first, second) => {
    const owner = await daemon.account();
    const added = await owner.add(first, { tags: ['kept'] });
    const again = await owner.call('/v1/memories', { body: { content: second, tags: ['kept'] } });
    expect(again.status).toBe(200);
    expect(again.body).toEqual({ ...added, duplicate: true });
    expect(again.headers.get('etag')).toBe((await owner.read(added.id)).headers.get('etag'));
    expect(await owner.list()).toHaveLength(1);
  });

  test('is a separate memory for another user and for another tenant', async () => {
    const [owner, other] = [await daemon.account(), await daemon.account()];
    const ids = [
      (await owner.add('Shared words')).id,
      (await owner.add('Shared words', { user: 'ann' })).id,
      (await other.add('Shared words')).id,
    ];
    expect(new Set(ids).size).toBe(3);
  });

  test('is a new memory after the first was changed, superseded, erased or expired', async () => {
    const owner = await daemon.account();
    const changed = await owner.add('One');
    await owner.change(changed.id, { content: 'Changed' });
    const superseded = await owner.add('Two');
    await owner.add('Replaces two', { supersedes: superseded.id });
    const erased = await owner.add('Three');
    await owner.erase(erased.id);
    const expired = await owner.add('Four', { expiresAt: instant(daemon.clock.nowMs() + 60_000) });
    daemon.clock.advance(60_000);
    for (const [content, former] of [
      ['One', changed],
      ['Two', superseded],
      ['Three', erased],
      ['Four', expired],
    ] as const) {
      const again = await owner.add(content);
      expect(again.duplicate).toBeUndefined();
      expect(again.id).not.toBe(former.id);
      expect(await owner.find(content)).toContain(content);
    }
  });

  test('from fifty concurrent callers is stored as one memory', async () => {
    const owner = await daemon.account();
    const added = await Promise.all(Array.from({ length: 50 }, () => owner.add('All at once')));
    expect(new Set(added.map(({ id }) => id)).size).toBe(1);
    expect(added.filter(({ duplicate }) => !duplicate)).toHaveLength(1);
  });
});

describe('erasing', () => {
  test('removes a memory, its history and its words; erasing it again is not found', async () => {
    const owner = await daemon.account();
    const { id } = await owner.add('The first secret', { tags: ['mine'] });
    await owner.change(id, { content: 'The second secret' });
    await owner.add('Stays');
    const answer = await owner.erase(id);
    expect([answer.status, answer.text]).toEqual([204, '']);
    for (const gone of [await owner.read(id), await owner.history(id), await owner.erase(id)]) {
      expect(gone.status).toBe(404);
    }
    expect(await owner.find('secret')).toEqual([]);
    expect(await owner.find('secret', { asOf: instant(daemon.clock.nowMs()) })).toEqual([]);
    expect(await owner.list('?tag=mine')).toEqual([]);
    expect(await owner.list()).toEqual(['Stays']);
  });

  test('a successor leaves the superseded memory closed, without a reference', async () => {
    const owner = await daemon.account();
    const old = await owner.add('Old');
    const young = await owner.add('Young', { supersedes: old.id });
    const etag = (await owner.read(old.id)).headers.get('etag');
    await owner.erase(young.id);
    const left = await owner.read(old.id);
    expect(left.body).toMatchObject({ supersededBy: null, validTo: expect.any(String) });
    expect(left.headers.get('etag')).not.toBe(etag);
    expect(await owner.list()).toEqual([]);
    expect(await owner.list('?includeSuperseded=true')).toEqual(['Old']);
  });
});

function names(count: number): [string, number][] {
  return Array.from({ length: count }, (_, index) => [`name ${index}`, index]);
}

function big(): Record<string, string> {
  return { a: 'x'.repeat(17_000) };
}

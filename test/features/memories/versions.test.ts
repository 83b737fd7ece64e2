import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Caller, instant, type MemoryDaemon, startMemoryDaemon } from './memory-daemon.ts';

let daemon: MemoryDaemon;
let caller: Caller;

beforeAll(async () => {
  daemon = await startMemoryDaemon();
  caller = await daemon.account();
});
afterAll(() => daemon.close());

const etagOf = async (id: string) => (await caller.read(id)).headers.get('etag')!;

describe('a change', () => {
  test('creates a new version and preserves the previous one', async () => {
    const owner = await daemon.account();
    const first = await owner.add('Version one', { tags: ['a'], metadata: { n: 1 } });
    daemon.clock.advance(1000);
    const second = await owner.change(first.id, { content: 'Version two', metadata: { n: 2 } });
    expect(second.status).toBe(200);
    const at = second.body.validFrom;
    expect(second.body).toEqual({
      ...first,
      content: 'Version two',
      metadata: { n: 2 },
      version: 2,
      saidAt: at,
      validFrom: at,
      updatedAt: at,
    });
    expect((await owner.history(first.id)).body.data).toEqual([second.body, { ...first, validTo: at }]);
    expect((await owner.read(first.id)).body).toEqual(second.body);
    expect(await owner.find('version')).toEqual(['Version two']);
  });

  test.each([
    ['tags', { tags: ['x', 'y'] }],
    ['no tags', { tags: [] }],
    ['metadata', { metadata: { a: { b: [null] } } }],
    ['when it happened', { occurredAt: '2001-01-01T00:00:00.000Z' }],
    ['that it happened at no certain time', { occurredAt: null }],
    ['when it expires', { expiresAt: '2999-01-01T00:00:00.000Z' }],
    ['that it never expires', { expiresAt: null }],
    ['content', { content: 'Other words' }],
  ])('of %s leaves everything else as it was, and what says something else was said now', async (_, change) => {
    const owner = await daemon.account();
    const first = await owner.add('Words', {
      tags: ['t'],
      metadata: { m: 1 },
      occurredAt: '2000-01-01T00:00:00Z',
      expiresAt: '2990-01-01T00:00:00Z',
      user: 'ann',
      source: { messageId: 'm1' },
    });
    const { body } = await owner.change(first.id, change);
    const { validFrom, updatedAt } = body;
    const saidAt = 'content' in change ? updatedAt : null;
    expect(body).toEqual({ ...first, ...change, version: 2, saidAt, validFrom, updatedAt });
  });

  test.each([
    ['nothing named', {}],
    ['content that is null', { content: null }],
    ['blank content', { content: ' ' }],
    ['another user', { user: 'ann' }],
    ['the version', { version: 7 }],
    ['supersedes', { supersedes: 'mem_1' }],
  ])('with %s is refused and makes no version', async (_, body) => {
    const { id } = await caller.add(`Unchanged by ${_}`);
    expect((await caller.change(id, body)).status).toBe(400);
    expect((await caller.history(id)).body.data).toHaveLength(1);
  });

  test('without effect creates no version', async () => {
    const first = await caller.add('Steady', { tags: ['s'], occurredAt: '2000-01-01T00:00:00Z' });
    const { body } = await caller.change(first.id, {
      content: 'Steady',
      tags: ['s'],
      occurredAt: '2000-01-01T01:00:00+01:00',
    });
    expect(body).toEqual(first);
  });

  test('to the content of another memory is a conflict while that memory exists', async () => {
    const owner = await daemon.account();
    const other = await owner.add('Taken');
    const { id } = await owner.add('Mine');
    expect(await owner.change(id, { content: ' TAKEN' })).toMatchObject({ status: 409, body: { code: 'conflict' } });
    expect((await owner.read(id)).body.version).toBe(1);
    await owner.erase(other.id);
    expect((await owner.change(id, { content: ' TAKEN' })).status).toBe(200);
  });

  test('to the content of an expired memory is accepted', async () => {
    const owner = await daemon.account();
    await owner.add('For a minute', { expiresAt: instant(daemon.clock.nowMs() + 60_000) });
    const { id } = await owner.add('For ever');
    expect((await owner.change(id, { content: 'For a minute' })).status).toBe(409);
    daemon.clock.advance(60_000);
    expect((await owner.change(id, { content: 'For a minute' })).status).toBe(200);
    expect(await owner.list()).toEqual(['For a minute']);
  });

  test('of case alone is accepted, although the content counts as the same', async () => {
    const { id } = await caller.add('only case');
    expect((await caller.change(id, { content: 'Only Case' })).body).toMatchObject({
      content: 'Only Case',
      version: 2,
    });
  });

  test('to a superseded memory is a conflict; to its successor it is accepted', async () => {
    const old = await caller.add('Old form');
    const young = await caller.add('Young form', { supersedes: old.id });
    expect((await caller.change(old.id, { tags: ['x'] })).status).toBe(409);
    expect((await caller.change(young.id, { tags: ['x'] })).status).toBe(200);
  });
});

describe('validTo', () => {
  test('marks a memory as outdated without a version: only searches of the past find it', async () => {
    const owner = await daemon.account();
    const first = await owner.add('The office is in Graz', { externalId: 'office' });
    daemon.clock.advance(60_000);
    const before = instant(daemon.clock.nowMs());
    daemon.clock.advance(60_000);
    const since = instant(daemon.clock.nowMs());
    const { status, body, headers } = await owner.change(first.id, { validTo: since });
    expect([status, body]).toEqual([200, { ...first, validTo: since, updatedAt: body.updatedAt }]);
    expect(headers.get('etag')).toBe((await owner.read(first.id)).headers.get('etag'));
    expect(await owner.find('office')).toEqual([]);
    expect(await owner.find('office', { asOf: before })).toEqual(['The office is in Graz']);
    expect(await owner.list()).toEqual([]);
    expect((await owner.history(first.id)).body.data).toEqual([body]);
  });

  test('null makes it current again, as it was', async () => {
    const owner = await daemon.account();
    const first = await owner.add('The office is in Linz', { tags: ['work'] });
    await owner.change(first.id, { validTo: instant(daemon.clock.nowMs()) });
    expect((await owner.change(first.id, { tags: [] })).status).toBe(409);
    const { body } = await owner.change(first.id, { validTo: null });
    expect(body).toEqual({ ...first, updatedAt: body.updatedAt });
    expect(await owner.find('office')).toEqual(['The office is in Linz']);
    expect((await owner.change(first.id, { validTo: null })).body).toEqual(body);
  });

  test('before the memory was known ends it when it was stored; a clock that is a little ahead is accepted', async () => {
    const owner = await daemon.account();
    const [early, late] = [await owner.add('Early end'), await owner.add('Late end')];
    expect((await owner.change(early.id, { validTo: '2001-01-01T00:00:00Z' })).body.validTo).toBe(early.validFrom);
    daemon.clock.freeze();
    const now = daemon.clock.nowMs();
    expect((await owner.change(late.id, { validTo: instant(now + 60_000) })).body.validTo).toBe(instant(now));
  });

  test.each([
    ['a time in the future', { validTo: '2999-01-01T00:00:00Z' }],
    ['no time', { validTo: 'soon' }],
    ['another field beside it', { validTo: '2001-01-01T00:00:00Z', tags: ['x'] }],
    ['a patch beside it', { validTo: null, removeTags: ['x'] }],
  ])('with %s is refused and changes nothing', async (name, change) => {
    const added = await caller.add(`Holds despite ${name}`);
    const { status, body } = await caller.change(added.id, change);
    expect([status, body]).toEqual([400, expect.objectContaining({ code: 'invalid_request' })]);
    expect((await caller.read(added.id)).body).toEqual(added);
  });

  test('is a conflict for a memory that another one replaced, and while another has its content', async () => {
    const owner = await daemon.account();
    const old = await owner.add('Old home');
    const young = await owner.add('New home', { supersedes: old.id });
    for (const validTo of [null, instant(daemon.clock.nowMs())]) {
      const { status, body } = await owner.change(old.id, { validTo });
      expect([status, body]).toEqual([409, expect.objectContaining({ detail: expect.stringContaining(young.id) })]);
    }
    const same = await owner.add('Same words');
    await owner.change(same.id, { validTo: instant(daemon.clock.nowMs()) });
    expect((await owner.change(same.id, { validTo: instant(daemon.clock.nowMs()) })).status).toBe(409);
    const again = await owner.add('Same words');
    expect(again.id).not.toBe(same.id);
    expect((await owner.change(same.id, { validTo: null })).status).toBe(409);
  });

  test.each([
    ['content', 'Same words', 'Same words'],
    ['external id', 'First words', 'Other words'],
  ])('null replaces an expired memory with the same %s that was not swept yet', async (what, content, twin) => {
    const owner = await daemon.account();
    const name = what === 'content' ? {} : { externalId: 'twin' };
    const { id } = await owner.add(content, name);
    await owner.change(id, { validTo: instant(daemon.clock.nowMs()) });
    const expired = await owner.add(twin, { ...name, expiresAt: instant(daemon.clock.nowMs() + 1000) });
    expect((await owner.change(id, { validTo: null })).status).toBe(409);
    daemon.clock.advance(2000);
    expect((await owner.change(id, { validTo: null })).status).toBe(200);
    expect(await owner.list()).toEqual([content]);
    expect(await owner.find('words')).toEqual([content]);
    expect((await owner.history(expired.id)).status).toBe(404);
  });

  test('is accepted for many at once, and refused beside other fields before any is changed', async () => {
    const owner = await daemon.account();
    const ids = (await owner.addAll([{ content: 'One of two' }, { content: 'Two of two' }])).map(({ id }) => id);
    const update = (change: object) => owner.call('/v1/memories/update', { body: { ids, change } });
    const validTo = instant(daemon.clock.nowMs());
    expect((await update({ validTo, pinned: true })).status).toBe(400);
    expect((await update({ validTo })).body).toMatchObject({ updated: 2, failed: [] });
    expect(await owner.list()).toEqual([]);
    expect((await update({ validTo: null })).body).toMatchObject({ updated: 2, failed: [] });
    expect(await owner.list()).toHaveLength(2);
  });
});

describe('preconditions', () => {
  test.each([
    ['its own tag', (etag: string) => etag, 304],
    ['a weak form of it', (etag: string) => `W/${etag}`, 304],
    ['it among others', (etag: string) => `"x", ${etag}`, 304],
    ['*', () => '*', 304],
    ['another tag', () => '"x"', 200],
    ['its text without quotes', (etag: string) => etag.slice(1, -1), 200],
  ])('If-None-Match of %s is answered as HTTP says', async (name, header, status) => {
    const { id } = await caller.add(`Watched by ${name}`);
    const etag = await etagOf(id);
    expect(etag).toMatch(/^"[^"]+"$/);
    const answer = await caller.call(`/v1/memories/${id}`, { headers: { 'if-none-match': header(etag) } });
    expect(answer.status).toBe(status);
    expect(answer.text === '').toBe(status === 304);
    expect(answer.headers.get('etag')).toBe(etag);
  });

  test('the entity tag differs after each change and after the end of validity', async () => {
    daemon.clock.freeze();
    const { id } = await caller.add('Tagged anew');
    const etags = [await etagOf(id)];
    for (const content of ['Tagged once', 'Tagged twice']) {
      const { headers } = await caller.change(id, { content });
      etags.push(headers.get('etag')!);
      expect(await etagOf(id)).toBe(headers.get('etag'));
    }
    await caller.add('Takes its place', { supersedes: id });
    etags.push(await etagOf(id));
    expect(new Set(etags).size).toBe(4);
  });

  test.each([
    ['the present tag', (etag: string) => etag, true],
    ['the present tag among others', (etag: string) => `"x",${etag}`, true],
    ['*', () => '*', true],
    ['a stale tag', () => '"1-0"', false],
    ['a weak tag', (etag: string) => `W/${etag}`, false],
    ['nothing in it', () => '', false],
  ])('If-Match with %s lets a change and an erasure pass or not', async (name, header, passes) => {
    const { id } = await caller.add(`Guarded by ${name}`);
    const changed = await caller.change(id, { tags: ['new'] }, { 'if-match': header(await etagOf(id)) });
    expect(changed.status).toBe(passes ? 200 : 412);
    const erased = await caller.erase(id, { 'if-match': header(await etagOf(id)) });
    expect(erased.status).toBe(passes ? 204 : 412);
    if (!passes) expect((await caller.read(id)).body).toMatchObject({ version: 1, tags: [] });
  });

  test('one of fifty changes based on the same version is accepted', async () => {
    const { id } = await caller.add('Contended');
    const headers = { 'if-match': await etagOf(id) };
    const changes = Array.from({ length: 50 }, (_, index) => caller.change(id, { content: `Won ${index}` }, headers));
    const answers = await Promise.all(changes);
    expect(answers.filter(({ status }) => status === 412)).toHaveLength(49);
    const [won] = answers.filter(({ status }) => status === 200);
    expect((await caller.read(id)).body).toEqual(won?.body);
    expect((await caller.history(id)).body.data).toHaveLength(2);
  });

  test('fifty concurrent changes without a precondition are all stored, in a gapless history', async () => {
    const { id } = await caller.add('Round zero');
    const numbers = Array.from({ length: 50 }, (_, index) => index);
    const answers = await Promise.all(numbers.map((index) => caller.change(id, { content: `Round one ${index}` })));
    expect(answers.map(({ status }) => status)).toEqual(numbers.map(() => 200));
    const { data } = (await caller.history(id, '?limit=200')).body;
    expect(data.map(({ version }) => version)).toEqual(Array.from({ length: 51 }, (_, index) => 51 - index));
    expect(data.map(({ validTo }) => validTo).slice(1)).toEqual(data.map(({ validFrom }) => validFrom).slice(0, -1));
    expect(new Set(data.map(({ content }) => content)).size).toBe(51);
    expect((await caller.read(id)).body).toEqual(data[0]);
  });
});

describe('a history', () => {
  const versionsOf = async (id: string, query?: string) => {
    const { body } = await caller.history(id, query);
    return { versions: body.data.map(({ version }) => version), nextCursor: body.nextCursor };
  };

  test('has 50 versions on a page, 200 at most, and all of them page by page', async () => {
    const { id } = await caller.add('Tagged and retagged');
    const numbers = Array.from({ length: 202 }, (_, index) => 202 - index);
    await Promise.all(numbers.slice(1).map((number) => caller.change(id, { tags: [`retagged ${number}`] })));
    expect((await versionsOf(id)).versions).toEqual(numbers.slice(0, 50));
    const first = await versionsOf(id, '?limit=200');
    expect(first.versions).toEqual(numbers.slice(0, 200));
    expect(await versionsOf(id, `?cursor=${first.nextCursor}`)).toEqual({ versions: [2, 1], nextCursor: null });
    const three = await versionsOf(id, '?limit=3');
    expect(three.versions).toEqual([202, 201, 200]);
    const next = await versionsOf(id, `?limit=1&cursor=${three.nextCursor}`);
    expect(next.versions).toEqual([199]);
  });

  test('refuses a cursor of another memory, and a limit out of bounds', async () => {
    const [one, other] = [await caller.add('First of its pages'), await caller.add('Second of its pages')];
    await Promise.all([one, other].map(({ id }) => caller.change(id, { tags: ['paged'] })));
    const { nextCursor } = await versionsOf(one.id, '?limit=1');
    expect((await versionsOf(one.id, `?limit=1&cursor=${nextCursor}`)).versions).toEqual([1]);
    const queries = [`?limit=1&cursor=${nextCursor}`, '?limit=0', '?limit=201', '?order=asc'];
    for (const query of queries) expect((await caller.history(other.id, query)).status, query).toBe(400);
  });
});

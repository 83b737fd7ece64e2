import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { DeletedMemories, FoundMemories, UpdatedMemories } from '../../../src/contract/memories-bulk.ts';
import { newAccount } from '../portability/portable-account.ts';
import { type Caller, type MemoryDaemon, startMemoryDaemon } from './memory-daemon.ts';

let daemon: MemoryDaemon;
let caller: Caller;

beforeAll(async () => {
  daemon = await startMemoryDaemon();
});
afterAll(() => daemon.close());
beforeEach(async () => {
  caller = await newAccount(daemon);
});

const UNKNOWN = `mem_${'0'.repeat(32)}`;
const query = (body: object) => caller.call<FoundMemories>('/v1/memories/query', { body });
const update = (body: object, headers = {}) => caller.call<UpdatedMemories>('/v1/memories/update', { body, headers });
const remove = (body: object, headers = {}) => caller.call<DeletedMemories>('/v1/memories/delete', { body, headers });

/** Adds memories `Item 0` to `Item n-1`, of which every other one has the tag `even`; returns their ids. */
async function addItems(count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let start = 0; start < count; start += 500) {
    const numbers = Array.from({ length: Math.min(500, count - start) }, (_, index) => start + index);
    const added = await caller.addAll(
      numbers.map((number) => ({ content: `Item ${number}`, tags: number % 2 === 0 ? ['even'] : [] })),
    );
    ids.push(...added.map(({ id }) => id));
  }
  return ids;
}

describe('a query', () => {
  test('by ids answers them in the order given, page by page, and names the unknown', async () => {
    const ids = await addItems(5);
    await caller.erase(ids[1]!);
    const asked = [ids[4]!, UNKNOWN, ids[0]!, ids[1]!, ids[3]!, ids[2]!];
    const first = await query({ ids: asked, limit: 3, total: true });
    expect(first.body.data.map(({ content }) => content)).toEqual(['Item 4', 'Item 0', 'Item 3']);
    expect(first.body).toMatchObject({ notFound: [UNKNOWN, ids[1]], total: 4 });
    const second = await query({ ids: asked, limit: 3, cursor: first.body.nextCursor });
    expect(second.body.data.map(({ content }) => content)).toEqual(['Item 2']);
    expect(second.body).toMatchObject({ nextCursor: null, notFound: [UNKNOWN, ids[1]] });
    expect((await query({ ids: [ids[0]], cursor: first.body.nextCursor })).status).toBe(400);
  });

  test('by ids answers superseded memories too, and no expired ones', async () => {
    const old = await caller.add('Ada lives in Paris');
    await caller.add('Ada lives in Rome', { supersedes: old.id });
    const expiresAt = new Date(daemon.clock.nowMs() + 1000).toISOString();
    const brief = await caller.add('Ada is away', { expiresAt });
    daemon.clock.advance(2000);
    const { body } = await query({ ids: [brief.id, old.id] });
    expect([body.data.map(({ id }) => id), body.notFound]).toEqual([[old.id], [brief.id]]);
  });

  test('by filter answers like the list', async () => {
    await addItems(6);
    await caller.add('Other', { tags: ['even'], metadata: { n: 5 }, user: 'ada' });
    const contents = async (body: object) => (await query(body)).body.data.map(({ content }) => content);
    expect(await contents({ filter: { tags: ['even'], user: 'default' }, order: 'asc' })).toEqual([
      'Item 0',
      'Item 2',
      'Item 4',
    ]);
    expect(await contents({ filter: { metadata: { n: 5 } } })).toEqual(['Other']);
    expect(await contents({ filter: {}, limit: 2 })).toEqual(['Other', 'Item 5']);
    const first = await query({ filter: { tag: 'even' }, limit: 1, total: true });
    expect(first.body).toMatchObject({ total: 4, data: [{ content: 'Other' }] });
    expect(first.body).not.toHaveProperty('notFound');
    const next = { filter: { tag: 'even' }, limit: 1, cursor: first.body.nextCursor };
    expect(await contents(next)).toEqual(['Item 4']);
  });

  test.each([
    ['neither ids nor filter', {}, '/ids'],
    ['both', { ids: [UNKNOWN], filter: {} }, '/filter'],
    ['no ids', { ids: [] }, '/ids'],
    ['the same id twice', { ids: [UNKNOWN, UNKNOWN] }, '/ids'],
    ['10,001 ids', { ids: Array.from({ length: 10_001 }, (_, index) => `mem_${index}`) }, '/ids'],
    ['an order of ids', { ids: [UNKNOWN], orderBy: 'updatedAt' }, '/orderBy'],
    ['an unknown condition', { filter: { colour: 'red' } }, '/filter/colour'],
    ['projectOnly alone', { filter: { projectOnly: true } }, '/filter/projectOnly'],
    ['a malformed time', { filter: { after: '2020-02-30T00:00:00Z' } }, '/filter/after'],
  ])('with %s is rejected', async (_, body, path) => {
    expect(await query(body)).toMatchObject({ status: 400, body: { errors: [{ path }] } });
  });
});

describe('an update', () => {
  test('changes every match and reports what it could not change', async () => {
    const ids = await addItems(60);
    const old = await caller.add('Old');
    await caller.add('New', { supersedes: old.id });
    const asked = [...ids, old.id, UNKNOWN];
    const { status, body } = await update({ ids: asked, change: { addTags: ['bulk'], metadataPatch: { k: 1 } } });
    expect([status, body.matched, body.updated, body.dryRun]).toEqual([200, 61, 60, false]);
    expect(body.failed).toEqual([
      { id: UNKNOWN, code: 'not_found', detail: expect.any(String) },
      { id: old.id, code: 'conflict', detail: expect.stringContaining('superseded') },
    ]);
    expect(await caller.list('?limit=200&tags=bulk&metadata.k=1')).toHaveLength(60);
    expect((await caller.read(ids[0]!)).body).toMatchObject({ version: 2, tags: ['even', 'bulk'] });
  });

  test('by filter changes exactly the matches', async () => {
    await addItems(7);
    expect((await update({ filter: { tag: 'even' }, change: { project: 'p' } })).body).toMatchObject({
      ...{ matched: 4, updated: 4, failed: [] },
    });
    expect(await caller.list('?project=p&projectOnly=true')).toEqual(['Item 6', 'Item 4', 'Item 2', 'Item 0']);
  });

  test('that would make two memories the same changes one and reports the others', async () => {
    const ids = await addItems(3);
    const { body } = await update({ ids, change: { content: 'The same' } });
    expect(body).toMatchObject({ matched: 3, updated: 1, failed: [{ code: 'conflict' }, { code: 'conflict' }] });
    expect(await caller.list()).toContain('The same');
  });

  test('by filter that would make two memories the same changes the oldest', async () => {
    const ids = await addItems(3);
    await caller.change(ids[0]!, { tags: ['changed'] });
    const { body } = await update({ filter: { user: 'default' }, change: { content: 'The same' } });
    expect(body.failed.map(({ id }) => id)).toEqual([ids[1], ids[2]]);
    expect((await caller.read(ids[0]!)).body.content).toBe('The same');
  });

  test('of long texts finds them by their new words', async () => {
    const long = Array.from({ length: 30 }, (_, index) => ({ content: `${'Ada drinks tea. '.repeat(300)}${index}` }));
    const added = await caller.addAll(long);
    const { body } = await update({ ids: added.map(({ id }) => id), change: { addTags: ['zebra'] } });
    expect(body).toMatchObject({ matched: 30, updated: 30 });
    expect(await caller.find('zebra', { limit: 100 })).toHaveLength(30);
  });

  test('in a dry run counts and changes nothing', async () => {
    const ids = await addItems(3);
    const { body } = await update({ ids: [...ids, UNKNOWN], change: { pinned: true }, dryRun: true });
    expect(body).toEqual({ matched: 3, updated: 0, failed: [expect.objectContaining({ id: UNKNOWN })], dryRun: true });
    expect(await caller.list('?pinned=true')).toEqual([]);
  });

  test.each([
    ['no change', { ids: [UNKNOWN] }, '/change'],
    ['an empty change', { ids: [UNKNOWN], change: {} }, '/change'],
    ['a patch beside a replacement', { ids: [UNKNOWN], change: { tags: [], addTags: ['a'] } }, '/addTags'],
    ['an empty filter', { filter: {}, change: { pinned: true } }, '/filter'],
    ['neither ids nor filter', { change: { pinned: true } }, '/ids'],
  ])('with %s is rejected', async (_, body, path) => {
    expect(await update(body)).toMatchObject({ status: 400, body: { errors: [{ path }] } });
  });

  test('under an idempotency key is done once, and another body is refused', async () => {
    await addItems(2);
    const body = { filter: { tag: 'even' }, change: { addTags: ['x'] } };
    const first = await update(body, { 'idempotency-key': 'k' });
    await caller.add('Later', { tags: ['even'] });
    const second = await update(body, { 'idempotency-key': 'k' });
    expect(second.body).toEqual(first.body);
    expect(second.headers.get('idempotency-replayed')).toBe('true');
    expect(await caller.list('?tag=x')).toEqual(['Item 0']);
    expect((await update({ ...body, dryRun: true }, { 'idempotency-key': 'k' })).status).toBe(422);
  });
});

describe('a deletion', () => {
  test('erases every match with its history, and reports unknown ids', async () => {
    const ids = await addItems(60);
    await caller.change(ids[0]!, { content: 'Changed' });
    const { status, body } = await remove({ ids: [...ids.slice(0, 55), UNKNOWN] });
    expect([status, body]).toEqual([
      200,
      {
        matched: 55,
        deleted: 55,
        failed: [expect.objectContaining({ id: UNKNOWN, code: 'not_found' })],
        dryRun: false,
      },
    ]);
    expect(await caller.list()).toEqual(['Item 59', 'Item 58', 'Item 57', 'Item 56', 'Item 55']);
    expect((await caller.history(ids[0]!)).status).toBe(404);
    expect(await caller.find('Changed')).toEqual([]);
  });

  test('by filter erases the matches alone; a dry run and an empty filter erase nothing', async () => {
    await addItems(4);
    expect((await remove({ filter: { tag: 'even' }, dryRun: true })).body).toEqual({
      ...{ matched: 2, deleted: 0, failed: [], dryRun: true },
    });
    expect((await remove({ filter: {} })).status).toBe(400);
    expect((await remove({})).status).toBe(400);
    expect(await caller.list()).toHaveLength(4);
    expect((await remove({ filter: { tag: 'even' } })).body).toMatchObject({ matched: 2, deleted: 2 });
    expect(await caller.list()).toEqual(['Item 3', 'Item 1']);
  });

  test('does not block the writes of others', async () => {
    const ids = await addItems(500);
    const stranger = await newAccount(daemon);
    let isDone = false;
    const deletion = remove({ ids }).then((answer) => {
      isDone = true;
      return answer;
    });
    let meanwhile = 0;
    while (!isDone) {
      await stranger.add(`Meanwhile ${meanwhile}`);
      if (!isDone) meanwhile += 1;
    }
    expect((await deletion).body).toMatchObject({ deleted: 500, failed: [] });
    expect(meanwhile).toBeGreaterThan(2);
  });
});

test('what a filter no longer matches when its turn comes is neither changed nor erased', async () => {
  const [untagged, superseded, matching] = await caller.addAll(
    ['Ada keeps bees', 'Ada lives in Paris', 'Ada is bored'].map((content) => ({ content, tags: ['draft'] })),
  );
  let release = () => {};
  const held = daemon.db.writes.between(() => new Promise<void>((resolve) => (release = resolve)));
  const before = daemon.db.writes.waiting();
  const changes = [
    caller.change(untagged!.id, { removeTags: ['draft'] }),
    caller.add('Ada lives in Rome', { supersedes: superseded!.id }),
  ];
  await expect.poll(() => daemon.db.writes.waiting()).toBeGreaterThanOrEqual(before + changes.length);
  const filter = { tag: 'draft' };
  const updating = update({ filter, change: { addTags: ['old'] } });
  await expect.poll(() => daemon.db.writes.waiting()).toBeGreaterThanOrEqual(before + changes.length + 1);
  const deleting = remove({ filter });
  await expect.poll(() => daemon.db.writes.waiting()).toBeGreaterThanOrEqual(before + changes.length + 2);
  release();
  await Promise.all([held, ...changes]);
  expect((await updating).body).toMatchObject({ matched: 1, updated: 1, failed: [] });
  expect((await deleting).body).toMatchObject({ matched: 1, deleted: 1, failed: [] });
  expect((await caller.read(matching!.id)).status).toBe(404);
  expect((await caller.read(untagged!.id)).body).toMatchObject({ tags: [], version: 2 });
  expect((await caller.read(superseded!.id)).body).toMatchObject({ tags: ['draft'], version: 1 });
});

test('more than 10,000 matches are refused with advice, and nothing is changed', async () => {
  // Written straight into the table: what counts is the number of rows.
  const { id } = await caller.add('Original', { user: 'crowd' });
  await daemon.db.writes.write(caller.tenantId, (connection) =>
    connection.run(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000)
       INSERT INTO memories (id, contentHash, tenantId, version, current, scope, endUser, content, tags, metadata,
         validFrom, createdAt, updatedAt, pinned)
       SELECT 'mem_' || i, 'h' || i, tenantId, version, current, scope, endUser, content, tags, metadata, validFrom,
         createdAt, updatedAt, 0 FROM memories, n WHERE tenantId = ? AND id = ?`,
      [caller.tenantId, id],
    ),
  );
  for (const send of [update, remove]) {
    const answer = await send({ filter: { user: 'crowd' }, ...(send === update && { change: { pinned: true } }) });
    expect(answer).toMatchObject({ status: 422, body: { detail: expect.stringContaining('Narrow it') } });
  }
  expect(await caller.list('?user=crowd&pinned=true')).toEqual([]);
  const { body } = await query({ filter: { user: 'crowd' }, limit: 1, total: true });
  expect(body.total).toBe(10_001);
});

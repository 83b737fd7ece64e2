import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { mergePatch } from '../../../src/features/memories/memory-merge.ts';
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

describe('a merge patch', () => {
  /** The test cases of RFC 7396, appendix A. */
  test.each([
    ['{"a":"b"}', '{"a":"c"}', '{"a":"c"}'],
    ['{"a":"b"}', '{"b":"c"}', '{"a":"b","b":"c"}'],
    ['{"a":"b"}', '{"a":null}', '{}'],
    ['{"a":"b","b":"c"}', '{"a":null}', '{"b":"c"}'],
    ['{"a":["b"]}', '{"a":"c"}', '{"a":"c"}'],
    ['{"a":"c"}', '{"a":["b"]}', '{"a":["b"]}'],
    ['{"a":{"b":"c"}}', '{"a":{"b":"d","c":null}}', '{"a":{"b":"d"}}'],
    ['{"a":[{"b":"c"}]}', '{"a":[1]}', '{"a":[1]}'],
    ['["a","b"]', '["c","d"]', '["c","d"]'],
    ['{"a":"b"}', '["c"]', '["c"]'],
    ['{"a":"foo"}', 'null', 'null'],
    ['{"a":"foo"}', '"bar"', '"bar"'],
    ['{"e":null}', '{"a":1}', '{"e":null,"a":1}'],
    ['[1,2]', '{"a":"b","c":null}', '{"a":"b"}'],
    ['{}', '{"a":{"bb":{"ccc":null}}}', '{"a":{"bb":{}}}'],
  ])('of %s by %s is %s', (target, patch, result) => {
    expect(JSON.stringify(mergePatch(JSON.parse(target), JSON.parse(patch)))).toBe(result);
  });

  test('applied twice has the effect of once, and an empty one has none', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.jsonValue()),
        fc.dictionary(fc.string(), fc.jsonValue()),
        (target, patch) => {
          const once = mergePatch(target, patch);
          expect(mergePatch(once, patch)).toEqual(once);
          expect(mergePatch(target, {})).toEqual(target);
        },
      ),
    );
  });
});

describe('PATCH', () => {
  test('merges metadata, adds and removes tags, and makes one version', async () => {
    const { id } = await caller.add('Ada drinks tea', { tags: ['a', 'b'], metadata: { x: 1, y: { z: 1, w: 2 } } });
    const change = { metadataPatch: { x: null, y: { z: 3 }, n: [1] }, addTags: ['c', 'a'], removeTags: ['b', 'none'] };
    const { body } = await caller.change(id, change);
    expect(body).toMatchObject({ tags: ['a', 'c'], version: 2 });
    expect(body.metadata).toEqual({ y: { z: 3, w: 2 }, n: [1] });
    expect(await caller.list('?tag=c')).toEqual(['Ada drinks tea']);
    expect(await caller.list('?tag=b')).toEqual([]);
    expect((await caller.change(id, change)).body.version).toBe(2);
  });

  test('replaces metadata and tags whole where they are given themselves', async () => {
    const { id } = await caller.add('Ada drinks tea', { tags: ['a'], metadata: { x: 1 } });
    const { body } = await caller.change(id, { tags: ['b'], metadata: { y: 2 } });
    expect(body).toMatchObject({ tags: ['b'] });
    expect(body.metadata).toEqual({ y: 2 });
  });

  test.each([
    ['metadata and its patch', { metadata: {}, metadataPatch: {} }, '/metadataPatch'],
    ['tags and tags to add', { tags: ['a'], addTags: ['b'] }, '/addTags'],
    ['tags and tags to remove', { tags: [], removeTags: ['b'] }, '/removeTags'],
    ['a patch that is not an object', { metadataPatch: [] }, '/metadataPatch'],
    ['a patch that leads to 65 members', { metadataPatch: members(65) }, '/metadataPatch'],
    ['a patch that leads to 16 KiB', { metadataPatch: { big: 'x'.repeat(17_000) } }, '/metadata'],
    ['the 65th tag', { addTags: ['the 65th'] }, '/addTags'],
  ])('with %s is rejected, and nothing changes', async (_, change, path) => {
    const tags = Array.from({ length: 64 }, (_, index) => `t${index}`);
    const { id } = await caller.add('Ada drinks tea', { tags });
    expect(await caller.change(id, change)).toMatchObject({ status: 400, body: { errors: [{ path }] } });
    expect((await caller.read(id)).body).toMatchObject({ version: 1, tags });
    expect((await caller.change(id, { removeTags: ['t1'], addTags: ['new'] })).status).toBe(200);
  });

  test('concurrently adding 50 tags loses none', async () => {
    const { id } = await caller.add('Ada drinks tea');
    const tags = Array.from({ length: 50 }, (_, index) => `t${index}`);
    await Promise.all(tags.map((tag) => caller.change(id, { addTags: [tag] })));
    expect((await caller.read(id)).body.tags.sort()).toEqual(tags.sort());
  });
});

describe('adding the same content again', () => {
  test('adds the tags and metadata members that the memory lacks, as a new version', async () => {
    const { id } = await caller.add('Ada drinks tea', { tags: ['a'], metadata: { x: 1 } });
    const again = await caller.add('ada drinks  TEA', { tags: ['b', 'a'], metadata: { x: 2, y: { z: 1 } } });
    expect(again).toMatchObject({ id, duplicate: true, content: 'Ada drinks tea', version: 2, tags: ['a', 'b'] });
    expect(again.metadata).toEqual({ x: 1, y: { z: 1 } });
    const { duplicate, ...stored } = again;
    expect((await caller.read(id)).body).toEqual(stored);
    expect(await caller.list('?tag=b')).toEqual(['Ada drinks tea']);
    expect(await caller.find('b')).toEqual(['Ada drinks tea']);
    expect((await caller.history(id)).body.data).toHaveLength(2);
  });

  test('adds no version if it brings nothing new, whatever else differs', async () => {
    const { id } = await caller.add('Ada drinks tea', { tags: ['a'], metadata: { x: 1 } });
    const again = { tags: ['a'], metadata: { x: 2 }, pinned: true, occurredAt: '2020-01-01T00:00:00Z' };
    expect(await caller.add('Ada drinks tea', again)).toMatchObject({ id, duplicate: true, version: 1, pinned: false });
  });

  test.each([
    ['without an expiry makes it last', '2031-01-01T00:00:00.000Z', undefined, null],
    [
      'with a later expiry moves it there',
      '2031-01-01T00:00:00.000Z',
      '2032-01-01T00:00:00.000Z',
      '2032-01-01T00:00:00.000Z',
    ],
    [
      'with an earlier expiry changes nothing',
      '2032-01-01T00:00:00.000Z',
      '2031-01-01T00:00:00.000Z',
      '2032-01-01T00:00:00.000Z',
    ],
    ['with an expiry does not end what lasts', undefined, '2031-01-01T00:00:00.000Z', null],
  ])('%s', async (_, before, again, expected) => {
    const { id } = await caller.add('Ada drinks tea', { ...(before && { expiresAt: before }) });
    const second = await caller.add('Ada drinks tea', { ...(again && { expiresAt: again }) });
    expect(second).toMatchObject({ id, duplicate: true, expiresAt: expected });
    expect((await caller.read(id)).body.expiresAt).toBe(expected);
  });

  test('within a batch completes the one memory', async () => {
    const stored = await caller.add('Known', { tags: ['a'] });
    const [first, second, third, fourth] = await caller.addAll([
      { content: 'New', tags: ['a'] },
      { content: 'new', tags: ['b'], metadata: { x: 1 } },
      { content: 'Known', tags: ['b'] },
      { content: 'known', tags: ['c'] },
    ]);
    expect([first!.duplicate, second!.duplicate, third!.duplicate]).toEqual([undefined, true, true]);
    expect(second).toMatchObject({ id: first!.id, version: 1, tags: ['a', 'b'], metadata: { x: 1 } });
    expect(fourth).toMatchObject({ id: stored.id, version: 2, tags: ['a', 'b', 'c'] });
    expect((await caller.read(first!.id)).body).toEqual({ ...first, tags: ['a', 'b'], metadata: { x: 1 } });
    expect(await caller.list('?tag=c')).toEqual(['Known']);
  });

  test('by 50 requests at once loses no tag', async () => {
    const tags = Array.from({ length: 50 }, (_, index) => `t${index}`);
    const answers = await Promise.all(tags.map((tag) => caller.add('Ada drinks tea', { tags: [tag] })));
    expect(new Set(answers.map(({ id }) => id)).size).toBe(1);
    const { body } = await caller.read(answers[0]!.id);
    expect(body.tags.sort()).toEqual(tags.sort());
    expect((await caller.history(body.id)).body.data).toHaveLength(body.version);
  });

  test('and superseding the memory in the same batch leaves it complete and closed', async () => {
    const old = await caller.add('Ada lives in Paris', { tags: ['a'] });
    daemon.clock.advance(1000);
    const [again, next] = await caller.addAll([
      { content: 'Ada lives in Paris', tags: ['b'] },
      { content: 'Ada lives in Rome', supersedes: old.id },
    ]);
    expect(again).toMatchObject({ id: old.id, duplicate: true });
    const { body } = await caller.read(old.id);
    expect(body).toMatchObject({ tags: ['a', 'b'], version: 2, supersededBy: next!.id });
    expect(body.validTo! >= body.validFrom).toBe(true);
    expect(await caller.find('lives')).toEqual(['Ada lives in Rome']);
  });

  test('of a long text adds its tags too', async () => {
    const content = 'Ada drinks tea. '.repeat(1000);
    const { id } = await caller.add(content, { tags: ['a'] });
    expect(await caller.add(content, { tags: ['zebra'] })).toMatchObject({ id, version: 2, tags: ['a', 'zebra'] });
    expect(await caller.find('zebra')).toEqual([content]);
  });

  test('is rejected if the tags or the metadata would be too many, and changes nothing', async () => {
    const tags = Array.from({ length: 64 }, (_, index) => `t${index}`);
    const { id } = await caller.add('Full', { tags, metadata: members(64) });
    for (const more of [{ tags: ['more'] }, { metadata: { more: 1 } }]) {
      expect((await caller.call('/v1/memories', { body: { content: 'Full', ...more } })).status).toBe(400);
    }
    expect((await caller.read(id)).body.version).toBe(1);
  });

  test('in another project makes it a memory of no project; without a project it stays', async () => {
    const { id } = await caller.add('Use tabs', { project: 'a' });
    expect(await caller.add('Use tabs')).toMatchObject({ id, project: 'a', version: 1 });
    expect(await caller.add('Use tabs', { project: 'a' })).toMatchObject({ id, project: 'a', version: 1 });
    expect(await caller.add('Use tabs', { project: 'b' })).toMatchObject({ id, project: null, version: 2 });
    expect(await caller.list('?project=b')).toEqual(['Use tabs']);
  });

  test('replayed under an idempotency key answers as at first and adds nothing', async () => {
    await caller.add('Ada drinks tea');
    const request = { body: { content: 'Ada drinks tea', tags: ['a'] }, headers: { 'idempotency-key': 'k' } };
    const first = await caller.call('/v1/memories', request);
    const second = await caller.call('/v1/memories', request);
    expect(second.body).toEqual(first.body);
    expect(first.body).toMatchObject({ duplicate: true, version: 2 });
  });
});

function members(count: number): Record<string, number> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`m${index}`, index]));
}

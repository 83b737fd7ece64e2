import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Caller, type MemoryDaemon, startMemoryDaemon } from '../features/memories/memory-daemon.ts';
import { MEMORY_OPERATIONS } from './memory-operations.ts';

let daemon: MemoryDaemon;
let owner: Caller;

beforeAll(async () => {
  daemon = await startMemoryDaemon();
  owner = await daemon.account();
});
afterAll(() => daemon.close());

test('bulk calls neither show nor change another tenant’s memories; the owner reaches them', async () => {
  const stranger = await daemon.account();
  const { id } = await owner.add('The basilisk guards the tower', { tags: ['tower'] });
  const before = (await owner.read(id)).body;
  const never = `mem_${'0'.repeat(32)}`;
  for (const [verb, more] of [
    ['query', {}],
    ['update', { change: { pinned: true } }],
    ['delete', {}],
  ] as const) {
    const path = `/v1/memories/${verb}`;
    const byId = async (of: string) =>
      (await stranger.call(path, { body: { ids: [of], ...more } })).text.replaceAll(of, 'ID');
    expect(await byId(id)).toBe(await byId(never));
    const { text } = await stranger.call(path, { body: { filter: { tag: 'tower' }, ...more } });
    expect(text).not.toContain('basilisk');
    expect((await owner.read(id)).body).toEqual(before);
  }
  const body = { filter: { tag: 'tower' }, limit: 1 };
  const found = await owner.call<{ data: object[] }>('/v1/memories/query', { body });
  expect(found.body.data).toEqual([before]);
  expect((await owner.call('/v1/memories/delete', { body: { ids: [id] } })).body).toMatchObject({ deleted: 1 });
});

test('counts of uses leave out another tenant’s memories; the owner gets them', async () => {
  const stranger = await daemon.account();
  const { id } = await owner.add('The basilisk drinks at noon');
  await owner.find('basilisk noon');
  const path = `/v1/memories/uses?id=${id}&id=mem_${'0'.repeat(32)}`;
  await expect.poll(async () => (await owner.call(path)).body).toEqual({ data: [{ id, shown: 1, used: 0 }] });
  expect((await stranger.call(path)).body).toEqual({ data: [] });
});

const CONTENT = 'The basilisk guards the well';

test.each(Object.entries(MEMORY_OPERATIONS))(
  'another tenant’s memory is as good as missing for %s, and so is another user’s; the owner reaches it',
  async (name, { path, options, foreign, own }) => {
    const stranger = await daemon.account();
    const externalId = name.replaceAll(' ', '-');
    const mine = await owner.add(`${CONTENT}: ${name}`, { externalId });
    const ofAda = await owner.add(CONTENT, { externalId: `${externalId}-of-ada`, user: 'ada' });
    const unknown = { id: `mem_${'0'.repeat(32)}`, externalId: `${externalId}-of-ada` };
    const answers = [
      await stranger.call(path({ id: mine.id, externalId }), options({ id: mine.id, externalId })),
      await stranger.call(path(unknown), options(unknown)),
      await owner.call(path(unknown), options({ ...unknown, id: ofAda.id })),
    ];
    for (const { status, text } of answers) {
      expect(status, text).toBe(foreign);
      expect(text).not.toContain('basilisk');
    }
    expect((await owner.read(mine.id)).body).toEqual(mine);
    expect((await owner.read(ofAda.id)).body).toEqual(ofAda);
    const named = { id: mine.id, externalId };
    expect((await owner.call(path(named), options(named))).status).toBe(own);
    await owner.erase(ofAda.id);
  },
);

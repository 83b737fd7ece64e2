import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Caller, type MemoryDaemon, startMemoryDaemon } from '../features/memories/memory-daemon.ts';
import { USER_OPERATIONS } from './user-operations.ts';
import { visible } from './visible-answer.ts';

let daemon: MemoryDaemon;
let owner: Caller;
let stranger: Caller;

beforeAll(async () => {
  daemon = await startMemoryDaemon();
  owner = await daemon.account();
  stranger = await daemon.account();
  await stranger.add('The wyvern sleeps', { user: 'both' });
});
afterAll(() => daemon.close());

test.each(Object.entries(USER_OPERATIONS))(
  'another tenant’s user is indistinguishable from a missing one when %s; its tenant succeeds',
  async (_, { method, succeeds }) => {
    const user = `only-theirs-${method}`;
    await owner.add('The basilisk guards the well', { user });
    const call = (caller: Caller, name: string) => caller.call(`/v1/users/${name}`, { method });
    const [foreign, missing] = [await call(stranger, user), await call(stranger, 'never-there')];
    expect(foreign.status).toBe(404);
    expect(visible(foreign)).toEqual(visible(missing));
    expect(await owner.find('basilisk', { user })).toHaveLength(1);
    expect((await call(owner, user)).status).toBe(succeeds);
  },
);

test('a user of the same name in another account stays when one is erased, and each account lists its own', async () => {
  await owner.add('The basilisk guards the well', { user: 'both' });
  expect((await owner.call('/v1/users/both', { method: 'DELETE' })).status).toBe(204);
  expect(await stranger.find('wyvern', { user: 'both' })).toEqual(['The wyvern sleeps']);
  const listed = (await stranger.call<{ data: { user: string }[] }>('/v1/users')).body.data;
  expect(listed.map(({ user }) => user)).toEqual(['both']);
});

test('a cursor of another account is refused', async () => {
  await owner.add('One', { user: 'one' });
  await owner.add('Two', { user: 'two' });
  const { nextCursor } = (await owner.call<{ nextCursor: string }>('/v1/users?limit=1')).body;
  expect((await stranger.call(`/v1/users?limit=1&cursor=${nextCursor}`)).status).toBe(400);
  expect((await owner.call(`/v1/users?limit=1&cursor=${nextCursor}`)).status).toBe(200);
});

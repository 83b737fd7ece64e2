import { afterAll, beforeAll, expect, test } from 'vitest';
import { type MemoryDaemon, startMemoryDaemon } from '../features/memories/memory-daemon.ts';
import { addMember, invite, newPerson, newSpace, type Person } from '../features/spaces/space-callers.ts';
import { SPACE_OPERATIONS } from './space-operations.ts';
import { visible } from './visible-answer.ts';

let daemon: MemoryDaemon;
let owner: Person;
let stranger: Person;
let space: string;
let guest: string;

beforeAll(async () => {
  daemon = await startMemoryDaemon();
  owner = await newPerson(daemon);
  stranger = await newPerson(daemon);
  await newSpace(stranger);
  const made = await newSpace(owner);
  // With a second owner, the first can leave.
  await addMember(owner, made, await newPerson(daemon), 'owner');
  space = made.id;
  guest = (await invite(owner, made, 'guest@example.com', 'writer')).id;
});
afterAll(() => daemon.close());

const NEVER = `ten_${'0'.repeat(32)}`;

test('another’s space is indistinguishable from a missing one by every route; its owner succeeds', async () => {
  for (const [name, { method, path, body }] of Object.entries(SPACE_OPERATIONS)) {
    const call = (caller: Person, id: string) => caller.call(`/v1/spaces/${id}${path(guest)}`, { method, body });
    const [foreign, missing] = [await call(stranger, space), await call(stranger, NEVER)];
    expect(foreign.status, name).toBe(404);
    expect(visible(foreign, space), name).toEqual(visible(missing, NEVER));
    if (name !== 'erase') expect((await call(owner, space)).status, name).toBeLessThan(300);
  }
});

test.each(['*', 'daemon', 'ten_a,ten_b', `${NEVER},${NEVER}`, 'x'.repeat(300)])(
  'an id that is none, such as %j, names no space',
  async (id) => {
    for (const { method, path, body } of Object.values(SPACE_OPERATIONS)) {
      const answer = await owner.call(`/v1/spaces/${encodeURIComponent(id)}${path(guest)}`, { method, body });
      expect(answer.status).toBe(404);
    }
  },
);

import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { type Caller, type MemoryDaemon, startMemoryDaemon } from '../features/memories/memory-daemon.ts';
import { addMember, inSpace, newPerson, newSpace } from '../features/spaces/space-callers.ts';
import { dropDatabase, ensureDatabase } from '../helpers/postgres/databases.ts';

const NAME = 'spaces_of_daemons';
let one: MemoryDaemon;
let other: MemoryDaemon;

beforeAll(async () => {
  const { adminUrl, template } = inject('postgres');
  const databaseUrl = await ensureDatabase(adminUrl, NAME, template);
  one = await startMemoryDaemon({ databaseUrl });
  other = await startMemoryDaemon({ databaseUrl });
}, 60_000);

afterAll(async () => {
  await Promise.all([one?.close(), other?.close()]);
  await dropDatabase(inject('postgres').adminUrl, NAME);
});

test('a member removed at one daemon is refused at another by the next request, and its open stream there ends', async () => {
  const [owner, member] = [await newPerson(one), await newPerson(one)];
  const space = await newSpace(owner);
  const { id } = await addMember(owner, space, member, 'writer');
  const there = inSpace(other, member, space.id);
  const { id: memory } = await there.add('The ferry leaves at nine');
  const response = await fetch(`${other.baseUrl}/v1/events`, {
    headers: { authorization: `Bearer ${member.apiKey}`, 'x-svc-space': space.id },
  });
  const stream = response.body!.getReader();
  await stream.read();
  expect((await owner.call(`/v1/spaces/${space.id}/members/${id}`, { method: 'DELETE' })).status).toBe(204);
  expect((await there.read(memory)).status).toBe(404);
  expect((await there.call('/v1/memories', { body: { content: 'Too late' } })).status).toBe(404);
  other.clock.advance(4000);
  while (!(await stream.read()).done);
  expect((await inSpace(one, owner, space.id).read(memory)).status).toBe(200);
});

test('two owners who demote each other at two daemons leave one', async () => {
  for (let round = 0; round < 3; round += 1) {
    const [ada, lin] = [await newPerson(one), await newPerson(one)];
    const space = await newSpace(ada);
    await addMember(ada, space, lin, 'owner');
    const path = `/v1/spaces/${space.id}/members`;
    const { data } = (await ada.call<{ data: { id: string; email: string }[] }>(path)).body;
    const demote = (daemon: MemoryDaemon, caller: Caller, email: string) => {
      const { id } = data.find((row) => row.email === email)!;
      return daemon.call(caller.apiKey, `${path}/${id}`, { method: 'PATCH', body: { role: 'reader' } });
    };
    const answers = await Promise.all([demote(one, ada, lin.email), demote(other, lin, ada.email)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 403]);
  }
});

test('a space erased at one daemon is gone at another', async () => {
  const [owner, member] = [await newPerson(one), await newPerson(one)];
  const space = await newSpace(owner);
  await addMember(owner, space, member, 'writer');
  expect((await owner.call(`/v1/spaces/${space.id}`, { method: 'DELETE' })).status).toBe(204);
  expect((await inSpace(other, member, space.id).search('ferry')).status).toBe(404);
});

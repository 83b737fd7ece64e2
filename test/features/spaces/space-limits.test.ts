import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Account } from '../../../src/contract/account.ts';
import type { Tier } from '../../../src/contract/limits.ts';
import { MAX_JOINED_SPACES, OWNED_SPACES, type Space } from '../../../src/contract/spaces.ts';
import { makeTenant } from '../limits/tenants.ts';
import { createCaller, type MemoryDaemon, startMemoryDaemon } from '../memories/memory-daemon.ts';
import { addMember, invite, newPerson, newSpace, type Person } from './space-callers.ts';

let daemon: MemoryDaemon;
let made = 0;

beforeAll(async () => {
  daemon = await startMemoryDaemon();
});
afterAll(() => daemon.close());

async function personOf(tier: Tier): Promise<Person> {
  made += 1;
  const { apiKey } = await makeTenant(daemon, `limits-${made}@example.com`, tier);
  const { email, tenantId } = (await daemon.call<Account>(apiKey, '/v1/account')).body;
  return { ...createCaller(daemon.call, apiKey, tenantId), email };
}

const statusesOf = (answers: readonly { status: number }[], status: number) =>
  answers.filter((answer) => answer.status === status);

test.each(['Free', 'Pro'] as const)(
  'an account of the tier %s owns few spaces, also if it makes them at once',
  async (tier) => {
    const person = await personOf(tier);
    const most = OWNED_SPACES[tier];
    const answers = await Promise.all(
      Array.from({ length: most + 5 }, (_, count) => person.call('/v1/spaces', { body: { name: `space ${count}` } })),
    );
    expect(statusesOf(answers, 201)).toHaveLength(most);
    expect(statusesOf(answers, 422)).toHaveLength(5);
    expect(statusesOf(answers, 422)[0]).toMatchObject({
      body: { detail: expect.stringContaining(`owns at most ${most} spaces. Erase one`) },
    });
  },
);

test('an account becomes owner of no more by being made owner, or by joining as one', async () => {
  const [owner, person] = [await newPerson(daemon), await personOf('Free')];
  for (let count = 1; count < OWNED_SPACES.Free; count += 1) await newSpace(person);
  const [one, other, third] = [
    await newSpace(owner, 'one'),
    await newSpace(owner, 'other'),
    await newSpace(owner, 'third'),
  ];
  const members = [await addMember(owner, one, person, 'writer'), await addMember(owner, other, person, 'writer')];
  const promote = (space: Space, index: number) =>
    owner.call(`/v1/spaces/${space.id}/members/${members[index]!.id}`, { method: 'PATCH', body: { role: 'owner' } });
  const answers = await Promise.all([promote(one, 0), promote(other, 1)]);
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 422]);
  await invite(owner, third, person.email, 'owner');
  expect((await person.call(`/v1/spaces/${third.id}/join`, { method: 'POST' })).status).toBe(422);
});

test('an account is in no more than a hundred spaces, also if it joins them at once', async () => {
  const person = await newPerson(daemon);
  const joined = MAX_JOINED_SPACES - 2;
  const owner = await newPerson(daemon);
  const first = await newSpace(owner);
  // Memberships of spaces that are made in the database: invitations are few an hour.
  await daemon.db.writes.write('daemon', async (connection) => {
    for (let count = 0; count < joined + 6; count += 1) {
      const tenantId = `ten_${String(count).padStart(32, 'e')}`;
      await connection.run(
        `INSERT INTO tenants (tenantId, email, tier, createdAt) SELECT ?, ?, tier, createdAt FROM tenants WHERE tenantId = ?`,
        [tenantId, `space:${tenantId}`, first.id],
      );
      await connection.run('INSERT INTO spaces (tenantId, name, createdAt) VALUES (?, ?, 1)', [tenantId, `s${count}`]);
      const isJoined = count < joined;
      await connection.run(
        `INSERT INTO spaceMembers (tenantId, id, email, memberId, role, createdAt, joinedAt, expiresAt)
         VALUES (?, ?, ?, ?, 'reader', 1, ?, ?)`,
        [
          tenantId,
          `mbr_${count}`,
          person.email,
          isJoined ? person.tenantId : null,
          isJoined ? 1 : null,
          isJoined ? null : 9e15,
        ],
      );
    }
  });
  const answers = await Promise.all(
    Array.from({ length: 6 }, (_, index) => `ten_${String(joined + index).padStart(32, 'e')}`).map((id) =>
      person.call(`/v1/spaces/${id}/join`, { method: 'POST' }),
    ),
  );
  expect(statusesOf(answers, 200)).toHaveLength(2);
  expect(statusesOf(answers, 422)).toHaveLength(4);
  const { body } = await person.call<{ data: Space[] }>('/v1/spaces');
  expect(body.data.filter(({ state }) => state === 'joined')).toHaveLength(MAX_JOINED_SPACES);
});

test('a daemon on which only the operator makes spaces says so with the list, and refuses others', async () => {
  const strict = await startMemoryDaemon({ config: { spaces: 'operator' } });
  try {
    const person = await newPerson(strict);
    expect((await person.call('/v1/spaces')).body).toMatchObject({ makers: 'operator' });
    expect((await person.call('/v1/spaces', { body: { name: 'team' } })).status).toBe(403);
    const open = await newPerson(daemon);
    expect((await open.call('/v1/spaces')).body).toMatchObject({ makers: 'everyone' });
  } finally {
    await strict.close();
  }
});

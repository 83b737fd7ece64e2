import * as spaces from '../../../src/features/spaces/spaces-store.ts';
import { ownersOf, readerOf, write } from './twin-statements.ts';
import type { Scenario, Twin } from './twin-world.ts';

/** Address of a member who is in both spaces. */
const BOTH = 'both@example.com';

/** Makes the tenant a space with a member and an invitation. */
export async function fillSpaces(twin: Twin): Promise<void> {
  const { tenantId, name } = twin;
  await write(twin, async (connection) => {
    await spaces.insertSpace(connection, { tenantId, name, createdAt: 1 });
    const row = { tenantId, role: 'owner', invitedBy: BOTH, createdAt: 1 } as const;
    const joined = { memberId: 'ten_member', joinedAt: 1, expiresAt: null };
    // Of another role in each, so that a role of the other space shows.
    const role = name === 'ada' ? 'owner' : 'writer';
    await spaces.insertMember(connection, { ...row, ...joined, role, id: 'mbr_joined', email: BOTH });
    const own = { memberId: tenantId, email: `${name}@example.com` };
    await spaces.insertMember(connection, { ...row, ...joined, ...own, id: 'mbr_own' });
    const invited = { memberId: null, joinedAt: null, expiresAt: 9 };
    await spaces.insertMember(connection, { ...row, ...invited, id: 'mbr_invited', email: 'guest@example.com' });
    for (const table of ['memories', 'activity', 'webhooks']) {
      await connection.run(`UPDATE ${table} SET author = ? WHERE tenantId = ?`, [BOTH, tenantId]);
    }
    await connection.run('UPDATE jobs SET author = ? WHERE tenantId = ?', [BOTH, tenantId]);
    await connection.run('UPDATE suggestions SET decidedBy = ? WHERE tenantId = ? AND decidedBy IS NULL', [
      BOTH,
      tenantId,
    ]);
    const entry = { at: 1, actor: BOTH, action: 'invited', subject: BOTH, detail: name } as const;
    await spaces.insertLog(connection, { tenantId, id: 'log_1', ...entry });
  });
}

/** The statements of spaces, whose members have the same ids in both. */
export const SPACES: Record<string, Scenario> = {
  async 'read a space'(twin) {
    const { tenantId, record } = twin;
    const reader = readerOf(twin);
    const account = { memberId: 'ten_member', email: BOTH };
    record('own row', ownersOf([await spaces.findOwnRow(reader, tenantId, account)]));
    record(
      'own invitation',
      ownersOf([await spaces.findOwnRow(reader, tenantId, { memberId: '', email: 'guest@example.com' })]),
    );
    record('name', await spaces.findName(reader, tenantId));
    record('member', ownersOf([await spaces.findMember(reader, tenantId, 'mbr_joined')]));
    record('address', ownersOf([await spaces.findByAddress(reader, tenantId, BOTH)]));
    record('members', ownersOf(await spaces.listMembers(reader, tenantId)));
    record('log', ownersOf(await spaces.listLog(reader, { tenantId, beforeId: '~', limit: 9 })));
    const seen = (await spaces.listSeen(reader, account, 0)).filter((row) => row.tenantId === tenantId);
    record(
      'seen',
      seen.map(({ name, members, storedBytes }) => [name, members, storedBytes]),
    );
    record(
      'acting',
      (await spaces.findActing(reader, 'ten_member', tenantId)).map(({ name }) => name),
    );
  },

  async 'list and lock accounts and spaces'(twin) {
    const { tenantId, record } = twin;
    const all = (await spaces.listAllSpaces(readerOf(twin))).filter((row) => row.tenantId === tenantId);
    record(
      'all',
      all.map(({ name, members, storedBytes }) => [name, members, storedBytes]),
    );
    await write(twin, async (connection) => {
      const setErased = (at: number | null) =>
        connection.run('UPDATE tenants SET erasedAt = ? WHERE tenantId = ?', [at, tenantId]);
      record('is there', await spaces.lockTenants(connection, [tenantId]));
      record('role', await spaces.findRole(connection, tenantId, 'ten_member'));
      record('joined', await spaces.countJoined(connection, tenantId));
      record('owned', await spaces.countOwned(connection, tenantId));
      await setErased(1);
      record('is erased', await spaces.lockTenants(connection, [tenantId]));
      record('owned', await spaces.countOwned(connection, tenantId));
      await setErased(null);
    });
  },

  async 'change a space'(twin) {
    const { tenantId, name, record } = twin;
    await write(twin, async (connection) => {
      await spaces.updateName(connection, tenantId, `${name} renamed`);
      const row = (await spaces.findMember(connection, tenantId, 'mbr_invited'))!;
      await spaces.updateMember(connection, { ...row, role: 'reader' });
      await spaces.deleteMember(connection, tenantId, 'mbr_joined');
      for (const limit of [1, 9999]) {
        const former = { tenantId, table: 'memories', author: BOTH, as: 'gone', limit } as const;
        record('authors', await spaces.updateSomeAuthors(connection, former));
      }
      await spaces.updateLogAuthors(connection, { tenantId, author: BOTH, as: 'gone' });
    });
    record('members', await spaces.listMembers(readerOf(twin), tenantId));
    record('log', await spaces.listLog(readerOf(twin), { tenantId, beforeId: '~', limit: 9 }));
  },

  async 'erase a space'(twin) {
    await write(twin, (connection) => spaces.deleteSpace(connection, twin.tenantId));
  },
};

import { AppError } from '../../contract/errors.ts';
import type { Tier } from '../../contract/limits.ts';
import { SCOPES } from '../../contract/scopes.ts';
import { OWN_SPACE, ROLES_IN_SPACE, SCOPE_OF_ROLE, type SpaceRole } from '../../contract/space-names.ts';
import { FORMER_MEMBER } from '../../contract/spaces.ts';
import { withAdmission } from '../../db/admission.ts';
import type { Connection } from '../../db/connection.ts';
import type { Database } from '../../db/open.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Ids } from '../../lib/ids.ts';
import type { Erasable } from '../erasure/erasure.ts';
import type { Claim, Created, Idempotency } from '../idempotency/idempotency.ts';
import type { ActingSpace, Principal } from '../keys/keys.ts';
import type { MembershipChanges } from './membership-changes.ts';
import {
  type AccountKey,
  type ActingRow,
  type CountedSpaceRow,
  deleteInvitationsOf,
  deleteSpace,
  findActing,
  findOwnRow,
  findRole,
  insertMember,
  insertSpace,
  listAllSpaces,
  listSeen,
  listTouched,
  lockTenants,
  updateLogAuthors,
  updateSomeAuthors,
} from './spaces-store.ts';

const PORTION = 500;

/** Who is in which space. A space is a separate tenant: see `docs/spaces.md`. */
export interface Memberships extends Erasable {
  /**
   * Returns the caller as a member who acts in a space, named by its id or name, with no more than the role allows;
   * `default` is the caller's own account. One query. Throws `not_found` for a space that the caller has not joined,
   * `conflict` for a name of several, and `forbidden` for an OAuth client that is not bound to the space.
   */
  enter(principal: Principal, idOrName: string): Promise<Principal>;
  /**
   * Returns the caller `now`, in the space in which it acted `before`, if in one. Throws `unauthenticated` for a member who
   * has left it or has a lower role now, and for a credential that is bound to another one now.
   */
  refresh(before: Principal, now: Principal): Promise<Principal>;
  /**
   * Returns the caller as a member of each space that it reads together. Throws like `enter`, `invalid_request` for a
   * caller that acts in a space already, and `forbidden` for a credential that is bound to one.
   */
  enterAll(principal: Principal, spaces: readonly string[]): Promise<Principal[]>;
  /**
   * Runs what a caller does. In a space, each of its writes there is refused, in the transaction that it writes in, once the
   * membership has ended (`not_found`, as at the next request) or has a lower role (`forbidden`).
   */
  act<T>(principal: Pick<Principal, 'space'>, work: () => T): T;
  /** Returns those of the members who are still in their spaces with their roles. */
  confirm(members: readonly Principal[]): Promise<Principal[]>;
  /**
   * Makes a space with an account as its owner, and answers with what `find` finds of it. Throws `not_found` for an account that
   * was erased, and `unprocessable` for one that owns as many as its tier allows, unless the space is made `by` the operator.
   */
  foundOnce<T>(
    account: AccountKey & { tier: Tier },
    name: string,
    made: {
      by?: 'operator';
      claim?: Claim | undefined;
      find(connection: Connection, id: string): Promise<T | undefined>;
    },
  ): Promise<Created<T>>;
  /** Lists all spaces, the newest first. For the operator. */
  listAll(): Promise<CountedSpaceRow[]>;
  /** Throws `conflict` for an account that is the only owner of a space with other members. */
  requireErasable(account: AccountKey): Promise<void>;
  /**
   * Ends all memberships and invitations of an account that is erased, and takes its address off the spaces that name it and
   * those that did `before`. Returns these, and the spaces that nobody else is in.
   */
  leaveAll(account: AccountKey, before: readonly string[]): Promise<{ alone: string[]; named: string[] }>;
}

interface Parts {
  db: Database;
  clock: Clock;
  ids: Ids;
  /** Adds a tenant in the caller's transaction. */
  addTenant(connection: Connection, tenant: NewTenant): Promise<void>;
  changes: MembershipChanges;
  idempotency: Pick<Idempotency, 'redactNaming' | 'createOrFind'>;
}

/** The tenant of a space, which has no address that anybody could sign in with. */
interface NewTenant {
  tenantId: string;
  email: string;
  tier: Tier;
  createdAt: number;
  erasedAt: null;
}

/** Creates the memberships of a database. */
export function createMemberships({ db, clock, ids, addTenant, changes, idempotency }: Parts): Memberships {
  async function findSpace({ tenantId }: Principal, idOrName: string): Promise<ActingRow | undefined> {
    const rows = await findActing(db.lookups, tenantId, idOrName);
    const byId = rows.find((row) => row.tenantId === idOrName);
    if (byId) return byId;
    if (rows.length > 1) {
      throw new AppError(
        'conflict',
        `Several of your spaces are named ${JSON.stringify(idOrName)}. Use the id of one.`,
      );
    }
    return rows[0];
  }

  async function joined(account: AccountKey) {
    return (await listSeen(db.lookups, account, clock.nowMs())).filter(({ memberId }) => memberId !== null);
  }

  async function takeOffAddress(spaceId: string, author: string): Promise<void> {
    for (const table of ['memories', 'messages'] as const) {
      const some = { tenantId: spaceId, table, author, as: FORMER_MEMBER, limit: PORTION };
      while ((await db.writes.write(spaceId, (connection) => updateSomeAuthors(connection, some))) === PORTION);
    }
    const named = { tenantId: spaceId, author, as: FORMER_MEMBER };
    await db.writes.write(spaceId, async (connection) => {
      await updateLogAuthors(connection, named);
      // What was answered to requests with an Idempotency-Key names the author, for a day.
      await idempotency.redactNaming(connection, spaceId, author);
    });
  }

  async function enter(principal: Principal, idOrName: string): Promise<Principal> {
    if (idOrName === OWN_SPACE) return principal;
    if (principal.credential.kind === 'oauth' && principal.boundTo !== idOrName) throw onlyOwnAccount();
    const found = await findSpace(principal, idOrName);
    if (!found) throw notInSpace(idOrName);
    return asMember(principal, found);
  }

  /** Finds the space in which a member acts, if it is still there with its role or a higher one. */
  async function findHeld({ id, role, member }: ActingSpace): Promise<ActingRow | undefined> {
    const [found] = await findActing(db.lookups, member.tenantId, id);
    return found && rankOf(found.role) >= rankOf(role) ? found : undefined;
  }

  return {
    enter,
    async enterAll(principal, spaces) {
      if (principal.space) {
        throw new AppError('invalid_request', 'Name spaces in X-Svc-Space or in the body, not in both.');
      }
      if (principal.boundTo !== undefined) {
        throw new AppError('forbidden', 'This connection acts in one space only. Leave out spaces.');
      }
      const members = await Promise.all(spaces.map((name) => enter(principal, name)));
      return [...new Map(members.map((member) => [member.tenantId, member])).values()];
    },
    act({ space }, work) {
      if (!space) return work();
      const { id: tenantId, name, role, member } = space;
      const check = async (connection: Connection) => {
        const held = await findRole(connection, tenantId, member.tenantId);
        if (held === undefined) throw notInSpace(name);
        if (rankOf(held) >= rankOf(role)) return;
        const message = `You are no longer ${role} of the space ${JSON.stringify(name)}.`;
        throw new AppError('forbidden', message, { extra: { role: held } });
      };
      return withAdmission({ tenantId, key: `${tenantId} ${member.tenantId} ${role}`, check }, work);
    },
    async confirm(members) {
      const holds = await Promise.all(
        members.map(async ({ space }) => !space || (await findHeld(space)) !== undefined),
      );
      return members.filter((_, index) => holds[index]);
    },
    async refresh({ space }, now) {
      const isBound = now.boundTo !== undefined || now.credential.kind === 'oauth';
      if (isBound && now.boundTo !== space?.id) {
        throw new AppError('unauthenticated', 'This connection acts in another space now.');
      }
      if (!space) return now;
      const found = await findHeld(space);
      if (found) return asMember(now, found);
      throw new AppError(
        'unauthenticated',
        `You are no longer ${space.role} of the space ${JSON.stringify(space.name)}.`,
      );
    },
    async foundOnce({ tier, ...account }, name, { by, claim, find }) {
      const tenantId = ids.next('ten');
      const nowMs = clock.nowMs();
      const create = async (connection: Connection) => {
        if (by !== 'operator') await changes.requireMayOwn(connection, account.memberId);
        await addTenant(connection, { tenantId, email: `space:${tenantId}`, tier, createdAt: nowMs, erasedAt: null });
        await insertSpace(connection, { tenantId, name, createdAt: nowMs });
        await insertMember(connection, {
          ...{ tenantId, id: ids.next('mbr'), ...account, role: 'owner' },
          ...{ invitedBy: null, createdAt: nowMs, joinedAt: nowMs, expiresAt: null },
        });
        await changes.log(connection, tenantId, { actor: account.email, action: 'created', detail: name });
        return tenantId;
      };
      return db.writes.write('daemon', async (connection) => {
        if (!(await lockTenants(connection, [account.memberId]))) throw new AppError('not_found', 'Tenant not found.');
        return idempotency.createOrFind(connection, claim, {
          create: () => create(connection),
          find: (id) => find(connection, id),
        });
      });
    },
    listAll: () => listAllSpaces(db.readers),
    async requireErasable(account) {
      for (const { tenantId, name } of await joined(account)) {
        const reader = db.readers.of(tenantId);
        const row = await findOwnRow(reader, tenantId, account);
        if (row) await changes.othersBehind(reader, row, { name });
      }
    },
    async leaveAll(account, before) {
      const alone: string[] = [];
      for (const { tenantId, name } of await joined(account)) {
        await db.writes.write(tenantId, async (connection) => {
          const row = await findOwnRow(connection, tenantId, account);
          if (!row) return;
          // Again, in the transaction: the others may be leaving, too.
          const others = await changes.othersBehind(connection, row, { name });
          if (others.length === 0) alone.push(tenantId);
          else await changes.end(connection, row, { actor: account.email, action: 'left', detail: name });
        });
      }
      const touched = new Set([...before, ...(await listTouched(db.lookups, account.email))]);
      const named = [...touched].filter((spaceId) => !alone.includes(spaceId));
      for (const spaceId of named) await takeOffAddress(spaceId, account.email);
      await db.writes.write('daemon', (connection) => deleteInvitationsOf(connection, account.email));
      return { alone, named };
    },
    async erase({ tenantId, endUser }) {
      if (endUser !== undefined) return;
      await db.writes.write(tenantId, (connection) => deleteSpace(connection, tenantId));
    },
  };
}

function rankOf(role: SpaceRole): number {
  return ROLES_IN_SPACE.indexOf(role);
}

/** The caller as a member, who may do what both the credential and the role allow. */
function asMember(principal: Principal, { tenantId, name, tier, role }: ActingRow): Principal {
  const { email, credential, client, scope } = principal;
  return {
    ...{ tenantId, email, tier, credential, client, author: email },
    scope: SCOPES[Math.min(SCOPES.indexOf(scope), SCOPES.indexOf(SCOPE_OF_ROLE[role]))]!,
    space: { id: tenantId, name, role, member: { tenantId: principal.tenantId, tier: principal.tier } },
  };
}

/** The error for an OAuth client in a space that its connection is not bound to: its consent was about the account alone. */
function onlyOwnAccount(): AppError {
  const advice = 'Leave out the space, or bind the connection to it under Connect.';
  return new AppError('forbidden', `An OAuth client acts in the account alone that allowed it. ${advice}`);
}

/** The error for a space that the caller has not joined, whether it exists or not. */
export function notInSpace(idOrName: string): AppError {
  return new AppError(
    'not_found',
    `You are in no space ${JSON.stringify(idOrName)}. GET /v1/spaces lists yours; those with the state "invited" are to be joined first.`,
  );
}

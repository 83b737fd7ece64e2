import type { BoundedListQuery } from '../../contract/common.ts';
import { AppError, changedSinceRead } from '../../contract/errors.ts';
import {
  INVITATION_DAYS,
  isReserved,
  MAX_JOINED_SPACES,
  MAX_MEMBERS,
  type MemberChange,
  type NewMember,
  type NewSpace,
  type Space,
  type SpaceAction,
  type Spaces as SpaceList,
  type SpaceLogPage,
  type SpaceLogQuery,
  type SpaceMakers,
  type SpaceMember,
  type SpaceMembers,
} from '../../contract/spaces.ts';
import type { Connection, Reader } from '../../db/connection.ts';
import type { Database } from '../../db/open.ts';
import { type Clock, toTimestamp, toTimestampOrNull } from '../../lib/clock.ts';
import { contentTagOf, countedTagOf, matchesState } from '../../lib/entity-tag.ts';
import type { Ids } from '../../lib/ids.ts';
import { normalizeEmail } from '../accounts/email-address.ts';
import type { Claim, Created, Idempotency } from '../idempotency/idempotency.ts';
import { requireMatch } from '../idempotency/precondition.ts';
import type { Principal } from '../keys/keys.ts';
import type { RateLimits } from '../limits/rate-limits.ts';
import type { MailQueue } from '../mail/mail-queue.ts';
import type { Cursors } from '../text/page-cursor.ts';
import { invitationMail } from './invitation-mail.ts';
import type { MembershipChanges } from './membership-changes.ts';
import { type Memberships, notInSpace } from './memberships.ts';
import {
  countJoined,
  deleteExpiredInvitations,
  deleteSomeLog,
  findByAddress,
  findMember,
  findName,
  findOwnRow,
  insertMember,
  listLog,
  listMembers,
  listSeen,
  lockTenants,
  type MemberRow,
  type SeenSpaceRow,
  updateMember,
  updateName,
} from './spaces-store.ts';

/** The caller's own account. */
type Caller = Pick<Principal, 'tenantId' | 'email' | 'tier'>;

/**
 * Spaces and their members. All rules are checked in the transaction that relies on them, one at a time for each space. A
 * space that the caller has not joined throws `not_found`, and a role that is not enough `forbidden`.
 */
export interface Spaces {
  /** Throws `forbidden` where only the operator makes spaces, and `unprocessable` for too many. */
  createOnce(caller: Caller, space: NewSpace, claim: Claim | undefined): Promise<Created<Space>>;
  list(caller: Caller, query: BoundedListQuery): Promise<SpaceList>;
  get(caller: Caller, id: string): Promise<Space>;
  rename(caller: Caller, id: string, space: NewSpace, ifMatch?: string): Promise<Space>;
  /** Erases the space with everything in it. */
  remove(caller: Caller, id: string, ifMatch?: string): Promise<void>;
  members(caller: Caller, id: string, query: BoundedListQuery): Promise<SpaceMembers>;
  /** Throws `conflict` for a member, `unprocessable` for too many, and `rate_limited`. */
  inviteOnce(caller: Caller, id: string, member: NewMember, claim: Claim | undefined): Promise<Created<SpaceMember>>;
  /** Throws `conflict` for the only owner. */
  changeRole(
    caller: Caller,
    id: string,
    memberId: string,
    change: MemberChange,
    ifMatch?: string,
  ): Promise<SpaceMember>;
  /** Throws `conflict` for the only owner. */
  removeMember(caller: Caller, id: string, memberId: string, ifMatch?: string): Promise<void>;
  /** Throws `gone` for an invitation that ended, and `unprocessable` for too many spaces. */
  join(caller: Caller, id: string): Promise<Space>;
  /** Leaves, or declines an invitation. Throws `conflict` for the only owner. */
  leave(caller: Caller, id: string): Promise<void>;
  log(caller: Caller, id: string, query: SpaceLogQuery): Promise<SpaceLogPage>;
  /** Logs what a member did in the space in which it acts; nothing elsewhere. */
  note(principal: Principal, action: SpaceAction, detail: string | null): Promise<void>;
  /** Deletes entries of the log after 400 days, and invitations 30 days after their end. */
  deleteOld(): Promise<void>;
}

interface Parts {
  db: Database;
  clock: Clock;
  ids: Ids;
  cursors: Cursors;
  idempotency: Pick<Idempotency, 'createOrFind' | 'findReplay'>;
  makers: SpaceMakers;
  mailQueue: MailQueue;
  rateLimits: Pick<RateLimits, 'takeInvitation' | 'takeInvitationMail'>;
  publicUrl: () => string;
  memberships: Pick<Memberships, 'foundOnce'>;
  changes: MembershipChanges;
  accounts: { erase(tenantId: string): Promise<void> };
}

const DAY_MS = 24 * 3_600_000;
const LOG_DAYS = 400;
const PORTION = 500;
const RESEND_AFTER_MS = 10 * 60_000;

/** Creates the spaces of a daemon. */
export function createSpaces({
  db,
  clock,
  ids,
  cursors,
  idempotency,
  makers,
  mailQueue,
  rateLimits,
  publicUrl,
  memberships,
  changes,
  accounts,
}: Parts): Spaces {
  const accountOf = ({ tenantId, email }: Caller) => ({ memberId: tenantId, email });

  const write = <T>(id: string, work: (connection: Connection) => Promise<T>) => db.writes.write(requireId(id), work);
  const readerOf = (id: string) => db.readers.of(requireId(id));

  async function findSeen(reader: Reader, caller: Caller, id: string): Promise<SeenSpaceRow | undefined> {
    const rows = await listSeen(reader, accountOf(caller), clock.nowMs());
    return rows.find(({ tenantId }) => tenantId === id);
  }

  async function requireSeen(caller: Caller, id: string): Promise<SeenSpaceRow> {
    const row = await findSeen(db.lookups, caller, id);
    if (!row) throw notInSpace(id);
    return row;
  }

  /** The caller's own row in a space that it has joined. */
  async function requireMember(reader: Reader, caller: Caller, id: string): Promise<MemberRow> {
    const row = await findOwnRow(reader, id, accountOf(caller));
    if (!row || row.memberId === null) throw notInSpace(id);
    return row;
  }

  async function requireOwner(reader: Reader, caller: Caller, id: string): Promise<MemberRow> {
    const row = await requireMember(reader, caller, id);
    if (row.role !== 'owner') {
      throw new AppError('forbidden', `You are ${row.role} of this space; only an owner may do this.`);
    }
    return row;
  }

  /** Runs `work` alone with a space and an account, of which it sees both. */
  function writeWith<T>(id: string, memberId: string, work: (connection: Connection) => Promise<T>): Promise<T> {
    return db.writes.write('daemon', async (connection) => {
      if (!(await lockTenants(connection, [...new Set([requireId(id), memberId])]))) throw notInSpace(id);
      return work(connection);
    });
  }

  /** Not by what the space holds: spaces are erased and invitations withdrawn, while mails stay sent. */
  async function requireFewInvitations({ tenantId }: Caller): Promise<void> {
    const { allowed, limit, retryAfterSeconds } = await rateLimits.takeInvitation(tenantId);
    if (allowed) return;
    throw new AppError('rate_limited', `You may invite ${limit} times an hour. Try again later.`, {
      retryAfterSeconds,
    });
  }

  /** Whether an invitation that was mailed before, if any, is to be mailed now. */
  async function isToBeMailed(reader: Reader, id: string, email: string): Promise<boolean> {
    const known = await findByAddress(reader, id, email);
    const lastMailedMs = known?.expiresAt ? known.expiresAt - INVITATION_DAYS * DAY_MS : 0;
    if (known?.memberId || clock.nowMs() - lastMailedMs < RESEND_AFTER_MS) return false;
    return (await rateLimits.takeInvitationMail(email)).allowed;
  }

  async function sendInvitation(connection: Connection, row: MemberRow, space: string, isWanted: boolean) {
    const { email: to, role, invitedBy, expiresAt } = row;
    const link = `${publicUrl()}/dashboard/spaces`;
    const mail = invitationMail({ to, invitedBy: invitedBy!, space, role, link, days: INVITATION_DAYS });
    await mailQueue.enqueue(connection, mail, { expiresAtMs: expiresAt!, suppressed: !isWanted });
  }

  async function findTarget(reader: Reader, id: string, memberId: string): Promise<MemberRow> {
    const target = await findMember(reader, id, memberId);
    if (!target) throw new AppError('not_found', 'There is no member with this id.');
    return target;
  }

  /** Throws `precondition_failed` if a space was renamed since `ifMatch`. */
  async function requireName(reader: Reader, id: string, ifMatch: string | undefined): Promise<void> {
    if (ifMatch === undefined) return;
    const name = await findName(reader, id);
    if (name === undefined || !matchesState(ifMatch, stateOf({ id, name }))) throw changedSinceRead('space');
  }

  return {
    async createOnce(caller, { name }, claim) {
      requireFreeName(name);
      if (makers === 'operator') {
        throw new AppError('forbidden', 'Only the operator makes spaces here: svc admin spaces create.');
      }
      const account = { ...accountOf(caller), tier: caller.tier };
      return memberships.foundOnce(account, name, {
        claim,
        async find(connection, id) {
          const row = await findSeen(connection, caller, id);
          return row && toSpace(row);
        },
      });
    },
    async list(caller, query) {
      const all = (await listSeen(db.lookups, accountOf(caller), clock.nowMs())).map(toSpace);
      const order = { by: 'desc', positionOf: ({ id }: Space) => id } as const;
      return { ...cursors.pageOfAll(all, query, ['spaces', caller.tenantId], order), makers };
    },
    get: async (caller, id) => toSpace(await requireSeen(caller, id)),
    async rename(caller, id, { name }, ifMatch) {
      requireFreeName(name);
      await write(id, async (connection) => {
        await requireOwner(connection, caller, id);
        await requireName(connection, id, ifMatch);
        await updateName(connection, id, name);
        await changes.log(connection, id, { actor: caller.email, action: 'renamed', detail: name });
      });
      return toSpace(await requireSeen(caller, id));
    },
    async remove(caller, id, ifMatch) {
      await requireOwner(readerOf(id), caller, id);
      await requireName(readerOf(id), id, ifMatch);
      await accounts.erase(id);
    },
    async members(caller, id, query) {
      const reader = readerOf(id);
      await requireMember(reader, caller, id);
      const all = (await listMembers(reader, id)).map(toMember);
      const boundTo = ['space-members', caller.tenantId, id];
      return cursors.pageOfAll(all, query, boundTo, { by: 'asc', positionOf: (member) => member.id });
    },
    async inviteOnce(caller, id, { email: given, role }, claim) {
      const email = normalizeEmail(given);
      const nowMs = clock.nowMs();
      const { name } = await requireSeen(caller, id);
      await requireOwner(readerOf(id), caller, id);
      // Stored with the space, in whose transaction the invitation is, and apart from the keys of other members.
      const inSpace = claim && { ...claim, tenantId: id, key: `${caller.tenantId} ${claim.key}` };
      const isReplayed = (await idempotency.findReplay(db.lookups, inSpace)) !== undefined;
      if (!isReplayed) await requireFewInvitations(caller);
      const isWanted = !isReplayed && (await isToBeMailed(readerOf(id), id, email));
      const invite = async (connection: Connection) => {
        const known = await findByAddress(connection, id, email);
        if (known && known.memberId !== null) throw new AppError('conflict', `${email} is a member already.`);
        const terms = { role, invitedBy: caller.email, expiresAt: nowMs + INVITATION_DAYS * DAY_MS };
        const row: MemberRow = known
          ? { ...known, ...terms }
          : { tenantId: id, id: ids.next('mbr'), email, memberId: null, createdAt: nowMs, joinedAt: null, ...terms };
        if (known) await updateMember(connection, row);
        else if ((await listMembers(connection, id)).length < MAX_MEMBERS) await insertMember(connection, row);
        else throw new AppError('unprocessable', `A space has at most ${MAX_MEMBERS} members and invitations.`);
        await changes.log(connection, id, { actor: caller.email, action: 'invited', subject: email, detail: role });
        await sendInvitation(connection, row, name, isWanted);
        return row.id;
      };
      const invited = await write(id, async (connection) => {
        await requireOwner(connection, caller, id);
        return idempotency.createOrFind(connection, inSpace, {
          create: () => invite(connection),
          async find(memberId) {
            const row = await findMember(connection, id, memberId);
            return row && toMember(row);
          },
        });
      });
      mailQueue.wake();
      return invited;
    },
    async changeRole(caller, id, memberId, { role }, ifMatch) {
      await requireOwner(readerOf(id), caller, id);
      const before = await findTarget(readerOf(id), id, memberId);
      return writeWith(id, before.memberId ?? caller.tenantId, async (connection) => {
        await requireOwner(connection, caller, id);
        const target = await findTarget(connection, id, memberId);
        requireMatch(ifMatch, memberTagOf(toMember(target)), 'member');
        if (target.role === role) return toMember(target);
        await changes.othersBehind(connection, target);
        if (role === 'owner' && target.memberId !== null) await changes.requireMayOwn(connection, target.memberId);
        const changed = await changes.give(connection, target, role, caller.email);
        const entry = { actor: caller.email, action: 'changedRole', subject: target.email, detail: role } as const;
        await changes.log(connection, id, entry);
        return toMember(changed);
      });
    },
    removeMember: (caller, id, memberId, ifMatch) =>
      write(id, async (connection) => {
        await requireOwner(connection, caller, id);
        const target = await findTarget(connection, id, memberId);
        requireMatch(ifMatch, memberTagOf(toMember(target)), 'member');
        await changes.othersBehind(connection, target);
        const { email: subject, role: detail } = target;
        await changes.end(connection, target, { actor: caller.email, action: 'removed', subject, detail });
      }),
    async join(caller, id) {
      await writeWith(id, caller.tenantId, async (connection) => {
        const row = await findOwnRow(connection, id, accountOf(caller));
        if (!row) throw notInSpace(id);
        if (row.memberId !== null) return;
        const nowMs = clock.nowMs();
        if (row.expiresAt! <= nowMs) throw new AppError('gone', 'The invitation has ended. Ask for another one.');
        if ((await countJoined(connection, caller.tenantId)) >= MAX_JOINED_SPACES) {
          throw new AppError('unprocessable', `You are in ${MAX_JOINED_SPACES} spaces already. Leave one first.`);
        }
        if (row.role === 'owner') await changes.requireMayOwn(connection, caller.tenantId);
        await updateMember(connection, { ...row, memberId: caller.tenantId, joinedAt: nowMs, expiresAt: null });
        await changes.log(connection, id, { actor: caller.email, action: 'joined', detail: row.role });
      });
      return toSpace(await requireSeen(caller, id));
    },
    leave: (caller, id) =>
      write(id, async (connection) => {
        const row = await findOwnRow(connection, id, accountOf(caller));
        if (!row) throw notInSpace(id);
        await changes.othersBehind(connection, row);
        const action = row.memberId === null ? 'declined' : 'left';
        await changes.end(connection, row, { actor: caller.email, action });
      }),
    async log(caller, id, { limit = 50, cursor }) {
      const reader = readerOf(id);
      await requireOwner(reader, caller, id);
      const boundTo = ['spaceLog', id];
      const beforeId = cursor === undefined ? '~' : cursors.read(cursor, boundTo);
      const rows = await listLog(reader, { tenantId: id, beforeId, limit: limit + 1 });
      const { data, nextCursor } = cursors.page(rows, limit, boundTo, (row) => row.id);
      const entries = data.map(({ tenantId: _, at, ...entry }) => ({ ...entry, at: toTimestamp(at) }));
      return { data: entries, nextCursor };
    },
    async note({ space, email }, action, detail) {
      if (!space) return;
      await db.writes.write(space.id, (connection) =>
        changes.log(connection, space.id, { actor: email, action, detail }),
      );
    },
    async deleteOld() {
      const nowMs = clock.nowMs();
      const deleteSome = () =>
        db.writes.write('daemon', (connection) => deleteSomeLog(connection, nowMs - LOG_DAYS * DAY_MS, PORTION));
      while ((await deleteSome()) === PORTION);
      await db.writes.write('daemon', (connection) => deleteExpiredInvitations(connection, nowMs - 30 * DAY_MS));
    },
  };
}

/** The entity tag of a space. `If-Match` ignores what it holds, its members and the caller's role. */
export function spaceTagOf(space: Space): string {
  return countedTagOf(stateOf(space), space);
}

/** The entity tag of a member. */
export function memberTagOf(member: SpaceMember): string {
  return contentTagOf(member);
}

function stateOf({ id, name }: Pick<Space, 'id' | 'name'>): object {
  return { id, name };
}

function requireFreeName(name: string): void {
  if (!isReserved(name)) return;
  const errors = [{ path: '/name', message: 'is reserved' }];
  throw new AppError('invalid_request', 'The name of a space is not "default", and does not begin with "ten_".', {
    errors,
  });
}

/** Throws `not_found` for what is not the id of a tenant: it names the transaction's tenant. */
function requireId(id: string): string {
  if (/^ten_[0-9a-f]{32}$/.test(id)) return id;
  throw notInSpace(id);
}

function toSpace(row: SeenSpaceRow): Space {
  const { tenantId: id, name, role, memberId, invitedBy, members, tier, storedBytes, createdAt } = row;
  const isJoined = memberId !== null;
  return {
    ...{ id, name, role, state: isJoined ? ('joined' as const) : ('invited' as const), invitedBy },
    members: isJoined ? members : null,
    tier: isJoined ? tier : null,
    storedBytes: isJoined ? storedBytes : null,
    createdAt: toTimestamp(createdAt),
  };
}

function toMember({ id, email, role, memberId, invitedBy, createdAt, joinedAt, expiresAt }: MemberRow): SpaceMember {
  return {
    ...{ id, email, role, state: memberId === null ? ('invited' as const) : ('joined' as const), invitedBy },
    createdAt: toTimestamp(createdAt),
    joinedAt: toTimestampOrNull(joinedAt),
    expiresAt: toTimestampOrNull(expiresAt),
  };
}

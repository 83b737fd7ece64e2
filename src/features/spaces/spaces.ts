import { AppError } from '../../contract/errors.ts';
import {
  INVITATION_DAYS,
  isReserved,
  MAX_JOINED_SPACES,
  MAX_MEMBERS,
  MAX_OWNED_SPACES,
  type MemberChange,
  type NewMember,
  type NewSpace,
  type Space,
  type SpaceAction,
  type Spaces as SpaceList,
  type SpaceLogPage,
  type SpaceLogQuery,
  type SpaceMember,
  type SpaceMembers,
} from '../../contract/spaces.ts';
import type { Connection, Reader } from '../../db/connection.ts';
import type { Database } from '../../db/open.ts';
import { type Clock, toTimestamp, toTimestampOrNull } from '../../lib/clock.ts';
import type { Ids } from '../../lib/ids.ts';
import { normalizeEmail } from '../accounts/email-address.ts';
import type { Principal } from '../keys/keys.ts';
import type { RateLimits } from '../limits/rate-limits.ts';
import type { MailQueue } from '../mail/mail-queue.ts';
import type { Cursors } from '../text/page-cursor.ts';
import { invitationMail } from './invitation-mail.ts';
import { type Memberships, notInSpace } from './memberships.ts';
import {
  deleteExpiredInvitations,
  deleteMember,
  deleteSomeLog,
  findByAddress,
  findMember,
  findOwnRow,
  insertLog,
  insertMember,
  listLog,
  listMembers,
  listSeen,
  lockAccount,
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
  create(caller: Caller, space: NewSpace): Promise<Space>;
  list(caller: Caller): Promise<SpaceList>;
  get(caller: Caller, id: string): Promise<Space>;
  rename(caller: Caller, id: string, space: NewSpace): Promise<Space>;
  /** Erases the space with everything in it. */
  remove(caller: Caller, id: string): Promise<void>;
  members(caller: Caller, id: string): Promise<SpaceMembers>;
  /** Throws `conflict` for a member, `unprocessable` for too many, and `rate_limited`. */
  invite(caller: Caller, id: string, member: NewMember): Promise<SpaceMember>;
  /** Throws `conflict` for the only owner. */
  changeRole(caller: Caller, id: string, memberId: string, change: MemberChange): Promise<SpaceMember>;
  /** Throws `conflict` for the only owner. */
  removeMember(caller: Caller, id: string, memberId: string): Promise<void>;
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

/** Who may make spaces. */
export type SpacesPolicy = 'everyone' | 'operator';

interface Parts {
  db: Database;
  clock: Clock;
  ids: Ids;
  cursors: Cursors;
  policy: SpacesPolicy;
  mailQueue: MailQueue;
  rateLimits: Pick<RateLimits, 'takeInvitation' | 'takeInvitationMail'>;
  publicUrl: () => string;
  memberships: Pick<Memberships, 'found' | 'leaveAll'>;
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
  policy,
  mailQueue,
  rateLimits,
  publicUrl,
  memberships,
  accounts,
}: Parts): Spaces {
  const accountOf = ({ tenantId, email }: Caller) => ({ memberId: tenantId, email });

  const write = <T>(id: string, work: (connection: Connection) => Promise<T>) => db.writes.write(requireId(id), work);
  const readerOf = (id: string) => db.readers.of(requireId(id));

  async function requireSeen(caller: Caller, id: string): Promise<SeenSpaceRow> {
    const rows = await listSeen(db.lookups, accountOf(caller), clock.nowMs());
    const row = rows.find(({ tenantId }) => tenantId === id);
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

  /** Throws `conflict` if a joined owner is the last one. */
  async function requireOtherOwner(reader: Reader, { tenantId, id, role, memberId }: MemberRow): Promise<void> {
    if (role !== 'owner' || memberId === null) return;
    const others = (await listMembers(reader, tenantId)).filter((row) => row.id !== id && row.memberId !== null);
    if (others.some((other) => other.role === 'owner')) return;
    const advice = others.length === 0 ? 'Erase the space instead.' : 'Make another member owner first.';
    throw new AppError('conflict', `A space has at least one owner, and this is the only one. ${advice}`);
  }

  async function addLog(
    connection: Connection,
    tenantId: string,
    { email }: Pick<Caller, 'email'>,
    action: SpaceAction,
    { subject = null, detail = null }: { subject?: string | null; detail?: string | null } = {},
  ): Promise<void> {
    const at = clock.nowMs();
    await insertLog(connection, { tenantId, id: ids.next('log'), at, actor: email, action, subject, detail });
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

  async function findTarget(connection: Connection, id: string, memberId: string): Promise<MemberRow> {
    const target = await findMember(connection, id, memberId);
    if (!target) throw new AppError('not_found', 'There is no member with this id.');
    return target;
  }

  return {
    async create(caller, { name }) {
      requireFreeName(name);
      if (policy === 'operator') {
        throw new AppError('forbidden', 'Only the operator makes spaces here: svc admin spaces create.');
      }
      const account = { ...accountOf(caller), tier: caller.tier };
      const tenantId = await memberships.found(account, name, MAX_OWNED_SPACES);
      return toSpace(await requireSeen(caller, tenantId));
    },
    async list(caller) {
      const rows = await listSeen(db.lookups, accountOf(caller), clock.nowMs());
      return { data: rows.map(toSpace), nextCursor: null };
    },
    get: async (caller, id) => toSpace(await requireSeen(caller, id)),
    async rename(caller, id, { name }) {
      requireFreeName(name);
      await write(id, async (connection) => {
        await requireOwner(connection, caller, id);
        await updateName(connection, id, name);
        await addLog(connection, id, caller, 'renamed', { detail: name });
      });
      return toSpace(await requireSeen(caller, id));
    },
    async remove(caller, id) {
      await requireOwner(readerOf(id), caller, id);
      await accounts.erase(id);
    },
    async members(caller, id) {
      const reader = readerOf(id);
      await requireMember(reader, caller, id);
      return { data: (await listMembers(reader, id)).map(toMember), nextCursor: null };
    },
    async invite(caller, id, { email: given, role }) {
      const email = normalizeEmail(given);
      const nowMs = clock.nowMs();
      const { name } = await requireSeen(caller, id);
      await requireOwner(readerOf(id), caller, id);
      await requireFewInvitations(caller);
      const isWanted = await isToBeMailed(readerOf(id), id, email);
      const invited = await write(id, async (connection) => {
        await requireOwner(connection, caller, id);
        const known = await findByAddress(connection, id, email);
        if (known && known.memberId !== null) throw new AppError('conflict', `${email} is a member already.`);
        const terms = { role, invitedBy: caller.email, expiresAt: nowMs + INVITATION_DAYS * DAY_MS };
        const row: MemberRow = known
          ? { ...known, ...terms }
          : { tenantId: id, id: ids.next('mbr'), email, memberId: null, createdAt: nowMs, joinedAt: null, ...terms };
        if (known) await updateMember(connection, row);
        else if ((await listMembers(connection, id)).length < MAX_MEMBERS) await insertMember(connection, row);
        else throw new AppError('unprocessable', `A space has at most ${MAX_MEMBERS} members and invitations.`);
        await addLog(connection, id, caller, 'invited', { subject: email, detail: role });
        await sendInvitation(connection, row, name, isWanted);
        return row;
      });
      mailQueue.wake();
      return toMember(invited);
    },
    changeRole: (caller, id, memberId, { role }) =>
      write(id, async (connection) => {
        await requireOwner(connection, caller, id);
        const target = await findTarget(connection, id, memberId);
        if (target.role === role) return toMember(target);
        await requireOtherOwner(connection, target);
        const changed = { ...target, role };
        await updateMember(connection, changed);
        await addLog(connection, id, caller, 'changedRole', { subject: target.email, detail: role });
        return toMember(changed);
      }),
    removeMember: (caller, id, memberId) =>
      write(id, async (connection) => {
        await requireOwner(connection, caller, id);
        const target = await findTarget(connection, id, memberId);
        await requireOtherOwner(connection, target);
        await deleteMember(connection, id, memberId);
        await addLog(connection, id, caller, 'removed', { subject: target.email, detail: target.role });
      }),
    async join(caller, id) {
      const joined = await listSeen(db.lookups, accountOf(caller), clock.nowMs());
      if (joined.filter(({ memberId }) => memberId !== null).length >= MAX_JOINED_SPACES) {
        throw new AppError('unprocessable', `You are in ${MAX_JOINED_SPACES} spaces already. Leave one first.`);
      }
      await write(id, async (connection) => {
        const row = await findOwnRow(connection, id, accountOf(caller));
        if (!row || !(await lockAccount(connection, id))) throw notInSpace(id);
        if (row.memberId !== null) return;
        const nowMs = clock.nowMs();
        if (row.expiresAt! <= nowMs) throw new AppError('gone', 'The invitation has ended. Ask for another one.');
        await updateMember(connection, { ...row, memberId: caller.tenantId, joinedAt: nowMs, expiresAt: null });
        await addLog(connection, id, caller, 'joined', { detail: row.role });
      });
      // Afterwards, because the transaction of a space sees no other tenant: erasing leaves what was joined before it.
      const isKept = await db.writes.write('daemon', (connection) => lockAccount(connection, caller.tenantId));
      if (!isKept) await memberships.leaveAll(accountOf(caller));
      return toSpace(await requireSeen(caller, id));
    },
    leave: (caller, id) =>
      write(id, async (connection) => {
        const row = await findOwnRow(connection, id, accountOf(caller));
        if (!row) throw notInSpace(id);
        await requireOtherOwner(connection, row);
        await deleteMember(connection, id, row.id);
        await addLog(connection, id, caller, row.memberId === null ? 'declined' : 'left');
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
      await db.writes.write(space.id, (connection) => addLog(connection, space.id, { email }, action, { detail }));
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

import type { Tier } from '../../contract/limits.ts';
import type { SpaceAction, SpaceRole } from '../../contract/spaces.ts';
import type { Connection, Reader } from '../../db/connection.ts';
import { toStayAlone } from '../../db/transactions.ts';

/** A member, or an invitation while `memberId` is null. Times in epoch milliseconds. */
export interface MemberRow {
  /** The space. */
  tenantId: string;
  id: string;
  /** The address of the member's account. */
  email: string;
  /** The tenant of the member's account. */
  memberId: string | null;
  role: SpaceRole;
  invitedBy: string | null;
  createdAt: number;
  joinedAt: number | null;
  /** Until when an invitation can be accepted. */
  expiresAt: number | null;
}

/** A space as one of its members, or one who is invited, sees it. */
export interface SeenSpaceRow extends Pick<MemberRow, 'tenantId' | 'role' | 'memberId' | 'invitedBy' | 'expiresAt'> {
  name: string;
  tier: Tier;
  storedBytes: number;
  createdAt: number;
  members: number;
}

/** The space in which a member acts. */
export interface ActingRow {
  tenantId: string;
  name: string;
  tier: Tier;
  role: SpaceRole;
}

export interface SpaceLogRow {
  tenantId: string;
  id: string;
  at: number;
  actor: string;
  action: SpaceAction;
  subject: string | null;
  detail: string | null;
}

/** The account of a member. */
export interface AccountKey {
  memberId: string;
  email: string;
}

const MEMBER_COLUMNS = [
  ...(['tenantId', 'id', 'email', 'memberId', 'role', 'invitedBy', 'createdAt', 'joinedAt', 'expiresAt'] as const),
];

/** A space as the operator sees it: its counts, and nothing that it stores. */
export interface CountedSpaceRow {
  tenantId: string;
  name: string;
  tier: Tier;
  storedBytes: number;
  createdAt: number;
  members: number;
}

/** Lists all spaces, the newest first. For the operator. */
export async function listAllSpaces(reader: Reader): Promise<CountedSpaceRow[]> {
  return reader.all<CountedSpaceRow>(
    `SELECT s.tenantId, s.name, t.tier, t.storedBytes, s.createdAt,
       (SELECT COUNT(*) FROM spaceMembers m WHERE m.tenantId = s.tenantId AND m.memberId IS NOT NULL) AS members
     FROM spaces s JOIN tenants t ON t.tenantId = s.tenantId WHERE t.erasedAt IS NULL ORDER BY s.tenantId DESC`,
  );
}

/**
 * Finds the spaces of a member with this id or name; two at most. Reads rows of other tenants, because it determines the
 * tenant: only those that the member has joined.
 */
export async function findActing(reader: Reader, memberId: string, idOrName: string): Promise<ActingRow[]> {
  return reader.all<ActingRow>(
    `SELECT s.tenantId, s.name, t.tier, m.role
     FROM spaceMembers m JOIN spaces s ON s.tenantId = m.tenantId JOIN tenants t ON t.tenantId = m.tenantId
     WHERE m.memberId = ? AND (s.tenantId = ? OR s.name = ?) AND t.erasedAt IS NULL LIMIT 2`,
    [memberId, idOrName, idOrName],
  );
}

const SEEN = `SELECT m.tenantId, m.role, m.memberId, m.invitedBy, m.expiresAt, s.name, s.createdAt, t.tier, t.storedBytes,
    (SELECT COUNT(*) FROM spaceMembers o WHERE o.tenantId = m.tenantId AND o.memberId IS NOT NULL) AS members
  FROM spaceMembers m JOIN spaces s ON s.tenantId = m.tenantId JOIN tenants t ON t.tenantId = m.tenantId
  WHERE t.erasedAt IS NULL AND`;

/** Lists the spaces that an account has joined or is invited to, the newest first. Reads rows of those tenants only. */
export async function listSeen(
  reader: Reader,
  { memberId, email }: AccountKey,
  nowMs: number,
): Promise<SeenSpaceRow[]> {
  const rows = await reader.all<SeenSpaceRow>(
    `${SEEN} m.memberId = ? UNION ALL ${SEEN} m.email = ? AND m.memberId IS NULL AND m.expiresAt > ?`,
    [memberId, email, nowMs],
  );
  return rows.sort((a, b) => (a.tenantId < b.tenantId ? 1 : -1));
}

/** Finds the row of an account in a space, joined or invited. */
export async function findOwnRow(
  reader: Reader,
  tenantId: string,
  { memberId, email }: AccountKey,
): Promise<MemberRow | undefined> {
  return reader.get<MemberRow>(
    `SELECT * FROM spaceMembers WHERE tenantId = ? AND (memberId = ? OR (email = ? AND memberId IS NULL))
     ORDER BY joinedAt DESC LIMIT 1`,
    [tenantId, memberId, email],
  );
}

/** Finds the role of an account that has joined a space. */
export async function findRole(reader: Reader, tenantId: string, memberId: string): Promise<SpaceRole | undefined> {
  const sql = 'SELECT role FROM spaceMembers WHERE tenantId = ? AND memberId = ?';
  return (await reader.get<Pick<MemberRow, 'role'>>(sql, [tenantId, memberId]))?.role;
}

export async function findMember(reader: Reader, tenantId: string, id: string): Promise<MemberRow | undefined> {
  return reader.get<MemberRow>('SELECT * FROM spaceMembers WHERE tenantId = ? AND id = ?', [tenantId, id]);
}

/** Finds a member or an invitation by address. */
export async function findByAddress(reader: Reader, tenantId: string, email: string): Promise<MemberRow | undefined> {
  return reader.get<MemberRow>('SELECT * FROM spaceMembers WHERE tenantId = ? AND email = ?', [tenantId, email]);
}

/** Lists members and invitations, the oldest first. */
export async function listMembers(reader: Reader, tenantId: string): Promise<MemberRow[]> {
  return reader.all<MemberRow>('SELECT * FROM spaceMembers WHERE tenantId = ? ORDER BY id', [tenantId]);
}

export async function insertMember(connection: Connection, row: MemberRow): Promise<void> {
  await connection.run(
    `INSERT INTO spaceMembers (${MEMBER_COLUMNS.join(', ')}) VALUES (${MEMBER_COLUMNS.map(() => '?').join(', ')})`,
    MEMBER_COLUMNS.map((column) => row[column]),
  );
}

export async function updateMember(connection: Connection, row: MemberRow): Promise<void> {
  await connection.run(
    `UPDATE spaceMembers SET memberId = ?, role = ?, invitedBy = ?, joinedAt = ?, expiresAt = ?
     WHERE tenantId = ? AND id = ?`,
    [row.memberId, row.role, row.invitedBy, row.joinedAt, row.expiresAt, row.tenantId, row.id],
  );
}

export async function deleteMember(connection: Connection, tenantId: string, id: string): Promise<void> {
  await connection.run('DELETE FROM spaceMembers WHERE tenantId = ? AND id = ?', [tenantId, id]);
}

export async function insertSpace(
  connection: Connection,
  { tenantId, name, createdAt }: { tenantId: string; name: string; createdAt: number },
): Promise<void> {
  await connection.run('INSERT INTO spaces (tenantId, name, createdAt) VALUES (?, ?, ?)', [tenantId, name, createdAt]);
}

export async function findName(reader: Reader, tenantId: string): Promise<string | undefined> {
  return (await reader.get<{ name: string }>('SELECT name FROM spaces WHERE tenantId = ?', [tenantId]))?.name;
}

export async function updateName(connection: Connection, tenantId: string, name: string): Promise<void> {
  await connection.run('UPDATE spaces SET name = ? WHERE tenantId = ?', [name, tenantId]);
}

/** Deletes the space of a tenant with its members and log. */
export async function deleteSpace(connection: Connection, tenantId: string): Promise<void> {
  await connection.run('DELETE FROM spaceMembers WHERE tenantId = ?', [tenantId]);
  await connection.run('DELETE FROM spaceLog WHERE tenantId = ?', [tenantId]);
  await connection.run('DELETE FROM spaces WHERE tenantId = ?', [tenantId]);
}

/**
 * Keeps other daemons from erasing tenants, and from writing to them, before the transaction ends. Returns whether all exist.
 */
export async function lockTenants(connection: Connection, tenantIds: readonly string[]): Promise<boolean> {
  const locked = await connection.all(
    `SELECT tenantId FROM tenants WHERE tenantId IN (SELECT value FROM texts(?)) AND erasedAt IS NULL ORDER BY 1
     ${toStayAlone(connection.engine)}`,
    [JSON.stringify(tenantIds)],
  );
  return locked.length === tenantIds.length;
}

/** Counts the spaces that an account owns, in a transaction of the daemon; `undefined` if it was erased. */
export async function countOwned(
  connection: Connection,
  memberId: string,
): Promise<{ tier: Tier; owned: number } | undefined> {
  return connection.get(
    `SELECT t.tier, (SELECT COUNT(*) FROM spaceMembers m JOIN tenants s ON s.tenantId = m.tenantId
       WHERE m.memberId = t.tenantId AND m.role = 'owner' AND s.erasedAt IS NULL) AS owned
     FROM tenants t WHERE t.tenantId = ? AND t.erasedAt IS NULL`,
    [memberId],
  );
}

/** Counts the spaces that an account has joined, in a transaction of the daemon. */
export async function countJoined(connection: Connection, memberId: string): Promise<number> {
  const sql = `SELECT COUNT(*) AS joined FROM spaceMembers m JOIN tenants s ON s.tenantId = m.tenantId
    WHERE m.memberId = ? AND s.erasedAt IS NULL`;
  return (await connection.get<{ joined: number }>(sql, [memberId]))!.joined;
}

export async function insertLog(connection: Connection, row: SpaceLogRow): Promise<void> {
  await connection.run(
    'INSERT INTO spaceLog (tenantId, id, at, actor, action, subject, detail) VALUES (?, ?, ?, ?, ?, ?, ?)',
    [row.tenantId, row.id, row.at, row.actor, row.action, row.subject, row.detail],
  );
}

/** Lists a space's log, the newest first. */
export async function listLog(
  reader: Reader,
  { tenantId, beforeId, limit }: { tenantId: string; beforeId: string; limit: number },
): Promise<SpaceLogRow[]> {
  return reader.all<SpaceLogRow>('SELECT * FROM spaceLog WHERE tenantId = ? AND id < ? ORDER BY id DESC LIMIT ?', [
    tenantId,
    beforeId,
    limit,
  ]);
}

/** Deletes some entries of all spaces from before a time. Returns how many. */
export async function deleteSomeLog(connection: Connection, beforeMs: number, limit: number): Promise<number> {
  const { changes } = await connection.run(
    'DELETE FROM spaceLog WHERE id IN (SELECT l.id FROM spaceLog l WHERE l.at < ? LIMIT ?)',
    [beforeMs, limit],
  );
  return changes;
}

/** Deletes invitations of all spaces that expired before a time. */
export async function deleteExpiredInvitations(connection: Connection, beforeMs: number): Promise<void> {
  await connection.run('DELETE FROM spaceMembers WHERE memberId IS NULL AND expiresAt < ?', [beforeMs]);
}

/** Deletes the invitations of an address that were not accepted, of all spaces. */
export async function deleteInvitationsOf(connection: Connection, email: string): Promise<void> {
  await connection.run('DELETE FROM spaceMembers WHERE memberId IS NULL AND email = ?', [email]);
}

/**
 * Lists the spaces that name an address as who wrote, did, set up or decided something, or as whom that was about. Not every
 * departure is in their logs, which are deleted after a while. Reads rows of those tenants only.
 */
export async function listTouched(reader: Reader, email: string): Promise<string[]> {
  const rows = await reader.all<{ tenantId: string }>(
    `SELECT tenantId FROM memories WHERE author = ? UNION SELECT tenantId FROM messages WHERE author = ?
     UNION SELECT tenantId FROM spaceLog WHERE actor = ? UNION SELECT tenantId FROM spaceLog WHERE subject = ?
     UNION SELECT tenantId FROM spaceMembers WHERE invitedBy = ? UNION SELECT tenantId FROM webhooks WHERE author = ?
     UNION SELECT tenantId FROM suggestions JOIN spaces USING (tenantId) WHERE decidedBy = ?`,
    Array.from({ length: 7 }, () => email),
  );
  return rows.map(({ tenantId }) => tenantId);
}

/** Takes the address of a former member off some of the items of a kind. Returns how many. */
export async function updateSomeAuthors(
  connection: Connection,
  { tenantId, table, author, as, limit }: FormerAuthor,
): Promise<number> {
  const { changes } = await connection.run(
    `UPDATE ${table} SET author = ? WHERE tenantId = ? AND author = ?
       AND number IN (SELECT a.number FROM ${table} a WHERE a.tenantId = ? AND a.author = ? LIMIT ?)`,
    [as, tenantId, author, tenantId, author, limit],
  );
  return changes;
}

/** What an account that is erased wrote in a space. */
export interface FormerAuthor {
  tenantId: string;
  table: 'memories' | 'messages';
  author: string;
  /** What stands in place of the address. */
  as: string;
  limit: number;
}

/** Takes the address of a former member off the log, activity, jobs, webhooks and decisions of a space. */
export async function updateLogAuthors(
  connection: Connection,
  { tenantId, author, as }: Pick<FormerAuthor, 'tenantId' | 'author' | 'as'>,
): Promise<void> {
  await connection.run('UPDATE spaceLog SET actor = ? WHERE tenantId = ? AND actor = ?', [as, tenantId, author]);
  await connection.run('UPDATE spaceLog SET subject = ? WHERE tenantId = ? AND subject = ?', [as, tenantId, author]);
  await connection.run('UPDATE spaceMembers SET invitedBy = ? WHERE tenantId = ? AND invitedBy = ?', [
    as,
    tenantId,
    author,
  ]);
  await connection.run('UPDATE activity SET author = ? WHERE tenantId = ? AND author = ?', [as, tenantId, author]);
  await connection.run('UPDATE jobs SET author = ? WHERE tenantId = ? AND author = ?', [as, tenantId, author]);
  await connection.run('UPDATE webhooks SET author = ? WHERE tenantId = ? AND author = ?', [as, tenantId, author]);
  await connection.run('UPDATE suggestions SET decidedBy = ? WHERE tenantId = ? AND decidedBy = ?', [
    as,
    tenantId,
    author,
  ]);
}

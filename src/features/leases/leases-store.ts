import type { Connection, Reader } from '../../db/connection.ts';

/** The right of one daemon to some work; `expiresAt` in epoch milliseconds. */
export interface LeaseRow {
  name: string;
  owner: string;
  expiresAt: number;
  /** Grows whenever the lease changes hands. */
  fence: number;
}

export async function findLease(reader: Reader, name: string): Promise<LeaseRow | undefined> {
  return reader.get<LeaseRow>('SELECT * FROM leases WHERE name = ?', [name]);
}

/** Takes a lease that is free, expired or the owner's already. Returns its fence, or `undefined` if another has it. */
export async function updateAcquired(
  connection: Connection,
  { name, owner, expiresAt }: Omit<LeaseRow, 'fence'>,
  nowMs: number,
): Promise<number | undefined> {
  const [row] = await connection.all<Pick<LeaseRow, 'fence'>>(
    `INSERT INTO leases (name, owner, expiresAt, fence) VALUES (?, ?, ?, 1)
     ON CONFLICT (name) DO UPDATE SET owner = excluded.owner, expiresAt = excluded.expiresAt,
       fence = CASE WHEN leases.owner = excluded.owner THEN leases.fence ELSE leases.fence + 1 END
       WHERE leases.owner = excluded.owner OR leases.expiresAt <= ?
     RETURNING fence`,
    [name, owner, expiresAt, nowMs],
  );
  return row?.fence;
}

/** Extends a lease, and locks it until the transaction ends. Returns whether it is still held under that fence. */
export async function updateRenewed(
  connection: Connection,
  { name, owner, fence, expiresAt }: LeaseRow,
): Promise<boolean> {
  const { changes } = await connection.run(
    'UPDATE leases SET expiresAt = ? WHERE name = ? AND owner = ? AND fence = ?',
    [expiresAt, name, owner, fence],
  );
  return changes === 1;
}

/** Lets others take the leases of an owner, or one of them, at once. */
export async function updateReleased(
  connection: Connection,
  { owner, name }: { owner: string; name?: string },
): Promise<void> {
  await connection.run(`UPDATE leases SET expiresAt = 0 WHERE owner = ?${name === undefined ? '' : ' AND name = ?'}`, [
    owner,
    ...(name === undefined ? [] : [name]),
  ]);
}

export async function deleteExpiredBefore(connection: Connection, beforeMs: number): Promise<void> {
  await connection.run('DELETE FROM leases WHERE expiresAt < ?', [beforeMs]);
}

import type { Connection } from '../../db/connection.ts';

export async function insertTicket(connection: Connection, tokenHash: string, expiresAt: number): Promise<void> {
  await connection.run('INSERT INTO operatorTickets (tokenHash, expiresAt) VALUES (?, ?)', [tokenHash, expiresAt]);
}

/** Consumes a ticket. Returns whether it was there and had not expired. */
export async function deleteTicket(connection: Connection, tokenHash: string, nowMs: number): Promise<boolean> {
  const sql = 'DELETE FROM operatorTickets WHERE tokenHash = ? AND expiresAt > ?';
  return (await connection.run(sql, [tokenHash, nowMs])).changes > 0;
}

export async function deleteExpiredTickets(connection: Connection, nowMs: number): Promise<void> {
  await connection.run('DELETE FROM operatorTickets WHERE expiresAt <= ?', [nowMs]);
}

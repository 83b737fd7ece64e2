import type { Connection, Reader } from '../../db/connection.ts';

export interface QueuedMail {
  mailId: string;
  sealed: Buffer;
  /** Processed like any other mail but never sent. */
  suppressed: boolean;
  /** Number of delivery attempts, including the current one. */
  attempts: number;
  nextAttemptAt: number;
  expiresAt: number;
}

export async function insertMail(connection: Connection, mail: QueuedMail): Promise<void> {
  await connection.run(
    `INSERT INTO mailQueue (mailId, sealed, suppressed, attempts, nextAttemptAt, expiresAt) VALUES (?, ?, ?, ?, ?, ?)`,
    [mail.mailId, mail.sealed, mail.suppressed ? 1 : 0, mail.attempts, mail.nextAttemptAt, mail.expiresAt],
  );
}

/** Finds due mails, oldest first. Mails past `latestMs` are due too: the clock was set back after they were scheduled. */
export async function findDueMails(
  reader: Reader,
  { nowMs, latestMs, limit }: { nowMs: number; latestMs: number; limit: number },
): Promise<QueuedMail[]> {
  const rows = await reader.all<Omit<QueuedMail, 'suppressed'> & { suppressed: number | boolean }>(
    `SELECT mailId, sealed, suppressed, attempts, nextAttemptAt, expiresAt FROM mailQueue
     WHERE nextAttemptAt <= ? OR nextAttemptAt > ? ORDER BY nextAttemptAt, mailId LIMIT ?`,
    [nowMs, latestMs, limit],
  );
  return rows.map((row) => ({ ...row, suppressed: Boolean(row.suppressed) }));
}

export async function findNextAttemptAt(reader: Reader): Promise<number | undefined> {
  const row = await reader.get<{ nextAttemptAt: number | null }>(
    'SELECT MIN(nextAttemptAt) AS nextAttemptAt FROM mailQueue',
  );
  return row?.nextAttemptAt ?? undefined;
}

export async function findMailCount(reader: Reader): Promise<number> {
  const row = await reader.get<{ mails: number }>('SELECT COUNT(*) AS mails FROM mailQueue');
  return row?.mails ?? 0;
}

/** Claims a mail until `nextAttemptAt`. False if another worker has claimed it since it was read. */
export async function updateMailClaimed(
  connection: Connection,
  seen: Pick<QueuedMail, 'mailId' | 'nextAttemptAt'>,
  nextAttemptAt: number,
): Promise<boolean> {
  const { changes } = await connection.run(
    'UPDATE mailQueue SET attempts = attempts + 1, nextAttemptAt = ? WHERE mailId = ? AND nextAttemptAt = ?',
    [nextAttemptAt, seen.mailId, seen.nextAttemptAt],
  );
  return changes === 1;
}

/** Schedules a mail that could not be sent, unless another worker has claimed it since: it counted another attempt. */
export async function updateMailDeferred(
  connection: Connection,
  { mailId, attempts }: Pick<QueuedMail, 'mailId' | 'attempts'>,
  nextAttemptAt: number,
): Promise<void> {
  await connection.run('UPDATE mailQueue SET nextAttemptAt = ? WHERE mailId = ? AND attempts = ?', [
    nextAttemptAt,
    mailId,
    attempts,
  ]);
}

export async function deleteMail(connection: Connection, mailId: string): Promise<void> {
  await connection.run('DELETE FROM mailQueue WHERE mailId = ?', [mailId]);
}

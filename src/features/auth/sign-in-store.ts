import type { Connection, Reader } from '../../db/connection.ts';

/** A sign-in that was asked for. `expiresAt` in the past is a link or code that is over, 0 one that was made void. */
export interface SignInRow {
  tokenHash: string;
  email: string;
  createdAt: number;
  expiresAt: number;
  usedAt: number | null;
  /** 0: nothing was mailed, because the address may not enter or had enough mails. */
  delivered: number;
  cookieHash: string | null;
  codeChallenge: string | null;
  redirectPort: number | null;
  device: string | null;
  /** Set once the link was confirmed: the MAC of the code to type. */
  codeHash: string | null;
  wrongCodes: number;
}

export async function insertSignIn(connection: Connection, row: SignInRow): Promise<void> {
  await connection.run(
    `INSERT INTO signInLinks (tokenHash, email, createdAt, expiresAt, usedAt, delivered, cookieHash, codeChallenge,
       redirectPort, device, codeHash, wrongCodes) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    [
      row.tokenHash,
      row.email,
      row.createdAt,
      row.expiresAt,
      row.usedAt,
      row.delivered,
      row.cookieHash,
      row.codeChallenge,
      row.redirectPort,
      row.device,
      row.codeHash,
      row.wrongCodes,
    ],
  );
}

export async function findSignIn(reader: Reader, tokenHash: string): Promise<SignInRow | undefined> {
  return reader.get<SignInRow>('SELECT * FROM signInLinks WHERE tokenHash = ?', [tokenHash]);
}

/** What was mailed to an address since an instant, oldest first. */
export async function listMailed(reader: Reader, email: string, sinceMs: number): Promise<SignInRow[]> {
  return reader.all<SignInRow>(
    'SELECT * FROM signInLinks WHERE email = ? AND createdAt > ? AND delivered = 1 ORDER BY createdAt',
    [email, sinceMs],
  );
}

export async function listByChallenge(reader: Reader, codeChallenge: string): Promise<SignInRow[]> {
  return reader.all<SignInRow>('SELECT * FROM signInLinks WHERE codeChallenge = ? ORDER BY createdAt DESC', [
    codeChallenge,
  ]);
}

/** Takes the link; false where another request had it first. */
export async function updateUsed(connection: Connection, tokenHash: string, nowMs: number): Promise<boolean> {
  const { changes } = await connection.run(
    'UPDATE signInLinks SET usedAt = ? WHERE tokenHash = ? AND usedAt IS NULL AND expiresAt > ?',
    [nowMs, tokenHash, nowMs],
  );
  return changes === 1;
}

export async function updateCode(
  connection: Connection,
  tokenHash: string,
  codeHash: string,
  expiresAt: number,
): Promise<void> {
  await connection.run('UPDATE signInLinks SET codeHash = ?, expiresAt = ? WHERE tokenHash = ?', [
    codeHash,
    expiresAt,
    tokenHash,
  ]);
}

/** Counts a wrong code against every sign-in of a terminal; the last of `most` makes link and code void. */
export async function updateWrongCodes(
  connection: Connection,
  codeChallenge: string,
  maxWrongCodes: number,
): Promise<void> {
  await connection.run(
    `UPDATE signInLinks SET wrongCodes = wrongCodes + 1,
       expiresAt = CASE WHEN wrongCodes + 1 >= ? THEN 0 ELSE expiresAt END WHERE codeChallenge = ?`,
    [maxWrongCodes, codeChallenge],
  );
}

/** Ends every link and code that was mailed to an address for good, also where the clock is set back later. */
export async function updateVoid(connection: Connection, email: string): Promise<void> {
  await connection.run('UPDATE signInLinks SET expiresAt = 0 WHERE email = ? AND delivered = 1 AND expiresAt > 0', [
    email,
  ]);
}

export async function deleteSignInsOf(connection: Connection, email: string): Promise<void> {
  await connection.run('DELETE FROM signInLinks WHERE email = ?', [email]);
}

export async function deleteSignInsBefore(connection: Connection, beforeMs: number): Promise<void> {
  await connection.run('DELETE FROM signInLinks WHERE createdAt < ? AND expiresAt < ?', [beforeMs, beforeMs]);
}

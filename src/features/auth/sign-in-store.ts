import type { Connection, Reader } from '../../db/connection.ts';

/** A requested sign-in. `expiresAt` in the past means that its link or code has expired, 0 that it was voided. */
export interface SignInRow {
  tokenHash: string;
  email: string;
  createdAt: number;
  expiresAt: number;
  usedAt: number | null;
  /** 0 if nothing was mailed, because the address may not sign in or reached its mail limit. */
  delivered: number;
  cookieHash: string | null;
  codeChallenge: string | null;
  redirectPort: number | null;
  device: string | null;
  /** MAC of the code to type, set when the link is confirmed. */
  codeHash: string | null;
  wrongCodes: number;
  /** The device that the link allows, instead of signing in. */
  deviceCodeHash: string | null;
  /** The query of the authorization request of an OAuth client that the link allows, instead of signing in. */
  clientRequest: string | null;
}

export async function insertSignIn(connection: Connection, row: SignInRow): Promise<void> {
  await connection.run(
    `INSERT INTO signInLinks (tokenHash, email, createdAt, expiresAt, usedAt, delivered, cookieHash, codeChallenge,
       redirectPort, device, codeHash, wrongCodes, deviceCodeHash, clientRequest)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
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
      row.deviceCodeHash,
      row.clientRequest,
    ],
  );
}

export async function findSignIn(reader: Reader, tokenHash: string): Promise<SignInRow | undefined> {
  return reader.get<SignInRow>('SELECT * FROM signInLinks WHERE tokenHash = ?', [tokenHash]);
}

/** Lists the sign-ins mailed to an address since `sinceMs`, oldest first. */
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

/** Marks the link as used; false if another request used it first. */
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

/**
 * Counts a wrong code and voids link and code at `maxWrongCodes`: of every sign-in of a terminal, by its code challenge, or
 * of the link for a device, by the hash of its token.
 */
export async function updateWrongCodes(
  connection: Connection,
  links: { codeChallenge: string } | { tokenHash: string },
  maxWrongCodes: number,
): Promise<void> {
  const [column, value] =
    'codeChallenge' in links ? ['codeChallenge', links.codeChallenge] : ['tokenHash', links.tokenHash];
  await connection.run(
    `UPDATE signInLinks SET wrongCodes = wrongCodes + 1,
       expiresAt = CASE WHEN wrongCodes + 1 >= ? THEN 0 ELSE expiresAt END WHERE ${column} = ?`,
    [maxWrongCodes, value],
  );
}

/** Permanently voids every link and code mailed to an address, even if the clock is set back later. */
export async function updateVoid(connection: Connection, email: string): Promise<void> {
  await connection.run('UPDATE signInLinks SET expiresAt = 0 WHERE email = ? AND delivered = 1 AND expiresAt > 0', [
    email,
  ]);
}

/** Deletes the links of an address, and what devices ask of it. */
export async function deleteSignInsOf(connection: Connection, email: string): Promise<void> {
  await connection.run('DELETE FROM deviceRequests WHERE email = ?', [email]);
  await connection.run('DELETE FROM signInLinks WHERE email = ?', [email]);
}

export async function deleteSignInsBefore(connection: Connection, beforeMs: number): Promise<void> {
  await connection.run('DELETE FROM signInLinks WHERE createdAt < ? AND expiresAt < ?', [beforeMs, beforeMs]);
}

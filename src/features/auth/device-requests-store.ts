import type { Connection, Reader } from '../../db/connection.ts';

/** A request to connect a device to the account of an email address. Codes are stored as hashes. */
export interface DeviceRequestRow {
  deviceCodeHash: string;
  /** MAC of the code to type. */
  userCodeHash: string;
  email: string;
  name: string;
  system: string;
  address: string;
  createdAt: number;
  expiresAt: number;
  /** The shortest time between two polls. */
  intervalMs: number;
  polledAt: number | null;
  decision: 'allowed' | 'denied' | null;
}

export async function insertDeviceRequest(connection: Connection, row: DeviceRequestRow): Promise<void> {
  await connection.run(
    `INSERT INTO deviceRequests (deviceCodeHash, userCodeHash, email, name, system, address, createdAt, expiresAt,
       intervalMs, polledAt, decision) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    [
      ...[row.deviceCodeHash, row.userCodeHash, row.email, row.name, row.system, row.address],
      ...[row.createdAt, row.expiresAt, row.intervalMs, row.polledAt, row.decision],
    ],
  );
}

export async function findDeviceRequest(reader: Reader, deviceCodeHash: string): Promise<DeviceRequestRow | undefined> {
  return reader.get<DeviceRequestRow>('SELECT * FROM deviceRequests WHERE deviceCodeHash = ?', [deviceCodeHash]);
}

/** Finds a request to the account of an address that is neither decided nor expired. */
export async function findWaiting(
  reader: Reader,
  { email, userCodeHash, nowMs }: { email: string; userCodeHash: string; nowMs: number },
): Promise<DeviceRequestRow | undefined> {
  return reader.get<DeviceRequestRow>(
    'SELECT * FROM deviceRequests WHERE email = ? AND userCodeHash = ? AND decision IS NULL AND expiresAt > ?',
    [email, userCodeHash, nowMs],
  );
}

export async function updatePolled(
  connection: Connection,
  deviceCodeHash: string,
  { polledAt, intervalMs }: { polledAt: number; intervalMs: number },
): Promise<void> {
  await connection.run('UPDATE deviceRequests SET polledAt = ?, intervalMs = ? WHERE deviceCodeHash = ?', [
    ...[polledAt, intervalMs, deviceCodeHash],
  ]);
}

/** Decides a request; false if it was decided first, or has expired. */
export async function updateDecision(
  connection: Connection,
  deviceCodeHash: string,
  { decision, nowMs }: { decision: 'allowed' | 'denied'; nowMs: number },
): Promise<boolean> {
  const { changes } = await connection.run(
    'UPDATE deviceRequests SET decision = ? WHERE deviceCodeHash = ? AND decision IS NULL AND expiresAt > ?',
    [decision, deviceCodeHash, nowMs],
  );
  return changes === 1;
}

/** Deletes a request; false if it was collected first. */
export async function deleteDeviceRequest(connection: Connection, deviceCodeHash: string): Promise<boolean> {
  const { changes } = await connection.run('DELETE FROM deviceRequests WHERE deviceCodeHash = ?', [deviceCodeHash]);
  return changes === 1;
}

export async function deleteExpiredRequests(connection: Connection, nowMs: number): Promise<void> {
  await connection.run('DELETE FROM deviceRequests WHERE expiresAt <= ?', [nowMs]);
}

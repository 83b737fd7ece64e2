import type { Tier } from '../../../src/contract/limits.ts';
import type { Answer, TestDaemon } from '../../helpers/daemon.ts';

export interface Tenant {
  tenantId: string;
  apiKey: string;
}

/** Creates a tenant with a key directly, bypassing mails and their limits. */
export async function makeTenant(daemon: TestDaemon, email: string, tier: Tier = 'Free'): Promise<Tenant> {
  return daemon.db.writes.write('daemon', async (connection) => {
    const { tenantId } = await daemon.accounts.findOrCreate(connection, email);
    await connection.run('UPDATE tenants SET tier = ? WHERE tenantId = ?', [tier, tenantId]);
    return { tenantId, apiKey: await daemon.keys.rotate(connection, tenantId) };
  });
}

/** Sets a tenant's usage on a UTC day. */
export async function setUsed(
  daemon: TestDaemon,
  tenantId: string,
  used: { day: string; memories?: number; queries?: number },
): Promise<void> {
  await daemon.db.writes.write('daemon', (connection) =>
    connection.run(
      `INSERT INTO usageDays (tenantId, day, requests, memories, queries) VALUES (?, ?, 0, ?, ?)
       ON CONFLICT (tenantId, day) DO UPDATE SET memories = excluded.memories, queries = excluded.queries`,
      [tenantId, used.day, used.memories ?? 0, used.queries ?? 0],
    ),
  );
}

/** Counts responses by status, such as `{ 201: 1, 429: 199 }`. */
export function countByStatus(answers: readonly Answer[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

export function times<T>(count: number, work: (index: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => work(index)));
}

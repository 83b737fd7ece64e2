import type { Connection } from './connection.ts';
import type { Engine } from './dialect.ts';

/**
 * Ends a query of tenants, so that no other daemon erases those that it finds before the transaction ends. For writes of
 * the daemon itself, which hold no tenant's lock. SQLite has one write at a time.
 */
export function toStay(engine: Engine): string {
  return engine === 'postgres' ? 'FOR KEY SHARE' : '';
}

/**
 * Waits until all writes that began before have ended, and keeps further ones out until the transaction ends. SQLite has
 * one write at a time.
 */
export async function lockWrites(connection: Connection): Promise<void> {
  if (connection.engine === 'postgres') await connection.run('LOCK TABLE tenants IN EXCLUSIVE MODE');
}

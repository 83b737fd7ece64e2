import type { OperatorTenant, OperatorTenantsQuery } from '../../contract/operator.ts';
import type { Database } from '../../db/open.ts';
import { toTimestamp, toTimestampOrNull } from '../../lib/clock.ts';
import type { Cursors } from '../text/page-cursor.ts';
import { type CountedTenantRow, listCountedTenants, type TenantPosition } from './operator-tenants-store.ts';

/** The accounts of a database, as the operator sees them. */
export interface OperatorTenants {
  list(query: OperatorTenantsQuery): Promise<{ data: OperatorTenant[]; nextCursor: string | null }>;
}

/** Creates the operator's list of the accounts of a database. */
export function createOperatorTenants({ db, cursors }: { db: Database; cursors: Cursors }): OperatorTenants {
  return {
    async list({ limit = 50, cursor, email = '', sort = 'created' }) {
      const boundTo = ['operator tenants', email, sort];
      const after = cursor === undefined ? undefined : (JSON.parse(cursors.read(cursor, boundTo)) as TenantPosition);
      const page = { order: sort, email: email.trim().toLowerCase(), after, limit: limit + 1 };
      const rows = await listCountedTenants(db.readers, page);
      const { data, nextCursor } = cursors.page(rows, limit, boundTo, ({ tenantId, email, storedBytes }) =>
        JSON.stringify({ tenantId, email, storedBytes }),
      );
      return { data: data.map(toAnswer), nextCursor };
    },
  };
}

function toAnswer({ keyUsedAt, sessionUsedAt, createdAt, ...row }: CountedTenantRow): OperatorTenant {
  const { tenantId, email, tier, memories, storedBytes } = row;
  const seen = [keyUsedAt, sessionUsedAt].filter((at) => at !== null);
  const lastSeenAt = toTimestampOrNull(seen.length > 0 ? Math.max(...seen) : null);
  return { tenantId, email, tier, createdAt: toTimestamp(createdAt), lastSeenAt, memories, storedBytes };
}

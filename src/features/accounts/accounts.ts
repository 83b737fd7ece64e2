import type { Account } from '../../contract/account.ts';
import { AppError } from '../../contract/errors.ts';
import { REQUESTS_PER_MINUTE, type Tier } from '../../contract/limits.ts';
import type { Connection, Reader } from '../../db/connection.ts';
import type { Database } from '../../db/open.ts';
import { type Clock, toTimestamp, toTimestampOrNull } from '../../lib/clock.ts';
import type { Ids } from '../../lib/ids.ts';
import type { Idempotency } from '../idempotency/idempotency.ts';
import type { Keys, Principal } from '../keys/keys.ts';
import type { Usage } from '../limits/usage.ts';
import {
  deleteInvitation,
  deleteTenant,
  findInvitation,
  findTenant,
  findTenantByEmail,
  insertInvitation,
  insertTenant,
  listHalfErased,
  listInvitations,
  listTenants,
  type TenantRow,
  updateErased,
  updateTier,
} from './accounts-store.ts';

export type { TenantRow };

/** Who may make a new account; who has one may always sign in. */
export interface SignUpPolicy {
  signup: 'open' | 'invite' | 'closed';
  /** Empty: any domain. */
  domains: readonly string[];
}

/** Tenants: each is one account, known by its e-mail address. */
export interface Accounts {
  view(principal: Principal): Promise<Account>;
  /** Whether this (normal) address has an account or may make one. */
  canSignIn(reader: Reader, email: string): Promise<boolean>;
  /** The tenant of an address, made where there is none, in the caller's transaction. */
  findOrCreate(connection: Connection, email: string): Promise<TenantRow>;
  /**
   * Erases the tenant and all that is its. Its key is dead and its address free with the first commit; the rows go in
   * portions, and a daemon that dies in between finishes at its next start.
   */
  erase(tenantId: string): Promise<void>;
  /** Finishes what an earlier process began to erase. */
  finishErasing(): Promise<void>;
  list(): Promise<TenantRow[]>;
  /** Throws `not_found`. */
  byEmail(email: string): Promise<TenantRow>;
  setTier(tenantId: string, tier: Tier): Promise<void>;
  invite(email: string): Promise<void>;
  withdraw(email: string): Promise<boolean>;
  invitations(): Promise<{ email: string; createdAt: string }[]>;
}

interface Dependencies {
  db: Database;
  clock: Clock;
  ids: Ids;
  keys: Keys;
  usage: Usage;
  idempotency: Idempotency;
  /** The modules that hold data of a tenant, in the order of erasure. */
  erasables: readonly { erase(tenantId: string): Promise<void>; sweep?(): Promise<void> }[];
  /** Erases the sign-in links of an address, in the caller's transaction. */
  deleteSignIns: (connection: Connection, email: string) => Promise<void>;
  policy: SignUpPolicy;
  defaultTier: Tier;
}

export function createAccounts(parts: Dependencies): Accounts {
  const { db, clock, ids, keys, usage, idempotency, erasables, deleteSignIns, policy, defaultTier } = parts;

  async function eraseRows(tenantId: string): Promise<void> {
    for (const erasable of erasables) await erasable.erase(tenantId);
    await db.writes.write(async (connection) => {
      await usage.erase(connection, tenantId);
      await idempotency.erase(connection, tenantId);
      await deleteTenant(connection, tenantId);
    });
    // The text indices and the log still hold what was written; swept and emptied, they hold nothing of the tenant.
    for (const erasable of erasables) await erasable.sweep?.();
    await db.checkpoint();
  }

  return {
    async view(principal) {
      const { tenantId, email, tier, key } = principal;
      return {
        tenantId,
        email,
        tier,
        limits: { requestsPerMinute: REQUESTS_PER_MINUTE[tier] },
        quotas: await usage.quotasOf(principal),
        key: {
          createdAt: toTimestamp(key.createdAt),
          lastUsedAt: toTimestampOrNull(key.lastUsedAt),
          last4: key.last4,
        },
      };
    },
    async canSignIn(reader, email) {
      // All three are asked for every address, so that the answer takes the same time.
      const known = (await findTenantByEmail(reader, email)) !== undefined;
      const invited = await findInvitation(reader, email);
      const domain = email.slice(email.lastIndexOf('@') + 1);
      const isDomainAllowed = policy.domains.length === 0 || policy.domains.includes(domain);
      return known || (policy.signup === 'open' && isDomainAllowed) || (policy.signup === 'invite' && invited);
    },
    async findOrCreate(connection, email) {
      const known = await findTenantByEmail(connection, email);
      if (known) return known;
      const tenant = { tenantId: ids.next('ten'), email, tier: defaultTier, createdAt: clock.nowMs(), erasedAt: null };
      await insertTenant(connection, tenant);
      await deleteInvitation(connection, email);
      return tenant;
    },
    async erase(tenantId) {
      await db.writes.write(async (connection) => {
        const tenant = await findTenant(connection, tenantId);
        if (!tenant) throw new AppError('not_found', 'There is no such tenant.');
        await keys.revokeAll(connection, tenantId);
        await deleteSignIns(connection, tenant.email);
        await deleteInvitation(connection, tenant.email);
        await updateErased(connection, tenantId, clock.nowMs());
      });
      await eraseRows(tenantId);
    },
    async finishErasing() {
      for (const { tenantId } of await listHalfErased(db.readers)) await eraseRows(tenantId);
    },
    list: () => listTenants(db.readers),
    async byEmail(email) {
      const tenant = await findTenantByEmail(db.readers, email);
      if (!tenant) throw new AppError('not_found', `No account has the address ${email}.`);
      return tenant;
    },
    setTier: (tenantId, tier) => db.writes.write((connection) => updateTier(connection, tenantId, tier)),
    invite: (email) => db.writes.write((connection) => insertInvitation(connection, email, clock.nowMs())),
    withdraw: (email) => db.writes.write((connection) => deleteInvitation(connection, email)),
    async invitations() {
      const rows = await listInvitations(db.readers);
      return rows.map((row) => ({ email: row.email, createdAt: toTimestamp(row.createdAt) }));
    },
  };
}

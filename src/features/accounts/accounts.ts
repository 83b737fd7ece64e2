import type { Account } from '../../contract/account.ts';
import { AppError, changedSinceRead } from '../../contract/errors.ts';
import { REQUESTS_PER_MINUTE, type Tier } from '../../contract/limits.ts';
import type { Connection, Reader } from '../../db/connection.ts';
import type { Database } from '../../db/open.ts';
import { type Clock, toTimestamp, toTimestampOrNull } from '../../lib/clock.ts';
import { countedTagOf, matchesState } from '../../lib/entity-tag.ts';
import type { Ids } from '../../lib/ids.ts';
import type { Connections } from '../connections/connections.ts';
import { type Erasable, eraseEach, eraseEverywhere } from '../erasure/erasure.ts';
import type { Idempotency } from '../idempotency/idempotency.ts';
import type { Keys, Principal } from '../keys/keys.ts';
import type { Usage } from '../limits/usage.ts';
import {
  deleteInvitation,
  deleteTenant,
  findInvitation,
  findTenant,
  findTenantByEmail,
  hasNoTenant,
  hasOneTenant,
  insertInvitation,
  insertTenant,
  listHalfErased,
  listInvitations,
  listTenants,
  lockTenantByEmail,
  type TenantRow,
  updateErased,
  updateTier,
} from './accounts-store.ts';

/** Who may create an account. Existing accounts can always sign in. */
interface SignUpPolicy {
  signup: 'open' | 'invite' | 'closed';
  /** Allowed email domains. Empty means any. */
  domains: readonly string[];
}

/** Tenants: one account each, identified by its email address. */
export interface Accounts {
  view(principal: Principal): Promise<Account>;
  /** Whether a normalized address has an account or may create one. */
  canSignIn(reader: Reader, email: string): Promise<boolean>;
  /**
   * Keeps other daemons from erasing the tenant of an address, if it has one, and from writing for it before the caller's
   * transaction ends: a write that relies on a key would not see that the caller replaces it.
   */
  keep(connection: Connection, email: string): Promise<void>;
  /** Returns the tenant of an address, creating it if needed, in the caller's transaction. */
  findOrCreate(connection: Connection, email: string): Promise<TenantRow>;
  /**
   * Erases the tenant and all its data. The first commit revokes its key and connections and frees its address; rows are then deleted in
   * batches. If the daemon crashes in between, it finishes at its next start. Throws `precondition_failed`, before it
   * does anything, if `ifMatch` is the tag of another account or tier.
   */
  erase(tenantId: string, ifMatch?: string): Promise<void>;
  /** Finishes erasures that an earlier process started. */
  finishErasing(): Promise<void>;
  list(): Promise<TenantRow[]>;
  /** Whether nobody has signed up yet. */
  areNone(): Promise<boolean>;
  /** Throws `not_found`. */
  byEmail(email: string): Promise<TenantRow>;
  /** Throws `not_found`. */
  setTier(tenantId: string, tier: Tier): Promise<void>;
  invite(email: string): Promise<void>;
  withdraw(email: string): Promise<boolean>;
  invitations(): Promise<{ email: string; createdAt: string }[]>;
}

/** What erasing an account does in the spaces that it is in. */
interface LeavingSpaces {
  /** Throws `conflict` for an account that is the only owner of a space with other members. */
  requireErasable(account: { memberId: string; email: string }): Promise<void>;
  /**
   * Ends all memberships and invitations, and takes the address off the spaces that name it and those that did `before`.
   * Returns these, and the spaces that nobody else is in.
   */
  leaveAll(
    account: { memberId: string; email: string },
    before: readonly string[],
  ): Promise<{ alone: string[]; named: string[] }>;
}

interface Dependencies {
  db: Database;
  clock: Clock;
  ids: Ids;
  keys: Keys;
  connections: Connections;
  usage: Usage;
  idempotency: Idempotency;
  /** The modules that hold data of a tenant, in the order of erasure. */
  erasables: readonly Erasable[];
  memberships: LeavingSpaces;
  /** Stores the requests that were noted, which name their author in spaces. */
  flushActivity: () => Promise<void>;
  /** Erases the sign-in links and device requests of an address, in the caller's transaction. */
  deleteSignIns: (connection: Connection, email: string) => Promise<void>;
  policy: SignUpPolicy;
  defaultTier: Tier;
  /** Counts the suggestions of a tenant that wait for a decision. */
  countSuggestions: (tenantId: string) => Promise<number>;
  /** Counts the changes of a tenant that were not read yet for suggestions and topics. */
  countUnread: (tenantId: string) => Promise<number>;
  /** When the database was last backed up, in epoch milliseconds. Absent if its own tools make the backups. */
  lastBackupMs?: (() => Promise<number | undefined>) | undefined;
}

export function createAccounts(dependencies: Dependencies): Accounts {
  const {
    db,
    clock,
    ids,
    keys,
    connections,
    usage,
    idempotency,
    erasables,
    memberships,
    flushActivity,
    deleteSignIns,
    policy,
    defaultTier,
  } = dependencies;
  const { countSuggestions, countUnread, lastBackupMs } = dependencies;

  /** The owner of the only account runs the daemon; on a shared one, only the operator sees backups. */
  async function backupFacts(): Promise<Pick<Account, 'lastBackupAt'>> {
    if (!lastBackupMs || !(await hasOneTenant(db.lookups))) return {};
    return { lastBackupAt: toTimestampOrNull((await lastBackupMs()) ?? null) };
  }

  async function eraseRows(tenantId: string): Promise<void> {
    await eraseEverywhere({ db, erasables }, { tenantId }, async (connection) => {
      await usage.erase(connection, tenantId);
      await idempotency.erase(connection, tenantId);
      await deleteTenant(connection, tenantId);
    });
  }

  async function load(reader: Reader, tenantId: string): Promise<TenantRow> {
    const tenant = await findTenant(reader, tenantId);
    if (!tenant) throw new AppError('not_found', 'Tenant not found.');
    return tenant;
  }

  /** Returns the spaces that named the account. */
  async function leaveSpaces(account: { memberId: string; email: string }, before: string[] = []): Promise<string[]> {
    await flushActivity();
    const { alone, named } = await memberships.leaveAll(account, before);
    for (const spaceId of alone) await erase(spaceId);
    return named;
  }

  async function erase(tenantId: string, ifMatch?: string): Promise<void> {
    const tenant = await load(db.readers.of(tenantId), tenantId);
    // Only here: the spaces that it leaves next do not come back.
    if (ifMatch !== undefined && !matchesState(ifMatch, stateOf(tenant))) throw changedSinceRead('account');
    const { email } = tenant;
    const account = { memberId: tenantId, email };
    await memberships.requireErasable(account);
    // Before the account is erased: what remains to be done after a crash is found by its address.
    const named = await leaveSpaces(account);
    await db.writes.write(tenantId, async (connection) => {
      await load(connection, tenantId);
      // First: it waits for a sign-in under way at another daemon, whose key is then revoked.
      await updateErased(connection, tenantId, clock.nowMs());
      await keys.revokeAll(connection, tenantId);
      await connections.revokeAll(connection, tenantId);
      await deleteSignIns(connection, email);
      await deleteInvitation(connection, email);
    });
    // It could make and join spaces, and ask in them, until then.
    await leaveSpaces(account, named);
    await eraseRows(tenantId);
  }

  return {
    async view(principal) {
      const { tenantId, email, tier, scope, credential } = principal;
      const key = await keys.metadataOf(principal);
      return {
        tenantId,
        email,
        tier,
        limits: { requestsPerMinute: REQUESTS_PER_MINUTE[tier] },
        quotas: await usage.quotasOf(principal),
        key: key
          ? {
              createdAt: toTimestamp(key.createdAt),
              lastUsedAt: toTimestampOrNull(key.lastUsedAt),
              last4: key.last4,
            }
          : null,
        credential: {
          ...{ kind: credential.kind, scope },
          ...(credential.kind !== 'apiKey' && { id: credential.id, client: credential.client }),
        },
        openSuggestions: await countSuggestions(tenantId),
        unreadChanges: await countUnread(tenantId),
        ...(await backupFacts()),
      };
    },
    async canSignIn(reader, email) {
      // Always run all three checks, so that response time does not reveal whether an address is known.
      const exists = (await findTenantByEmail(reader, email)) !== undefined;
      const invited = await findInvitation(reader, email);
      const domain = email.slice(email.lastIndexOf('@') + 1);
      const isDomainAllowed = policy.domains.length === 0 || policy.domains.includes(domain);
      return exists || (policy.signup === 'open' && isDomainAllowed) || (policy.signup === 'invite' && invited);
    },
    keep: lockTenantByEmail,
    async findOrCreate(connection, email) {
      const existing = await findTenantByEmail(connection, email);
      if (existing) return existing;
      const tenant = { tenantId: ids.next('ten'), email, tier: defaultTier, createdAt: clock.nowMs(), erasedAt: null };
      await insertTenant(connection, tenant);
      await deleteInvitation(connection, email);
      return tenant;
    },
    erase,
    async finishErasing() {
      await eraseEach(await listHalfErased(db.readers), ({ tenantId }) => eraseRows(tenantId));
    },
    list: () => listTenants(db.readers),
    areNone: () => hasNoTenant(db.lookups),
    async byEmail(email) {
      const tenant = await findTenantByEmail(db.readers, email);
      if (!tenant) throw new AppError('not_found', `No account found for ${email}.`);
      return tenant;
    },
    async setTier(tenantId, tier) {
      const isFound = await db.writes.write(tenantId, (connection) => updateTier(connection, tenantId, tier));
      if (!isFound) throw new AppError('not_found', 'Tenant not found.');
    },
    invite: (email) => db.writes.write('daemon', (connection) => insertInvitation(connection, email, clock.nowMs())),
    withdraw: (email) => db.writes.write('daemon', (connection) => deleteInvitation(connection, email)),
    async invitations() {
      const rows = await listInvitations(db.readers);
      return rows.map((row) => ({ email: row.email, createdAt: toTimestamp(row.createdAt) }));
    },
  };
}

/** The entity tag of an account. `If-Match` ignores the quotas used and when the key was last used. */
export function accountTagOf(account: Account): string {
  return countedTagOf(stateOf(account), account);
}

function stateOf({ tenantId, email, tier }: Pick<Account, 'tenantId' | 'email' | 'tier'>): object {
  return { tenantId, email, tier };
}

import { UNAUTHENTICATED } from '../../contract/account.ts';
import { AppError } from '../../contract/errors.ts';
import type { Tier } from '../../contract/limits.ts';
import type { Connection } from '../../db/connection.ts';
import type { Database } from '../../db/open.ts';
import { createBatchedRead } from '../../db/readers.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { Random } from '../../lib/random.ts';
import { hashSecret, isApiKey, mintApiKey } from '../../lib/secret.ts';
import { deleteKey, deleteKeysOf, findKeys, replaceKey, updateLastUsed } from './keys-store.ts';

/** The caller: a tenant and the key that authenticated it. */
export interface Principal {
  tenantId: string;
  email: string;
  tier: Tier;
  key: { hash: string; last4: string; createdAt: number; lastUsedAt: number | null };
}

export interface Keys {
  /**
   * Returns the principal of a key, or `undefined` if the key is not valid. Queries the database on every request instead
   * of caching, so that a rotation takes effect immediately in every process. Throws `unavailable` if the database fails.
   */
  authenticate(apiKey: string): Promise<Principal | undefined>;
  /** Re-reads a principal during long-running work. Throws `unauthenticated` if its key is no longer valid. */
  refresh(principal: Principal): Promise<Principal>;
  /** Issues a new key and invalidates the previous one, in the caller's transaction. The plaintext is not stored. */
  rotate(connection: Connection, tenantId: string): Promise<string>;
  /** Invalidates the calling key. */
  revoke(principal: Principal): Promise<void>;
  /** Invalidates the tenant's key, if any, in the caller's transaction. */
  revokeAll(connection: Connection, tenantId: string): Promise<void>;
}

const TOUCH_INTERVAL_MS = 60_000;

export function createKeys({ db, clock, random, log }: { db: Database; clock: Clock; random: Random; log: Log }): Keys {
  const find = createBatchedRead(db.lookups, findKeys);
  const touching = new Set<string>();

  /** Updates `lastUsedAt` at most once a minute, without delaying the request. */
  function touch(principal: Principal): void {
    const { hash, lastUsedAt } = principal.key;
    const nowMs = clock.nowMs();
    if (touching.has(hash) || (lastUsedAt !== null && nowMs - lastUsedAt < TOUCH_INTERVAL_MS)) return;
    touching.add(hash);
    db.writes
      .write(principal.tenantId, (connection) => updateLastUsed(connection, principal.tenantId, hash, nowMs))
      .catch((error) => log.warn({ error }, 'failed to update lastUsedAt of a key'))
      .finally(() => touching.delete(hash));
  }

  async function findPrincipal(hash: string): Promise<Principal | undefined> {
    const row = await find(hash).catch((cause) => {
      throw new AppError('unavailable', 'The API key cannot be verified right now. Try again shortly.', {
        retryAfterSeconds: 1,
        cause,
      });
    });
    if (!row) return undefined;
    const { tenantId, email, tier, ...key } = row;
    return { tenantId, email, tier, key };
  }

  return {
    async authenticate(apiKey) {
      const principal = isApiKey(apiKey) ? await findPrincipal(hashSecret(apiKey)) : undefined;
      if (principal) touch(principal);
      return principal;
    },
    async refresh({ key }) {
      const principal = await findPrincipal(key.hash);
      if (!principal) throw new AppError('unauthenticated', UNAUTHENTICATED);
      return principal;
    },
    async rotate(connection, tenantId) {
      const apiKey = mintApiKey(random);
      const last4 = apiKey.slice(-4);
      await replaceKey(connection, { tenantId, hash: hashSecret(apiKey), last4, createdAt: clock.nowMs() });
      return apiKey;
    },
    revoke: ({ tenantId, key }) => db.writes.write(tenantId, (connection) => deleteKey(connection, tenantId, key.hash)),
    revokeAll: deleteKeysOf,
  };
}

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

/** Who calls: the tenant that a key opens, and what is known of the key. */
export interface Principal {
  tenantId: string;
  email: string;
  tier: Tier;
  key: { hash: string; last4: string; createdAt: number; lastUsedAt: number | null };
}

export interface Keys {
  /**
   * The principal of a key, or `undefined` where it is none that is valid now. It is looked up at each request, never
   * trusted from a cache, so that a rotation is in force at once in every process. Throws `unavailable` where the
   * database does not answer.
   */
  authenticate(apiKey: string): Promise<Principal | undefined>;
  /** A principal as it is by now, for what goes on for long. Throws `unauthenticated` where its key is valid no more. */
  refresh(principal: Principal): Promise<Principal>;
  /** Makes the tenant's new key and invalidates the former one, in the caller's transaction. The only sight of its text. */
  rotate(connection: Connection, tenantId: string): Promise<string>;
  /** Invalidates the key that calls. */
  revoke(principal: Principal): Promise<void>;
  /** Invalidates whatever key the tenant has, in the caller's transaction. */
  revokeAll(connection: Connection, tenantId: string): Promise<void>;
}

const TOUCH_INTERVAL_MS = 60_000;

export function createKeys({ db, clock, random, log }: { db: Database; clock: Clock; random: Random; log: Log }): Keys {
  const find = createBatchedRead(db.readers, findKeys);
  const touching = new Set<string>();

  /** `lastUsedAt` is kept to the minute, beside the request and not in its way. */
  function touch(principal: Principal): void {
    const { hash, lastUsedAt } = principal.key;
    const nowMs = clock.nowMs();
    if (touching.has(hash) || (lastUsedAt !== null && nowMs - lastUsedAt < TOUCH_INTERVAL_MS)) return;
    touching.add(hash);
    db.writes
      .write((connection) => updateLastUsed(connection, principal.tenantId, hash, nowMs))
      .catch((error) => log.warn({ error }, 'could not note when a key was last used'))
      .finally(() => touching.delete(hash));
  }

  async function findPrincipal(hash: string): Promise<Principal | undefined> {
    const row = await find(hash).catch((cause) => {
      throw new AppError('unavailable', 'The key cannot be checked at the moment.', { retryAfterSeconds: 1, cause });
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
    revoke: ({ tenantId, key }) => db.writes.write((connection) => deleteKey(connection, tenantId, key.hash)),
    revokeAll: deleteKeysOf,
  };
}

import type { Database } from '../../db/open.ts';
import { createBatchedRead } from '../../db/readers.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { hashSecret } from '../../lib/secret.ts';
import { unverifiable } from '../keys/ended-key.ts';
import type { ConnectionCredential, Credential, Principal } from '../keys/keys.ts';
import { createTouch } from '../keys/keys.ts';
import { type ConnectionKind, findByTokens, updateUsed } from './connections-store.ts';

/** Authenticates the tokens of one kind of connection. */
export interface TokenLookup {
  /**
   * Returns the principal of a token, or `undefined` if its connection has ended. Notes when and from where it was used.
   * Queries the database on every request. Throws `unavailable` if the database fails.
   */
  authenticate(token: string, address: string): Promise<Principal | undefined>;
  /** Re-reads the principal of a token's hash. */
  find(hash: string): Promise<Principal | undefined>;
}

interface Rules {
  kind: ConnectionKind;
  /** When a connection that was used at `nowMs` ends if it is not used again. */
  endsAfter(nowMs: number): number;
}

/** Creates the lookup of one kind. */
export function createTokenLookup(
  { db, clock, log }: { db: Database; clock: Clock; log: Log },
  { kind, endsAfter }: Rules,
): TokenLookup {
  const findRow = createBatchedRead(db.lookups, findByTokens);
  const touch = createTouch({ db, clock, log }, (connection, { tenantId, hash, address = null }, nowMs) =>
    updateUsed(connection, { tenantId, tokenHash: hash }, { nowMs, endsAt: endsAfter(nowMs), address }),
  );

  async function find(hash: string): Promise<Principal | undefined> {
    const row = await findRow(hash).catch(unverifiable);
    if (!row || row.kind !== kind || row.endsAt <= clock.nowMs()) return undefined;
    const { tenantId, email, tier, scope, space, id, client, createdAt, lastUsedAt, expiresAt, openedBy } = row;
    const used: ConnectionCredential = { id, hash, client, createdAt, lastUsedAt, expiresAt, openedBy };
    const credential: Credential = kind === 'page' ? { kind: 'session', ...used } : { kind: 'device', ...used };
    return { tenantId, email, tier, scope, credential, ...(space !== null && { boundTo: space }) };
  }

  return {
    find,
    async authenticate(token, address) {
      const principal = await find(hashSecret(token));
      if (principal) touch({ tenantId: principal.tenantId, address, ...principal.credential });
      return principal;
    },
  };
}

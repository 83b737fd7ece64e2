import { UNAUTHENTICATED } from '../../contract/account.ts';
import { AppError } from '../../contract/errors.ts';
import type { Database } from '../../db/open.ts';
import { createBatchedRead } from '../../db/readers.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { hashSecret } from '../../lib/secret.ts';
import type { GrantedConnections } from '../connections/granted-connections.ts';
import { unverifiable } from '../keys/ended-key.ts';
import type { BearerTokens, Principal } from '../keys/keys.ts';
import { createTouch } from '../keys/keys.ts';
import { PATHS } from './oauth-addresses.ts';
import { findAccessTokens } from './tokens-store.ts';

/** Prefix of access tokens. */
export const ACCESS_PREFIX = 'svc_oat_';

interface Dependencies {
  db: Database;
  clock: Clock;
  log: Log;
  connections: Pick<GrantedConnections, 'noteUse'>;
}

/** Access tokens of OAuth clients, as bearer tokens. They are only for the resource that they were issued for: MCP. */
export interface AccessTokens extends BearerTokens {
  /** Re-reads the principal of a token's hash. Throws `unauthenticated` if the token is no longer valid. */
  refresh(hash: string): Promise<Principal>;
}

/** Creates the lookup of access tokens. */
export function createAccessTokens({ db, clock, log, connections }: Dependencies): AccessTokens {
  const find = createBatchedRead(db.lookups, findAccessTokens);
  const touchById = createTouch({ db, clock, log }, (connection, { tenantId, hash: id, address = '' }, nowMs) =>
    connections.noteUse(connection, { tenantId, id, address, nowMs }),
  );

  async function findPrincipal(hash: string) {
    const row = await find(hash).catch(unverifiable);
    const nowMs = clock.nowMs();
    if (!row || row.expiresAt <= nowMs || row.endsAt <= nowMs) return undefined;
    const { tenantId, email, tier, scope, connectionId: id, client, createdAt, lastUsedAt } = row;
    const { endsAt: expiresAt, space } = row;
    const credential = { id, hash, client, createdAt, lastUsedAt, expiresAt, openedBy: null };
    const bound = space === null ? {} : { boundTo: space };
    return { tenantId, email, tier, scope, ...bound, credential: { kind: 'oauth' as const, ...credential } };
  }

  return {
    accepts: (token) => token.startsWith(ACCESS_PREFIX),
    onlyFor: PATHS.resource,
    async authenticate(token, address) {
      const principal = await findPrincipal(hashSecret(token));
      if (!principal) return undefined;
      const { id, lastUsedAt } = principal.credential;
      touchById({ tenantId: principal.tenantId, hash: id, lastUsedAt, address });
      return principal;
    },
    async refresh(hash) {
      const principal = await findPrincipal(hash);
      if (!principal) throw new AppError('unauthenticated', UNAUTHENTICATED);
      return principal;
    },
    whyEnded: async () => undefined,
  };
}

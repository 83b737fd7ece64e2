import { UNAUTHENTICATED } from '../../contract/account.ts';
import { AppError } from '../../contract/errors.ts';
import type { Connection } from '../../db/connection.ts';
import type { Database } from '../../db/open.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Ids } from '../../lib/ids.ts';
import type { Log } from '../../lib/log.ts';
import type { Random } from '../../lib/random.ts';
import { hashSecret, isDeviceToken, mintDeviceToken } from '../../lib/secret.ts';
import { createEndings } from '../keys/ended-key.ts';
import type { BearerTokens, Principal } from '../keys/keys.ts';
import { addConnection } from './connection-writes.ts';
import type { ClientOrigin } from './sessions.ts';
import { createTokenLookup } from './token-lookup.ts';

/** Machines that are connected with a separate token. They are independent of the API key and stay until revoked. */
export interface Devices extends BearerTokens {
  /** Connects a device in the caller's transaction, and returns its token. Throws `gone` if the account is being erased. */
  connect(connection: Connection, tenantId: string, origin: ClientOrigin): Promise<string>;
  /** Re-reads the principal of a token's hash. Throws `unauthenticated` if the device is no longer connected. */
  refresh(hash: string): Promise<Principal>;
}

interface Dependencies {
  db: Database;
  clock: Clock;
  random: Random;
  ids: Ids;
  log: Log;
}

/** The end of the year 9999: devices do not expire. */
export const NEVER_MS = Date.UTC(9999, 11, 31);

/** Creates the devices of a database. */
export function createDevices({ db, clock, random, ids, log }: Dependencies): Devices {
  const lookup = createTokenLookup({ db, clock, log }, { kind: 'device', endsAfter: () => NEVER_MS });
  return {
    accepts: isDeviceToken,
    authenticate: lookup.authenticate,
    whyEnded: createEndings({ db, clock }),
    async refresh(hash) {
      const principal = await lookup.find(hash);
      if (!principal) throw new AppError('unauthenticated', UNAUTHENTICATED);
      return principal;
    },
    async connect(connection, tenantId, { client, address }) {
      const token = mintDeviceToken(random);
      const nowMs = clock.nowMs();
      await addConnection(connection, {
        ...{ tenantId, id: ids.next('con'), kind: 'device', tokenHash: hashSecret(token), client, address },
        ...{ verifiedHost: null, scope: 'memory', openedBy: null, createdAt: nowMs, lastUsedAt: nowMs },
        ...{ expiresAt: NEVER_MS, endsAt: NEVER_MS },
      });
      return token;
    },
  };
}

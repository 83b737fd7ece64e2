import type { Scope } from '../../contract/scopes.ts';
import type { Connection } from '../../db/connection.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Ids } from '../../lib/ids.ts';
import type { Random } from '../../lib/random.ts';
import { hashSecret, mintToken } from '../../lib/secret.ts';
import { addConnection, endConnections } from './connection-writes.ts';
import { updateEnd, updateUsedById } from './connections-store.ts';

/** The grant that a client was given. */
interface Grant {
  tenantId: string;
  client: string;
  verifiedHost: string | null;
  scope: Scope;
  address: string;
  /** Epoch milliseconds. */
  endsAt: number;
}

/** Connections of OAuth clients. Their tokens are stored elsewhere, and are valid only while the connection is there. */
export interface GrantedConnections {
  /**
   * Makes a connection in the caller's transaction and returns its id. Throws `gone` if the account is being erased.
   */
  begin(connection: Connection, grant: Grant): Promise<string>;
  /** Sets when a connection ends, and what its refresh tokens begin with, as a hash. Returns whether it exists. */
  extend(
    connection: Connection,
    extended: { tenantId: string; id: string; tokenHash: string; endsAt: number },
  ): Promise<boolean>;
  /** Notes when and from where a connection was used. */
  noteUse(
    connection: Connection,
    used: { tenantId: string; id: string; address: string; nowMs: number },
  ): Promise<void>;
  end(connection: Connection, tenantId: string, id: string): Promise<void>;
}

interface Dependencies {
  clock: Clock;
  ids: Ids;
  random: Random;
}

/** Creates the connections of OAuth clients. */
export function createGrantedConnections({ clock, ids, random }: Dependencies): GrantedConnections {
  return {
    async begin(connection, { endsAt, ...grant }) {
      const nowMs = clock.nowMs();
      const id = ids.next('con');
      await addConnection(connection, {
        ...{ ...grant, id, kind: 'oauth', openedBy: null },
        // Matches no token yet: the grant's tokens come with its first refresh token.
        tokenHash: hashSecret(mintToken(random)),
        ...{ createdAt: nowMs, lastUsedAt: nowMs, expiresAt: endsAt, endsAt },
      });
      return id;
    },
    extend: updateEnd,
    noteUse: updateUsedById,
    end: (connection, tenantId, id) => endConnections(connection, { tenantId, ids: [id], nowMs: clock.nowMs() }),
  };
}

import type { Scope } from '../../contract/scopes.ts';
import type { Connection } from '../../db/connection.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Ids } from '../../lib/ids.ts';
import type { Random } from '../../lib/random.ts';
import { hashSecret, mintToken } from '../../lib/secret.ts';
import { addConnection, endConnections } from './connection-writes.ts';
import { findConnection, updateEnd, updateUsedById } from './connections-store.ts';
import { sessionEnded } from './sessions.ts';

/** What a client was allowed. */
interface Grant {
  tenantId: string;
  client: string;
  scope: Scope;
  address: string;
  /** Epoch milliseconds. */
  endsAt: number;
  /** The session in which it was allowed. */
  sessionId: string;
}

/** Connections of OAuth clients. Their tokens are stored elsewhere, and are valid only while the connection is there. */
export interface GrantedConnections {
  /**
   * Makes a connection in the caller's transaction and returns its id. Throws `unauthenticated` if the session has ended,
   * and `gone` if the account is being erased.
   */
  begin(connection: Connection, grant: Grant): Promise<string>;
  /** Sets when a connection ends. Returns whether it exists. */
  extend(connection: Connection, tenantId: string, id: string, endsAt: number): Promise<boolean>;
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
    async begin(connection, { endsAt, sessionId, ...grant }) {
      const nowMs = clock.nowMs();
      const { tenantId } = grant;
      // Fetching the metadata of a client may take seconds.
      if (!(await findConnection(connection, { tenantId, id: sessionId, nowMs }))) throw sessionEnded();
      const id = ids.next('con');
      await addConnection(connection, {
        ...{ ...grant, id, kind: 'oauth', openedBy: null },
        // Never handed out: the client uses the tokens of its grant.
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

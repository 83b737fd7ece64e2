import type { Connection as ConnectionAnswer, ConnectionChange, ConnectionsQuery } from '../../contract/connections.ts';
import { AppError, changedSinceRead } from '../../contract/errors.ts';
import type { Connection, Reader } from '../../db/connection.ts';
import type { Database } from '../../db/open.ts';
import { type Clock, toTimestamp } from '../../lib/clock.ts';
import { countedTagOf, matchesState } from '../../lib/entity-tag.ts';
import type { Principal } from '../keys/keys.ts';
import { requireScope } from '../keys/keys.ts';
import type { Cursors } from '../text/page-cursor.ts';
import { endConnections } from './connection-writes.ts';
import {
  type ConnectionRow,
  deleteConnectionsOf,
  deleteEnded,
  findConnection,
  listConnections,
  updateSpace,
} from './connections-store.ts';
import { NEVER_MS } from './devices.ts';
import { deleteExpiredTickets, deleteTicketsOf } from './tickets-store.ts';

/** Devices, sessions and OAuth clients of an account. Unknown and ended ones throw `not_found`. */
export interface Connections {
  list(principal: Principal, query: ConnectionsQuery): Promise<{ data: ConnectionAnswer[]; nextCursor: string | null }>;
  get(principal: Principal, id: string): Promise<ConnectionAnswer>;
  /**
   * Lets a connection act in one space only, or in none in particular. Throws `unprocessable` for the session of a browser,
   * `not_found` for a space that the caller has not joined, and `precondition_failed`.
   */
  bind(principal: Principal, id: string, change: ConnectionChange, ifMatch?: string): Promise<ConnectionAnswer>;
  /**
   * Ends a connection at once, with the sessions that it opened and the tickets that it may have made. Throws
   * `precondition_failed`, and `forbidden` for another connection if the caller may not manage the account.
   */
  revoke(principal: Principal, id: string, ifMatch?: string): Promise<void>;
  /** Ends all connections of a tenant in the caller's transaction. */
  revokeAll(connection: Connection, tenantId: string): Promise<void>;
  sweep(): Promise<void>;
}

interface Dependencies {
  db: Database;
  clock: Clock;
  cursors: Cursors;
  /** Returns the caller as a member of a space. Throws `not_found`. */
  enterSpace(principal: Principal, idOrName: string): Promise<Principal>;
}

/** Sorts after every id. */
const LAST_ID = 'con_g';

/** Creates the list of connections of a database. */
export function createConnections({ db, clock, cursors, enterSpace }: Dependencies): Connections {
  async function load(reader: Reader, { tenantId }: Principal, id: string): Promise<ConnectionRow> {
    const row = await findConnection(reader, { tenantId, id, nowMs: clock.nowMs() });
    if (!row) throw new AppError('not_found', 'There is no connection with this id.');
    return row;
  }

  return {
    async list(principal, { limit = 50, cursor }) {
      const { tenantId } = principal;
      const boundTo = ['connections', tenantId];
      const beforeId = cursor === undefined ? LAST_ID : cursors.read(cursor, boundTo);
      const page = { tenantId, beforeId, nowMs: clock.nowMs(), limit: limit + 1 };
      const rows = await listConnections(db.readers.of(tenantId), page);
      const { data, nextCursor } = cursors.page(rows, limit, boundTo, ({ id }) => id);
      return { data: data.map((row) => toAnswer(row, principal)), nextCursor };
    },
    async get(principal, id) {
      return toAnswer(await load(db.readers.of(principal.tenantId), principal, id), principal);
    },
    async bind(principal, id, { space }, ifMatch) {
      const { tenantId } = principal;
      const entered = space === null ? undefined : (await enterSpace(principal, space)).space?.id;
      const bound = await db.writes.write(tenantId, async (connection) => {
        const row = await load(connection, principal, id);
        if (ifMatch !== undefined && !matchesState(ifMatch, stateOf(row))) throw changedSinceRead('connection');
        if (row.kind === 'page' && entered !== undefined) {
          throw new AppError(
            'unprocessable',
            'The session of a browser chooses its space itself. Bind a device or an assistant.',
          );
        }
        await updateSpace(connection, { tenantId, id, space: entered ?? null });
        await deleteTicketsOf(connection, tenantId);
        return { ...row, space: entered ?? null };
      });
      return toAnswer(bound, principal);
    },
    async revoke(principal, id, ifMatch) {
      const { tenantId } = principal;
      await db.writes.write(tenantId, async (connection) => {
        const row = await load(connection, principal, id);
        if (ifMatch !== undefined && !matchesState(ifMatch, stateOf(row))) throw changedSinceRead('connection');
        if (!isOwn(row, principal)) requireScope(principal, 'account');
        await endConnections(connection, { tenantId, ids: [id], nowMs: clock.nowMs() });
      });
    },
    async revokeAll(connection, tenantId) {
      await deleteConnectionsOf(connection, tenantId);
      await deleteTicketsOf(connection, tenantId);
    },
    sweep: () =>
      db.writes.write('daemon', async (connection) => {
        await deleteEnded(connection, clock.nowMs());
        await deleteExpiredTickets(connection, clock.nowMs());
      }),
  };
}

/** The entity tag of a connection. `If-Match` ignores when it was used and who asks. */
export function connectionTagOf(connection: ConnectionAnswer): string {
  return countedTagOf(stateOf(connection), connection);
}

function stateOf({ id, space }: { id: string; space: string | null }): object {
  return { id, space };
}

function toAnswer(row: ConnectionRow, principal: Principal): ConnectionAnswer {
  const { id, kind, client, verifiedHost, scope, address, space, createdAt, lastUsedAt, expiresAt } = row;
  return {
    ...{ id, kind, client, verifiedHost, scope, address, space },
    createdAt: toTimestamp(createdAt),
    lastUsedAt: toTimestamp(lastUsedAt),
    expiresAt: expiresAt === NEVER_MS ? null : toTimestamp(expiresAt),
    current: idOf(principal) === row.id,
  };
}

/** Whether a connection is the caller's or was opened by it. */
function isOwn({ id, openedBy }: ConnectionRow, principal: Principal): boolean {
  const own = idOf(principal);
  return own !== undefined && (own === id || own === openedBy);
}

function idOf({ credential }: Principal): string | undefined {
  return credential.kind === 'apiKey' ? undefined : credential.id;
}

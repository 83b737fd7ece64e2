import { AppError } from '../../contract/errors.ts';
import type { User, UsersQuery } from '../../contract/users.ts';
import type { Reader } from '../../db/connection.ts';
import type { Database } from '../../db/open.ts';
import { type Clock, toTimestampOrNull } from '../../lib/clock.ts';
import { contentTagOf } from '../../lib/entity-tag.ts';
import { type Erasable, eraseEach, eraseEverywhere } from '../erasure/erasure.ts';
import { requireMatch } from '../idempotency/precondition.ts';
import { hasScope, type Principal } from '../keys/keys.ts';
import type { StoredSearches } from '../learning/stored-searches.ts';
import type { Cursors } from '../text/page-cursor.ts';
import type { Scopes, UserKey } from '../text/scopes.ts';
import type { Webhooks } from '../webhooks/webhooks.ts';
import { findLatestChanges, findUser, listUsers, type UserRow } from './users-store.ts';

/** An end user, with an entity tag that changes with everything stored of it. */
interface FoundUser {
  user: User;
  etag: string;
}

/** The end users of a tenant. Unknown names throw `not_found`. */
export interface Users {
  list(principal: Principal, query: UsersQuery): Promise<{ data: User[]; nextCursor: string | null }>;
  get(principal: Principal, user: string): Promise<FoundUser>;
  /**
   * Erases a user and all its data. From the first commit on, the user is not found and nothing can be created for it;
   * rows are then deleted in batches. If the daemon crashes in between, it finishes at its next start. Throws
   * `precondition_failed` if something of the user changed since `ifMatch`, and `forbidden` for a caller who may not manage
   * webhooks while one is for this user, because it is erased too. Erases also what was searched for a user of
   * which nothing else is stored.
   */
  erase(principal: Principal, user: string, ifMatch?: string): Promise<void>;
  /** Finishes erasures that an earlier process started. */
  finishErasing(): Promise<void>;
}

interface Parts {
  db: Database;
  clock: Clock;
  scopes: Scopes;
  cursors: Cursors;
  /** The modules that hold data of a user, in the order of erasure. */
  erasables: readonly Erasable[];
  searches: Pick<StoredSearches, 'has'>;
  webhooks: Pick<Webhooks, 'areOf'>;
}

export function createUsers({ db, clock, scopes, cursors, erasables, searches, webhooks }: Parts): Users {
  async function load(reader: Reader, { tenantId }: Principal, endUser: string): Promise<FoundUser> {
    // Read before the counts, so that a change in between makes the tag stale.
    const changes = await findLatestChanges(reader, { tenantId, endUser });
    const row = await findUser(reader, { tenantId, endUser }, clock.nowMs());
    if (!row) throw new AppError('not_found', 'There is no user with this name.');
    const user = toUser(row);
    return { user, etag: contentTagOf([user, row.lastConversationAt, changes]) };
  }

  async function eraseRows(user: UserKey): Promise<void> {
    await eraseEverywhere({ db, erasables }, user, (connection) => scopes.remove(connection, user));
    scopes.forget(user);
  }

  return {
    async list({ tenantId }, { limit = 50, cursor }) {
      const boundTo = ['users', tenantId];
      const beforeScope = cursor === undefined ? Number.MAX_SAFE_INTEGER : Number(cursors.read(cursor, boundTo));
      const page = { tenantId, beforeScope, nowMs: clock.nowMs(), limit: limit + 1 };
      const rows = await listUsers(db.readers.of(tenantId), page);
      const { data, nextCursor } = cursors.page(rows, limit, boundTo, ({ scope }) => String(scope));
      return { data: data.map(toUser), nextCursor };
    },
    get: (principal, user) => load(db.readers.of(principal.tenantId), principal, user),
    async erase(principal, user, ifMatch) {
      const key = { tenantId: principal.tenantId, endUser: user };
      const isSearched = await searches.has(principal, user);
      await db.writes.write(key.tenantId, async (connection) => {
        if (!hasScope(principal, 'account') && (await webhooks.areOf(connection, key))) throw keptByWebhook();
        const isStored = (await findUser(connection, key, clock.nowMs())) !== undefined;
        // Then nothing can be created for it meanwhile, either.
        if (!isStored && isSearched && ifMatch === undefined) await scopes.ensure(connection, [key]);
        else requireMatch(ifMatch, (await load(connection, principal, user)).etag, 'user');
        await scopes.hide(connection, key, clock.nowMs());
      });
      await eraseRows(key);
    },
    async finishErasing() {
      await eraseEach(await scopes.hidden(db.readers), eraseRows);
    },
  };
}

/** The error for an erasure that would take webhooks with it which the caller may not manage. */
function keptByWebhook(): AppError {
  const advice = 'Somebody who may manage webhooks has to delete it, or erase the user.';
  return new AppError(
    'forbidden',
    `A webhook is for the changes of this user alone, and would be erased too. ${advice}`,
  );
}

function toUser(row: UserRow): User {
  const { endUser: user, memories, conversations, messages, episodes } = row;
  const first = [row.firstMemoryAt, row.firstConversationAt, row.firstEpisodeAt].filter((at) => at !== null);
  const last = [row.lastMemoryAt, row.lastConversationAt, row.lastEpisodeAt].filter((at) => at !== null);
  return {
    ...{ user, memories, conversations, messages, episodes },
    firstSeenAt: toTimestampOrNull(first.length === 0 ? null : Math.min(...first)),
    lastSeenAt: toTimestampOrNull(last.length === 0 ? null : Math.max(...last)),
  };
}

import { AppError } from '../../contract/errors.ts';
import type { Connection, Reader } from '../../db/connection.ts';
import { createBoundedMap } from '../../lib/bounded-map.ts';
import { deleteScope, deleteScopesOf, findScopes, insertScopes, listHidden, updateHidden } from './scopes-store.ts';

/** An end user of a tenant. */
export interface UserKey {
  tenantId: string;
  endUser: string;
}

/** Maps a tenant's end user to a number in the full-text index, which never changes and is never reused. */
export interface Scopes {
  /** `undefined` for a user without items, and for one that is being erased. */
  find(reader: Reader, user: UserKey): Promise<number | undefined>;
  /**
   * Returns the scopes of all users, created where missing, in the caller's transaction. Throws `conflict` for a user that
   * is being erased.
   */
  ensure(connection: Connection, users: readonly UserKey[]): Promise<(user: UserKey) => number>;
  /** Reports that the transaction of `ensure` was committed, so that its scopes may be cached. */
  confirm(users: readonly UserKey[]): void;
  /** Marks a user as being erased, in the caller's transaction. */
  hide(connection: Connection, user: UserKey, nowMs: number): Promise<void>;
  /** The users of all tenants that are being erased. */
  hidden(reader: Reader): Promise<UserKey[]>;
  /** Deletes the scope of a hidden user without items, in the caller's transaction. */
  remove(connection: Connection, user: UserKey): Promise<void>;
  /** Reports that the transaction of `remove` was committed: the user may be created again. */
  forget(user: UserKey): void;
  erase(connection: Connection, tenantId: string): Promise<void>;
}

const MAX_CACHED = 50_000;
const keyOf = ({ tenantId, endUser }: UserKey) => `${tenantId} ${endUser}`;

/** With `isCaching`, scopes are remembered: for a database in which no other daemon erases users. */
export function createScopes({ isCaching }: { isCaching: boolean }): Scopes {
  const cache = createBoundedMap<string, number>(MAX_CACHED);
  /** Created in a transaction that may still roll back. */
  const unconfirmed = new Map<string, number>();
  /** Users that are being erased: their scopes are not cached, so that every write sees whether it is refused. */
  const erasing = new Set<string>();
  /** Counts erased users, so that a scope read before its deletion is not cached after it. */
  let erasures = 0;

  function store(found: Map<string, number>): void {
    if (!isCaching) return;
    for (const [key, scope] of found) if (!erasing.has(key)) cache.set(key, scope);
  }

  function drop(key: string): void {
    cache.delete(key);
    unconfirmed.delete(key);
  }

  return {
    async find(reader, user) {
      const cached = cache.get(keyOf(user));
      if (cached !== undefined) return cached;
      const before = erasures;
      const [row] = await findScopes(reader, [user]);
      if (!row || row.erasedAt !== null) return undefined;
      if (erasures === before) store(new Map([[keyOf(user), row.scope]]));
      return row.scope;
    },
    async ensure(connection, users) {
      const missing = new Map<string, UserKey>();
      const scopes = new Map<string, number>();
      for (const user of users) {
        const key = keyOf(user);
        const scope = cache.get(key);
        if (scope === undefined) missing.set(key, user);
        else scopes.set(key, scope);
      }
      if (missing.size > 0) {
        await insertScopes(connection, [...missing.values()]);
        for (const row of await findScopes(connection, [...missing.values()])) {
          if (row.erasedAt !== null) throw beingErased(row.endUser);
          scopes.set(keyOf(row), row.scope);
          unconfirmed.set(keyOf(row), row.scope);
        }
      }
      return (user) => scopes.get(keyOf(user))!;
    },
    confirm(users) {
      for (const key of users.map(keyOf)) {
        const scope = unconfirmed.get(key);
        if (scope !== undefined) store(new Map([[key, scope]]));
        unconfirmed.delete(key);
      }
    },
    async hide(connection, user, nowMs) {
      erasing.add(keyOf(user));
      drop(keyOf(user));
      await updateHidden(connection, user, nowMs);
    },
    hidden: listHidden,
    remove: deleteScope,
    forget(user) {
      erasures += 1;
      drop(keyOf(user));
      erasing.delete(keyOf(user));
    },
    async erase(connection, tenantId) {
      await deleteScopesOf(connection, tenantId);
      cache.deleteWhere((key) => key.startsWith(`${tenantId} `));
    },
  };
}

function beingErased(user: string): AppError {
  const detail = `The user ${JSON.stringify(user)} is being erased. Try again in a moment.`;
  return new AppError('conflict', detail, { retryAfterSeconds: 1 });
}

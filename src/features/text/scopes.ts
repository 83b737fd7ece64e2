import type { Connection, Reader } from '../../db/connection.ts';
import { deleteScopesOf, findScopes, insertScopes } from './scopes-store.ts';

/** An end user of a tenant. */
export interface UserKey {
  tenantId: string;
  endUser: string;
}

/** Maps a tenant's end user to a number in the full-text index, which never changes and is never reused. */
export interface Scopes {
  find(reader: Reader, user: UserKey): Promise<number | undefined>;
  /** Returns the scopes of all users, created where missing, in the caller's transaction. */
  ensure(connection: Connection, users: readonly UserKey[]): Promise<(user: UserKey) => number>;
  /** Reports that the transaction of `ensure` was committed, so that its scopes may be cached. */
  confirm(users: readonly UserKey[]): void;
  erase(connection: Connection, tenantId: string): Promise<void>;
}

const MAX_CACHED = 50_000;
const keyOf = ({ tenantId, endUser }: UserKey) => `${tenantId} ${endUser}`;

export function createScopes(): Scopes {
  const cache = new Map<string, number>();
  /** Created in a transaction that may still roll back. */
  const unconfirmed = new Map<string, number>();

  async function load(reader: Reader, users: readonly UserKey[]): Promise<Map<string, number>> {
    const rows = await findScopes(reader, users);
    return new Map(rows.map((row) => [keyOf(row), row.scope]));
  }

  function store(found: Map<string, number>): void {
    if (cache.size + found.size > MAX_CACHED) cache.clear();
    for (const [key, scope] of found) cache.set(key, scope);
  }

  return {
    async find(reader, user) {
      const cached = cache.get(keyOf(user));
      if (cached !== undefined) return cached;
      const found = await load(reader, [user]);
      store(found);
      return found.get(keyOf(user));
    },
    async ensure(connection, users) {
      const missing = new Map(users.filter((user) => !cache.has(keyOf(user))).map((user) => [keyOf(user), user]));
      const scopes = new Map<string, number>();
      for (const user of users) {
        const scope = cache.get(keyOf(user));
        if (scope !== undefined) scopes.set(keyOf(user), scope);
      }
      if (missing.size > 0) {
        await insertScopes(connection, [...missing.values()]);
        for (const [key, scope] of await load(connection, [...missing.values()])) {
          scopes.set(key, scope);
          unconfirmed.set(key, scope);
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
    async erase(connection, tenantId) {
      await deleteScopesOf(connection, tenantId);
      for (const key of cache.keys()) if (key.startsWith(`${tenantId} `)) cache.delete(key);
    },
  };
}

import type { Connection, Reader } from '../../db/connection.ts';
import { deleteScopesOf, findScopes, insertScopes } from './scopes-store.ts';

interface Place {
  tenantId: string;
  endUser: string;
}

/** The number of a tenant's end user in the full-text index. It never changes and is never given again. */
export interface Scopes {
  find(reader: Reader, place: Place): Promise<number | undefined>;
  /** The numbers of all places, made where missing, in the caller's transaction. */
  ensure(connection: Connection, places: readonly Place[]): Promise<(place: Place) => number>;
  /** Tells that the transaction of `ensure` is committed: from now on these places are known without asking. */
  confirm(places: readonly Place[]): void;
  erase(connection: Connection, tenantId: string): Promise<void>;
}

const MAX_REMEMBERED = 50_000;
const keyOf = ({ tenantId, endUser }: Place) => `${tenantId} ${endUser}`;

export function createScopes(): Scopes {
  const remembered = new Map<string, number>();
  /** Made in a transaction that may still be undone. */
  const unconfirmed = new Map<string, number>();

  async function load(reader: Reader, places: readonly Place[]): Promise<Map<string, number>> {
    const rows = await findScopes(reader, places);
    return new Map(rows.map((row) => [keyOf(row), row.scope]));
  }

  function remember(found: Map<string, number>): void {
    if (remembered.size + found.size > MAX_REMEMBERED) remembered.clear();
    for (const [key, scope] of found) remembered.set(key, scope);
  }

  return {
    async find(reader, place) {
      const known = remembered.get(keyOf(place));
      if (known !== undefined) return known;
      const found = await load(reader, [place]);
      remember(found);
      return found.get(keyOf(place));
    },
    async ensure(connection, places) {
      const missing = new Map(
        places.filter((place) => !remembered.has(keyOf(place))).map((place) => [keyOf(place), place]),
      );
      const scopes = new Map<string, number>();
      for (const place of places) {
        const scope = remembered.get(keyOf(place));
        if (scope !== undefined) scopes.set(keyOf(place), scope);
      }
      if (missing.size > 0) {
        await insertScopes(connection, [...missing.values()]);
        for (const [key, scope] of await load(connection, [...missing.values()])) {
          scopes.set(key, scope);
          unconfirmed.set(key, scope);
        }
      }
      return (place) => scopes.get(keyOf(place))!;
    },
    confirm(places) {
      for (const key of places.map(keyOf)) {
        const scope = unconfirmed.get(key);
        if (scope !== undefined) remember(new Map([[key, scope]]));
        unconfirmed.delete(key);
      }
    },
    async erase(connection, tenantId) {
      await deleteScopesOf(connection, tenantId);
      for (const key of remembered.keys()) if (key.startsWith(`${tenantId} `)) remembered.delete(key);
    },
  };
}

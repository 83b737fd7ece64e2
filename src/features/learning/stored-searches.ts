import { AppError } from '../../contract/errors.ts';
import { ITEM_TYPES } from '../../contract/search.ts';
import type { StoredSearch, StoredSearchesQuery } from '../../contract/searches.ts';
import type { Database } from '../../db/open.ts';
import { type Clock, toTimestamp } from '../../lib/clock.ts';
import type { Principal } from '../keys/keys.ts';
import type { Cursors } from '../text/page-cursor.ts';
import { SEARCH_TTL_MS } from './feedback.ts';
import { itemTypeOf, shownIdsOf } from './remembered-search.ts';
import { findStoredSearch, listStoredSearches, type StoredSearchRow } from './stored-searches-store.ts';

type Tenant = Pick<Principal, 'tenantId'>;

/** The searches of the last 24 hours. */
export interface StoredSearches {
  list(principal: Tenant, query: StoredSearchesQuery): Promise<{ data: StoredSearch[]; nextCursor: string | null }>;
  /** Throws `not_found`. */
  get(principal: Tenant, id: string): Promise<StoredSearch>;
  /** Whether there are any of a user. */
  has(principal: Tenant, user: string): Promise<boolean>;
}

/** `flush` writes the searches that are answered but not yet stored. */
export function createStoredSearches({
  db,
  clock,
  cursors,
  flush,
}: {
  db: Database;
  clock: Clock;
  cursors: Cursors;
  flush: () => Promise<void>;
}): StoredSearches {
  const sinceMs = () => clock.nowMs() - SEARCH_TTL_MS;
  return {
    async list({ tenantId }, { user, exceptClient, limit = 50, cursor }) {
      const boundTo = ['searches', tenantId, user ?? null, exceptClient ?? null];
      const beforeId = cursor === undefined ? undefined : cursors.read(cursor, boundTo);
      await flush();
      const page = { tenantId, user, exceptClient, beforeId, sinceMs: sinceMs(), limit: limit + 1 };
      const rows = await listStoredSearches(db.readers.of(tenantId), page);
      const { data, nextCursor } = cursors.page(rows, limit, boundTo, ({ id }) => id);
      return { data: data.map(toStoredSearch), nextCursor };
    },
    async get({ tenantId }, id) {
      await flush();
      const row = await findStoredSearch(db.lookups, { tenantId, id, sinceMs: sinceMs() });
      if (!row) throw new AppError('not_found', 'There is no search with this id, or it is more than 24 hours old.');
      return toStoredSearch(row);
    },
    async has({ tenantId }, user) {
      await flush();
      const page = { tenantId, user, exceptClient: undefined, beforeId: undefined, sinceMs: sinceMs(), limit: 1 };
      return (await listStoredSearches(db.readers.of(tenantId), page)).length > 0;
    },
  };
}

function toStoredSearch(row: StoredSearchRow): StoredSearch {
  const learned = new Set(idsIn(row.learnedFrom));
  const blamed = new Set(idsIn(row.irrelevant));
  const results = shownIdsOf(row).map((id, at) => {
    const irrelevant = blamed.has(id);
    return { type: itemTypeOf(id), id, rank: at + 1, used: learned.has(id) && !irrelevant, irrelevant };
  });
  const asked = idsIn(row.types);
  return {
    id: row.id,
    query: row.query,
    user: row.endUser,
    project: row.project,
    client: row.client,
    bucket: row.bucket,
    types: ITEM_TYPES.filter((type) => asked.length === 0 || asked.includes(type)),
    results,
    learned: learned.size > 0,
    createdAt: toTimestamp(row.createdAt),
  };
}

function idsIn(list: string | null): string[] {
  return (list ?? '').split(' ').filter((id) => id !== '');
}

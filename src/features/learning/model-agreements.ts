import type { MeaningWeight } from '../../contract/search.ts';
import type { Reader } from '../../db/connection.ts';
import type { Database } from '../../db/open.ts';
import type { Owner } from '../../db/owner.ts';
import { createBoundedMap } from '../../lib/bounded-map.ts';
import { meaningWeightOf, type ObservedAgreement } from './model-agreement.ts';
import {
  deleteModelAgreementsOf,
  deleteSomeAgreementsOfRemoved,
  findModelAgreement,
} from './model-agreements-store.ts';

/** How much each embedding model counts, by how far it agrees with words in a tenant's searches. */
export interface ModelAgreements {
  /** How much the meaning of a model counts in the searches of a tenant. */
  weightFor(reader: Reader, tenantId: string, model: number): Promise<MeaningWeight>;
  /** Returns what is to be stored of a search: a query that the user asked lately says nothing new of the model. */
  observe(query: string, user: Owner, observed: ObservedAgreement | undefined): ObservedAgreement | undefined;
  /** Deletes some of what was stored of models that were removed; returns how many rows. */
  deleteSomeOfRemoved(limit: number): Promise<number>;
  /** Erases what was stored for a tenant; of a single user, only the queries. */
  erase(owner: Owner): Promise<void>;
}

const UNKNOWN = { searches: 0, agreed: 0 };
/** Queries remembered, of all tenants. */
const MAX_QUERIES = 2000;

/** Remembers the latest queries of this daemon in memory, so that a program that polls one does not settle the weight. */
export function createModelAgreements(db: Database): ModelAgreements {
  const asked = createBoundedMap<string, true>(MAX_QUERIES);
  const prefixOf = ({ tenantId, endUser }: Owner) =>
    endUser === undefined ? `${tenantId} ` : `${tenantId} ${endUser}\n`;
  return {
    async weightFor(reader, tenantId, model) {
      return meaningWeightOf((await findModelAgreement(reader, tenantId, model)) ?? UNKNOWN);
    },
    observe(query, user, observed) {
      if (observed === undefined) return undefined;
      const key = `${prefixOf(user)}${observed.model} ${query}`;
      const isRepeated = asked.get(key) === true;
      asked.set(key, true);
      return isRepeated ? undefined : observed;
    },
    deleteSomeOfRemoved: (limit) =>
      db.writes.write('daemon', (connection) => deleteSomeAgreementsOfRemoved(connection, limit)),
    async erase(owner) {
      asked.deleteWhere((key) => key.startsWith(prefixOf(owner)));
      if (owner.endUser !== undefined) return;
      await db.writes.write(owner.tenantId, (connection) => deleteModelAgreementsOf(connection, owner.tenantId));
    },
  };
}

import type { Connection } from '../../db/connection.ts';
import { findByExternalId, findMemories, findSameContent } from './memories-store.ts';
import { byId, contentKeyOf, type Draft, externalKeyOf, type KnownMemories } from './memory-add-plan.ts';
import type { NewMemoryRow } from './memory-row.ts';

/** Loads the stored memories with the same content and those to be superseded. */
export async function findKnown(connection: Connection, drafts: readonly Draft[]): Promise<KnownMemories> {
  const superseded = drafts.flatMap(({ tenantId, supersedes: id }) => (id === undefined ? [] : [{ tenantId, id }]));
  const same: NewMemoryRow[] = await findSameContent(connection, drafts);
  const keys = drafts.flatMap(({ tenantId, endUser, externalId }) =>
    externalId === null ? [] : [{ tenantId, endUser, externalId }],
  );
  const holders: NewMemoryRow[] = await findByExternalId(connection, keys);
  return {
    live: new Map(same.map((row) => [contentKeyOf(row), row])),
    external: new Map(holders.map((row) => [externalKeyOf(row), row])),
    superseded: byId(await findMemories(connection, superseded)),
  };
}

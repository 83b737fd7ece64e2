import { AppError } from '../../contract/errors.ts';
import type { Memory } from '../../contract/memories.ts';
import { MAX_STORE_METADATA, type MemoryStore } from '../../contract/memory-stores.ts';
import type { Connection, Reader } from '../../db/connection.ts';
import type { Clock } from '../../lib/clock.ts';
import { type Memories, toMemory } from '../memories/memories.ts';
import type { Scopes } from '../text/scopes.ts';
import { findNamed } from './memory-stores-store.ts';
import { archived, noStore } from './store-conflicts.ts';
import { storeIdOf, userOfStore } from './store-ids.ts';

/** The external id and tag of the memory that says what a store is: its name and description, and its metadata. */
export const RECORD = 'memory-store';
const ARCHIVED = 'archived ';

/** What a caller says about a store. */
export interface StoreFields {
  name: string;
  description: string;
  metadata: Record<string, string>;
}

/** Reads stores, and checks that they exist. */
export interface StoreRecords {
  /** Returns the user that a store is. Throws `not_found`. */
  userOf(storeId: string): string;
  /** Finds the memory that describes a store. */
  find(reader: Reader, tenantId: string, user: string): Promise<Memory | undefined>;
  findAll(reader: Reader, tenantId: string, users: readonly string[]): Promise<Map<string, Memory>>;
  /** Throws `not_found` for a store of which nothing is stored. */
  require(reader: Reader, tenantId: string, user: string): Promise<Memory | undefined>;
  /** Throws `not_found`, and `conflict` for an archived store. */
  requireWritable(connection: Connection, tenantId: string, user: string): Promise<Memory | undefined>;
}

interface Parts {
  clock: Clock;
  scopes: Scopes;
  memories: Pick<Memories, 'findRowsWithin'>;
}

/** Finds what is said about stores. */
export function createStoreRecords({ clock, scopes, memories }: Parts): StoreRecords {
  async function findAll(reader: Reader, tenantId: string, users: readonly string[]): Promise<Map<string, Memory>> {
    const found = await findNamed(reader, { tenantId, users, names: [RECORD] }, clock.nowMs());
    const rows = await memories.findRowsWithin(
      reader,
      tenantId,
      found.map(({ id }) => id),
    );
    return new Map(rows.map(toMemory).map((memory) => [memory.user, memory]));
  }

  const find = async (reader: Reader, tenantId: string, user: string) =>
    (await findAll(reader, tenantId, [user])).get(user);

  async function require(reader: Reader, tenantId: string, user: string): Promise<Memory | undefined> {
    const record = await find(reader, tenantId, user);
    if (!record && (await scopes.find(reader, { tenantId, endUser: user })) === undefined) throw noStore();
    return record;
  }

  return {
    userOf(storeId) {
      const user = userOfStore(storeId);
      if (user === undefined) throw noStore();
      return user;
    },
    find,
    findAll,
    require,
    async requireWritable(connection, tenantId, user) {
      const record = await require(connection, tenantId, user);
      if (record && archivedAtOf(record) !== null) throw archived();
      return record;
    },
  };
}

/** Returns what the memory of a store says; without one, the store has the name of its user. */
export function fieldsOf(user: string, record: Memory | undefined): StoreFields {
  if (!record) return { name: user, description: '', metadata: {} };
  const [name = '', ...rest] = record.content.split('\n\n');
  const pairs = Object.entries(record.metadata).filter((pair): pair is [string, string] => typeof pair[1] === 'string');
  return { name, description: rest.join('\n\n'), metadata: Object.fromEntries(pairs) };
}

/** Returns the fields of the memory that says what a store is. Throws `invalid_request` for too much metadata. */
export function recordOf({ name, description, metadata }: StoreFields) {
  if (Object.keys(metadata).length > MAX_STORE_METADATA) {
    throw new AppError('invalid_request', `metadata must have at most ${MAX_STORE_METADATA} pairs.`);
  }
  return { content: `${name}\n\n${description}`, metadata };
}

/** The tag that archives a store. */
export function archivingTag(at: string): string {
  return ARCHIVED + at;
}

/** Returns when a store was archived. */
export function archivedAtOf({ tags }: Memory): string | null {
  return tags.find((tag) => tag.startsWith(ARCHIVED))?.slice(ARCHIVED.length) ?? null;
}

/** Returns a store as the wire has it. */
export function toStore(user: string, record: Memory | undefined, createdAt: string): MemoryStore {
  return {
    id: storeIdOf(user),
    type: 'memory_store',
    ...fieldsOf(user, record),
    created_at: record?.createdAt ?? createdAt,
    updated_at: record?.updatedAt ?? createdAt,
    archived_at: record ? archivedAtOf(record) : null,
  };
}

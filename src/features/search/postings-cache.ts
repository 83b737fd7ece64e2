import type { Reader } from '../../db/connection.ts';
import type { IndexTerm, Postings, PostingsKey, TermPostings, VocabularyRange } from './postings.ts';

/** Size of the cache, for the indexes of all users together. */
const MAX_BYTES = 64 * 2 ** 20;
const NUMBER_BYTES = 8;
/** Approximate overhead of a value and its key. */
const OVERHEAD_BYTES = 200;

/** Postings read from one version of the index of a user and type. */
interface UserIndex {
  version: string;
  values: Map<string, unknown>;
  bytes: number;
}

/**
 * Caches `postings` in memory by the version of the index that a search read. Every change of a user's index gives it a
 * new version in the same transaction, and no version occurs twice. A read is at least as new as the version that its
 * search read before, so the cache returns nothing that a later search with that version would not read itself. Evicts
 * the users that searched longest ago.
 */
export function createCachedPostings(postings: Postings, maxBytes = MAX_BYTES): Postings {
  const users = new Map<string, UserIndex>();
  let bytes = 0;

  function drop(user: string): void {
    bytes -= users.get(user)?.bytes ?? 0;
    users.delete(user);
  }

  /** Marks the user as the one that searched last. */
  function open(user: string, version: string): UserIndex {
    const known = users.get(user);
    if (known?.version !== version) drop(user);
    const index = known?.version === version ? known : { version, values: new Map<string, unknown>(), bytes: 0 };
    users.delete(user);
    users.set(user, index);
    return index;
  }

  function add(user: string, index: UserIndex, name: string, value: unknown, size: number): void {
    // The version may have changed during the read.
    if (users.get(user) !== index || index.values.has(name)) return;
    index.values.set(name, value);
    const added = size + 2 * name.length + OVERHEAD_BYTES;
    index.bytes += added;
    bytes += added;
    for (const oldest of users.keys()) {
      if (bytes <= maxBytes) return;
      drop(oldest);
    }
  }

  /** Returns values by name, and reads the missing ones together. */
  async function through<T>(
    { tenantId, type, scope, version }: PostingsKey,
    names: readonly string[],
    read: (missing: readonly number[]) => Promise<readonly T[]>,
    sizeOf: (value: T) => number,
  ): Promise<T[]> {
    if (version == null) return [...(await read([...names.keys()]))];
    const user = `${tenantId} ${type} ${scope}`;
    const index = open(user, version);
    const values = names.map((name) => index.values.get(name) as T | undefined);
    const missing = [...names.keys()].filter((at) => values[at] === undefined);
    if (missing.length === 0) return values as T[];
    const found = await read(missing);
    for (const [at, value] of found.entries()) {
      const place = missing[at]!;
      values[place] = value;
      add(user, index, names[place]!, value, sizeOf(value));
    }
    return values as T[];
  }

  function ofTerms<T>(
    kind: 'of' | 'count' | 'have',
    read: (reader: Reader, key: PostingsKey, terms: readonly IndexTerm[]) => Promise<T[]>,
    sizeOf: (value: T) => number,
  ) {
    return (reader: Reader, key: PostingsKey, terms: readonly IndexTerm[]): Promise<T[]> => {
      const names = terms.map(({ text, as }) => `${kind} ${key.parts.join()} ${as} ${text}`);
      const readMissing = (missing: readonly number[]) =>
        read(
          reader,
          key,
          missing.map((at) => terms[at]!),
        );
      return through(key, names, readMissing, sizeOf);
    };
  }

  return {
    of: ofTerms('of', postings.of, bytesOfPostings),
    count: ofTerms('count', postings.count, () => NUMBER_BYTES),
    have: ofTerms('have', postings.have, () => NUMBER_BYTES),
    async vocabulary(reader: Reader, key: PostingsKey, stems: VocabularyRange) {
      const { first, least, most, limit } = stems;
      const name = `vocabulary ${first} ${least} ${most} ${limit}`;
      const [found] = await through(
        key,
        [name],
        async () => [await postings.vocabulary(reader, key, stems)],
        bytesOfStems,
      );
      return found!;
    },
  };
}

function bytesOfPostings({ numbers }: TermPostings): number {
  return 3 * NUMBER_BYTES * numbers.length;
}

function bytesOfStems(stems: readonly string[]): number {
  return stems.reduce((sum, stem) => sum + 2 * stem.length + 3 * NUMBER_BYTES, 0);
}

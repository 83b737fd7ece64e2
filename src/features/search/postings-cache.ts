import type { Reader } from '../../db/connection.ts';
import { type AddedTokens, addedSince, type Occurrence } from '../text/added-tokens.ts';
import { scopePrefix } from '../text/terms.ts';
import { tokensByKind } from './index-tokens.ts';
import type { IndexTerm, Postings, PostingsKey, TermPostings, VocabularyRange } from './postings.ts';

/** Size of the cache, for the indexes of all users together. */
const MAX_BYTES = 64 * 2 ** 20;
const NUMBER_BYTES = 8;
/** Approximate overhead of a value and its key. */
const OVERHEAD_BYTES = 240;

/** A value that was read. */
interface Kept {
  value: unknown;
  bytes: number;
  /** The value after an addition to the index, or `undefined` if it has to be read again. */
  after(added: AddedTokens): Kept | undefined;
}

/** How values of one kind are kept. */
interface Keeping<T> {
  sizeOf(value: T): number;
  /** Only an addition of one of these tokens changes the value; without them any addition may. */
  tokens?: readonly string[] | undefined;
  /** Like `Kept.after`. */
  after(value: T, added: AddedTokens): T | undefined;
}

/** What was read from one version of the index of a user and type. */
interface UserIndex {
  version: string;
  values: Map<string, Kept>;
  /** The names of the values that an addition of a token changes. */
  byToken: Map<string, Set<string>>;
  /** The names of the values that any addition may change. */
  byAny: Set<string>;
  bytes: number;
}

/**
 * Caches `postings` in memory by the version of the index that a search read. Every change of a user's index gives it a
 * new version in the same transaction, and no version occurs twice. A read is at least as new as the version that its
 * search read before, so the cache returns nothing that a later search with that version would not read itself. Follows
 * an index to which documents were only added without reading it. Evicts the users that searched longest ago.
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
    const index = known?.version === version ? known : renewed(known, version);
    drop(user);
    users.set(user, index);
    bytes += index.bytes;
    return index;
  }

  function add<T>(user: string, index: UserIndex, name: string, value: T, keeping: Keeping<T>): void {
    // The version may have changed during the read.
    if (users.get(user) !== index || index.values.has(name)) return;
    bytes += keep(index, name, value, keeping);
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
    keeping: (at: number) => Keeping<T>,
  ): Promise<T[]> {
    if (version == null) return [...(await read([...names.keys()]))];
    const user = `${tenantId} ${type} ${scope}`;
    const index = open(user, version);
    const values = names.map((name) => index.values.get(name)?.value as T | undefined);
    const missing = [...names.keys()].filter((at) => values[at] === undefined);
    if (missing.length === 0) return values as T[];
    const found = await read(missing);
    for (const [at, value] of found.entries()) {
      const place = missing[at]!;
      values[place] = value;
      add(user, index, names[place]!, value, keeping(place));
    }
    return values as T[];
  }

  function ofTerms<T>(
    kind: 'of' | 'count' | 'have',
    read: (reader: Reader, key: PostingsKey, terms: readonly IndexTerm[]) => Promise<T[]>,
    sizeOf: (value: T) => number,
    after: (value: T, found: readonly Occurrence[], key: PostingsKey) => T | undefined,
  ) {
    function keeping(key: PostingsKey, term: IndexTerm): Keeping<T> {
      const tokens = tokensByKind(key, [term]).flatMap(([found]) => found.map(({ text }) => text));
      if (term.as === 'prefix') {
        const isAmong = (token: string) => tokens.some((prefix) => token.startsWith(prefix));
        return { sizeOf, after: (value, added) => ([...added.keys()].some(isAmong) ? undefined : value) };
      }
      return {
        ...{ sizeOf, tokens },
        after: (value, added) =>
          after(
            value,
            tokens.flatMap((token) => added.get(token) ?? []),
            key,
          ),
      };
    }
    return (reader: Reader, key: PostingsKey, terms: readonly IndexTerm[]): Promise<T[]> => {
      const names = terms.map(({ text, as }) => `${kind} ${key.parts.join()} ${as} ${text}`);
      const readMissing = (missing: readonly number[]) =>
        read(
          reader,
          key,
          missing.map((at) => terms[at]!),
        );
      return through(key, names, readMissing, (at) => keeping(key, terms[at]!));
    };
  }

  const sizeOfNumber = () => NUMBER_BYTES;
  return {
    of: ofTerms('of', postings.of, bytesOfPostings, postingsAfter),
    // A count that was read after the addition has it already.
    count: ofTerms('count', postings.count, sizeOfNumber, () => undefined),
    have: ofTerms('have', postings.have, sizeOfNumber, () => true),
    async vocabulary(reader: Reader, key: PostingsKey, stems: VocabularyRange) {
      const { first, least, most, limit } = stems;
      const name = `vocabulary ${first} ${least} ${most} ${limit}`;
      const [found] = await through<string[]>(
        key,
        [name],
        async () => [await postings.vocabulary(reader, key, stems)],
        () => ({ sizeOf: bytesOfStems, after: (found, added) => stemsAfter(found, key, stems, added) }),
      );
      return found!;
    },
  };
}

/** What is known of an index with a newer version: nothing, unless documents were only added to it. */
function renewed(known: UserIndex | undefined, version: string): UserIndex {
  const added = known && addedSince(known.version, version);
  if (added === undefined) return { version, values: new Map(), byToken: new Map(), byAny: new Set(), bytes: 0 };
  // A new object: a search that began before the change adds nothing to it.
  const index: UserIndex = { ...known!, version };
  const { values, byToken, byAny } = index;
  const changed = new Set([...byAny, ...[...added.keys()].flatMap((token) => [...(byToken.get(token) ?? [])])]);
  for (const name of changed) {
    const before = values.get(name);
    const next = before?.after(added);
    index.bytes += (next?.bytes ?? 0) - (before?.bytes ?? 0);
    if (next) values.set(name, next);
    else values.delete(name);
  }
  return index;
}

/** Returns the size of what is kept. */
function keep<T>(index: UserIndex, name: string, value: T, keeping: Keeping<T>): number {
  const toKeep = (current: T): Kept => ({
    value: current,
    bytes: keeping.sizeOf(current) + 2 * name.length + OVERHEAD_BYTES,
    after(added) {
      const next = keeping.after(current, added);
      return next === undefined ? undefined : toKeep(next);
    },
  });
  const kept = toKeep(value);
  index.values.set(name, kept);
  index.bytes += kept.bytes;
  if (keeping.tokens === undefined) index.byAny.add(name);
  for (const token of keeping.tokens ?? []) {
    index.byToken.set(token, (index.byToken.get(token) ?? new Set()).add(name));
  }
  return kept.bytes;
}

/** The postings of a term after documents that hold it were added, unless some of these are among them already. */
function postingsAfter(
  postings: TermPostings,
  found: readonly Occurrence[],
  { parts }: PostingsKey,
): TermPostings | undefined {
  // Several parts are one after the other.
  if (parts.length > 1) return undefined;
  let last = postings.numbers.at(-1) ?? Number.NEGATIVE_INFINITY;
  for (const { number } of found) {
    if (number <= last) return undefined;
    last = number;
  }
  return {
    numbers: [...postings.numbers, ...found.map(({ number }) => number)],
    frequencies: [...postings.frequencies, ...found.map(({ frequency }) => frequency)],
    lengths: [...postings.lengths, ...found.map(({ length }) => length)],
  };
}

/** A part of the vocabulary after tokens were added. */
function stemsAfter(
  stems: string[],
  { scope }: PostingsKey,
  { first, least, most, limit }: VocabularyRange,
  added: AddedTokens,
): string[] {
  const prefix = scopePrefix(scope, 'live');
  const more = [...added.keys()]
    .filter((token) => token.startsWith(prefix + first))
    .map((token) => token.slice(prefix.length))
    .filter((stem) => [...stem].length >= least && [...stem].length <= most);
  let united: string[] | undefined;
  for (const stem of more) {
    const place = placeOf(stem, united ?? stems);
    if ((united ?? stems)[place] === stem) continue;
    united ??= [...stems];
    united.splice(place, 0, stem);
  }
  return united?.slice(0, limit) ?? stems;
}

/** Where a stem stands or belongs in the order of the index, which is that of the bytes of UTF-8. */
function placeOf(stem: string, stems: readonly string[]): number {
  const bytes = Buffer.from(stem);
  let low = 0;
  let high = stems.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (Buffer.compare(Buffer.from(stems[middle]!), bytes) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

function bytesOfPostings({ numbers }: TermPostings): number {
  return 3 * NUMBER_BYTES * numbers.length;
}

function bytesOfStems(stems: readonly string[]): number {
  return stems.reduce((sum, stem) => sum + 2 * stem.length + 3 * NUMBER_BYTES, 0);
}

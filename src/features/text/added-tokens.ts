import { createBoundedMap } from '../../lib/bounded-map.ts';
import { stemOf } from './porter.ts';
import { tokenOf } from './terms.ts';
import type { IndexedTokens } from './text-index-engine.ts';

/** Changes of all users whose tokens are kept: those that a search may still ask for. */
const MAX_CHANGES = 256;
/** Longer texts are not kept: after them, an index is read anew. */
const MAX_BYTES = 16_384;

type AddedRow = Pick<IndexedTokens, 'number' | 'prefix' | 'terms' | 'others'>;

/** A token in a document. */
export interface Occurrence {
  /** Of the row. */
  number: number;
  frequency: number;
  /** Tokens in the document. */
  length: number;
}

/** The documents that an index got, by stored token. */
export type AddedTokens = ReadonlyMap<string, readonly Occurrence[]>;

const added = createBoundedMap<string, readonly AddedRow[]>(MAX_CHANGES);

/**
 * Keeps what the change that gave an index this version has added; it changed nothing else. Called before the change is
 * committed: a version whose change is undone never occurs.
 */
export function noteAdded(version: string, rows: readonly AddedRow[]): void {
  if (rows.reduce((sum, { terms }) => sum + terms.length, 0) > MAX_BYTES) return;
  added.set(
    version,
    rows.map(({ number, prefix, terms, others }) => ({ number, prefix, terms, others })),
  );
}

/**
 * What an index has got since a version, oldest first, or `undefined` if that is not known or documents have left it since.
 * Both are versions as `WordTotals` has them.
 */
export function addedSince(before: string, now: string): AddedTokens | undefined {
  const versions = now.split(' ');
  const since = versions.indexOf(before.split(' ', 1)[0]!);
  if (since < 1) return undefined;
  const found = new Map<string, Occurrence[]>();
  for (const version of versions.slice(0, since).reverse()) {
    const rows = added.get(version);
    if (rows === undefined) return undefined;
    for (const row of rows) addOccurrences(found, row);
  }
  return found;
}

function addOccurrences(found: Map<string, Occurrence[]>, { number, prefix, terms, others }: AddedRow): void {
  const all = [...terms.toString().split(' ').slice(1), ...others];
  const frequencies = new Map<string, number>();
  for (const term of all) {
    const token = stemOf(tokenOf(prefix, term));
    frequencies.set(token, (frequencies.get(token) ?? 0) + 1);
  }
  for (const [token, frequency] of frequencies) {
    const occurrence = { number, frequency, length: all.length };
    const known = found.get(token);
    if (known) known.push(occurrence);
    else found.set(token, [occurrence]);
  }
}

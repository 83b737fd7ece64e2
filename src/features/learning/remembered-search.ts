import type { ItemType } from '../../contract/search.ts';

const TYPE_OF_PREFIX: Readonly<Record<string, ItemType>> = { mem: 'memory', msg: 'message', ep: 'episode' };

/** The type of an item that a search found, by its id. */
export function itemTypeOf(id: string): ItemType {
  return TYPE_OF_PREFIX[id.split('_')[0]!]!;
}

/** A candidate of a search with its signals, by name. */
export interface RememberedCandidate {
  id: string;
  signals: Readonly<Record<string, number>>;
}

/** How many of the default ranking's best are stored, besides those shown. More did not improve learning. */
export const MAX_STORED_CANDIDATES = 25;

/** Selects the candidates to store, in default order, and the indices of those shown among them. */
export function selectCandidates<T extends RememberedCandidate>(
  byDefault: readonly T[],
  shownIds: readonly string[],
): { candidates: T[]; shown: number[] } {
  const wanted = new Set(shownIds);
  const candidates = byDefault.filter(({ id }, index) => index < MAX_STORED_CANDIDATES || wanted.has(id));
  const indices = new Map(candidates.map(({ id }, index) => [id, index]));
  return { candidates, shown: shownIds.flatMap((id) => indices.get(id) ?? []) };
}

/** Returns the ids that a stored search showed, best first. */
export function shownIdsOf({ candidates, shown }: { candidates: string; shown: Buffer }): string[] {
  const ids = candidates.split(' ');
  return unpackIndices(shown).map((index) => ids[index]!);
}

/** Returns the ids that the ranking learned from. */
export function learnedIdsOf({ learnedFrom }: { learnedFrom: string }): ReadonlySet<string> {
  return new Set(learnedFrom.split(' ').filter((id) => id !== ''));
}

/** Returns whether any of the results that the ranking learned from was used. */
export function hasUses({ learnedFrom, irrelevant }: { learnedFrom: string; irrelevant: string | null }): boolean {
  const rejected = learnedIdsOf({ learnedFrom: irrelevant ?? '' });
  return [...learnedIdsOf({ learnedFrom })].some((id) => !rejected.has(id));
}

/** Signals are stored as fixed-point numbers in steps of 1/8192, from −4 to 4. */
const STEPS_PER_UNIT = 8192;
const MAX_INT16 = 32_767;

/** Packs signals row by row; NaN becomes 0, values out of range are clamped. */
export function packSignals(signals: readonly Float32Array[]): Buffer {
  const width = signals[0]?.length ?? 0;
  const bytes = Buffer.alloc(signals.length * width * 2);
  signals.forEach((row, index) => {
    row.forEach((value, at) => {
      const step = Math.round(Number.isNaN(value) ? 0 : value * STEPS_PER_UNIT);
      bytes.writeInt16LE(Math.min(MAX_INT16, Math.max(-MAX_INT16, step)), (index * width + at) * 2);
    });
  });
  return bytes;
}

/** Unpacks what `packSignals` wrote for this many candidates. */
export function unpackSignals(bytes: Buffer, candidates: number): Float32Array[] {
  const width = candidates === 0 ? 0 : bytes.length / 2 / candidates;
  return Array.from({ length: candidates }, (_, index) =>
    Float32Array.from({ length: width }, (_value, at) => bytes.readInt16LE((index * width + at) * 2) / STEPS_PER_UNIT),
  );
}

/** Packs indices as unsigned 16-bit integers. */
export function packIndices(indices: readonly number[]): Buffer {
  const bytes = Buffer.alloc(indices.length * 2);
  indices.forEach((value, at) => void bytes.writeUInt16LE(value, at * 2));
  return bytes;
}

/** Unpacks what `packIndices` wrote. */
export function unpackIndices(bytes: Buffer): number[] {
  return Array.from({ length: bytes.length / 2 }, (_, index) => bytes.readUInt16LE(index * 2));
}

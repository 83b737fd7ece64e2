/** A candidate of a search with its signals, by name. */
export interface RememberedCandidate {
  id: string;
  signals: Readonly<Record<string, number>>;
}

/** Of a pool so many are kept, the default ranking's best; and whatever was shown. More taught no better. */
export const KEPT_CANDIDATES = 25;

/** Which candidates are kept, the default ranking's best first, and the places of the shown ones among them. */
export function keptCandidates<T extends RememberedCandidate>(
  byDefault: readonly T[],
  shownIds: readonly string[],
): { candidates: T[]; shown: number[] } {
  const wanted = new Set(shownIds);
  const candidates = byDefault.filter(({ id }, index) => index < KEPT_CANDIDATES || wanted.has(id));
  const places = new Map(candidates.map(({ id }, place) => [id, place]));
  return { candidates, shown: shownIds.flatMap((id) => places.get(id) ?? []) };
}

/** Signals are kept as fixed-point numbers: a step of 1/8192, from −4 to 4. */
const STEPS = 8192;
const LARGEST = 32_767;

/** The signals as bytes, row by row. What is not finite becomes 0. */
export function packSignals(signals: readonly Float32Array[]): Buffer {
  const width = signals[0]?.length ?? 0;
  const bytes = Buffer.alloc(signals.length * width * 2);
  signals.forEach((row, index) => {
    row.forEach((value, at) => {
      const step = Math.round(Number.isNaN(value) ? 0 : value * STEPS);
      bytes.writeInt16LE(Math.min(LARGEST, Math.max(-LARGEST, step)), (index * width + at) * 2);
    });
  });
  return bytes;
}

/** Reads what `packSignals` wrote for so many candidates. */
export function unpackSignals(bytes: Buffer, candidates: number): Float32Array[] {
  const width = candidates === 0 ? 0 : bytes.length / 2 / candidates;
  return Array.from({ length: candidates }, (_, index) =>
    Float32Array.from({ length: width }, (_value, at) => bytes.readInt16LE((index * width + at) * 2) / STEPS),
  );
}

/** Places in a list, as bytes. */
export function packPlaces(places: readonly number[]): Buffer {
  const bytes = Buffer.alloc(places.length * 2);
  places.forEach((place, index) => void bytes.writeUInt16LE(place, index * 2));
  return bytes;
}

/** Reads what `packPlaces` wrote. */
export function unpackPlaces(bytes: Buffer): number[] {
  return Array.from({ length: bytes.length / 2 }, (_, index) => bytes.readUInt16LE(index * 2));
}

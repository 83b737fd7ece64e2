/** A document that holds a term. */
export interface ChunkEntry {
  number: number;
  /** Occurrences of the term. */
  frequency: number;
  /** Tokens in the document. */
  length: number;
}

/** Precedes an absolute number; numbers that follow are differences, which are positive. */
const ABSOLUTE = 0;
/** Bytes, of seven bits each, that a number up to 2^53 takes. */
const MAX_BYTES = 8;

/**
 * Encodes entries by ascending number, each as three variable-length integers. The encodings of two lists, one after the
 * other, are the encoding of both: an append needs no reading.
 */
export function encodeChunk(entries: readonly ChunkEntry[]): Buffer {
  const bytes = Buffer.allocUnsafe(1 + entries.length * 3 * MAX_BYTES);
  let at = 0;
  const put = (value: number) => {
    let rest = value;
    for (; rest > 127; rest = Math.floor(rest / 128)) {
      bytes[at] = (rest % 128) | 128;
      at += 1;
    }
    bytes[at] = rest;
    at += 1;
  };
  let previous: number | undefined;
  for (const { number, frequency, length } of entries) {
    if (previous === undefined) put(ABSOLUTE);
    put(number - (previous ?? 0));
    put(frequency);
    put(length);
    previous = number;
  }
  return Buffer.from(bytes.subarray(0, at));
}

/** Calls `use` with each entry, in the order of their encoding. */
export function decodeChunk(bytes: Buffer, use: (number: number, frequency: number, length: number) => void): void {
  let at = 0;
  const take = (): number => {
    let value = 0;
    let unit = 1;
    for (;;) {
      const byte = bytes[at]!;
      at += 1;
      value += (byte & 127) * unit;
      if (byte < 128) return value;
      unit *= 128;
    }
  };
  let number = 0;
  while (at < bytes.length) {
    const step = take();
    number = step === ABSOLUTE ? take() : number + step;
    use(number, take(), take());
  }
}

/** The entries of a chunk by ascending number. */
export function entriesOf(bytes: Buffer): ChunkEntry[] {
  const entries: ChunkEntry[] = [];
  decodeChunk(bytes, (number, frequency, length) => entries.push({ number, frequency, length }));
  return entries.sort((a, b) => a.number - b.number);
}

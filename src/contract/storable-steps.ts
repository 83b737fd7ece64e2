import {
  countStorableInSteps,
  invalidJson,
  type Key,
  parseJson,
  parseStorable,
  pathTo,
  requireMember,
  requireStorable,
  requireStorableName,
  sameNameTwice,
} from './storable.ts';

/** What `JSON.parse` reads at once, in about a millisecond even if it is nothing but names. */
const PIECE_BYTES = 8 * 1024;
/** What is searched for brackets in one step, and how much of a string is parsed at once, in half a millisecond. */
const PASSED_BYTES = 64 * 1024;

const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_ARRAY = 0x5b;
const BACKSLASH = 0x5c;
const LETTER_U = 0x75;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const CLOSING: Readonly<Record<number, number>> = { [OPEN_ARRAY]: CLOSE_ARRAY, [OPEN_OBJECT]: CLOSE_OBJECT };
const WHITE_SPACE = new Set([0x20, 0x09, 0x0a, 0x0d]);

/**
 * `parseStorable` in steps of about a millisecond: 20,000 different names alone take `JSON.parse` twenty. What is
 * longer than a piece is taken apart, and each piece is parsed and checked alone.
 */
export function* parseStorableInSteps(body: Buffer): Generator<void, unknown> {
  if (body.length <= PIECE_BYTES) return parseStorable(body);
  const { bytes, members } = yield* countStorableInSteps(body);
  yield;
  const ends = yield* endsOfLong(bytes);
  yield;
  const start = afterSpace(bytes, 0);
  const end = ends.get(start);
  // Nothing long, with much white space around it.
  if (end === undefined) return parseStorable(body);
  if (afterSpace(bytes, end + 1) < bytes.length) throw invalidJson();
  const reader = new LongReader(bytes, ends, true);
  const value = yield* reader.read(start, '', 0);
  if (reader.members !== members) throw sameNameTwice();
  return value;
}

/** `JSON.parse` of UTF-8 in such steps. Throws `invalid_request`; bound what the bytes have before. */
export function* parseJsonInSteps(bytes: Buffer): Generator<void, unknown> {
  const ends = bytes.length > PIECE_BYTES ? yield* endsOfLong(bytes) : undefined;
  yield;
  const start = afterSpace(bytes, 0);
  const end = ends?.get(start);
  if (!ends || end === undefined) return parseJson(bytes.toString('utf8'));
  if (afterSpace(bytes, end + 1) < bytes.length) throw invalidJson();
  return yield* new LongReader(bytes, ends, false).read(start, '', 0);
}

/**
 * Where each array and object that is longer than a piece ends, and each string that is longer than a step, by where it
 * starts. Throws if brackets do not match.
 */
function* endsOfLong(bytes: Buffer): Generator<void, Map<number, number>> {
  const ends = new Map<number, number>();
  const starts: number[] = [];
  let pause = PASSED_BYTES;
  for (let index = 0; index < bytes.length; index += 1) {
    if (index > pause) {
      pause = index + PASSED_BYTES;
      yield;
    }
    const code = bytes[index]!;
    if (code === QUOTE) {
      const start = index;
      index = endOfString(bytes, index) - 1;
      if (index - start > PASSED_BYTES) ends.set(start, index);
    } else if (code === OPEN_ARRAY || code === OPEN_OBJECT) starts.push(index);
    else if (code === CLOSE_ARRAY || code === CLOSE_OBJECT) {
      const start = starts.pop();
      if (start === undefined || CLOSING[bytes[start]!] !== code) throw invalidJson();
      if (index - start > PIECE_BYTES) ends.set(start, index);
    }
  }
  if (starts.length > 0) throw invalidJson();
  return ends;
}

/** Returns the position after the string that starts at `index`. */
function endOfString(bytes: Buffer, index: number): number {
  for (let at = index + 1; at < bytes.length; at += 1) {
    const code = bytes[at];
    if (code === QUOTE) return at + 1;
    if (code === BACKSLASH) at += 1;
  }
  return bytes.length;
}

function afterSpace(bytes: Buffer, index: number): number {
  let at = index;
  while (at < bytes.length && WHITE_SPACE.has(bytes[at]!)) at += 1;
  return at;
}

/** Whether a byte continues a character of UTF-8. */
function isContinued(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}

class LongReader {
  /** Of all objects read so far. */
  members = 0;
  readonly #bytes: Buffer;
  readonly #ends: ReadonlyMap<number, number>;
  readonly #requiresStorable: boolean;

  constructor(bytes: Buffer, ends: ReadonlyMap<number, number>, requiresStorable: boolean) {
    this.#bytes = bytes;
    this.#ends = ends;
    this.#requiresStorable = requiresStorable;
  }

  /** Reads the long array, object or string that starts at `start`. */
  *read(start: number, path: string, depth: number): Generator<void, unknown> {
    if (this.#bytes[start] !== QUOTE) return yield* this.#readContainer(start, path, depth);
    const text = yield* this.#readString(start);
    if (this.#requiresStorable) requireStorable(text, path, depth);
    return text;
  }

  *#readContainer(start: number, path: string, depth: number): Generator<void, unknown> {
    const bytes = this.#bytes;
    const end = this.#ends.get(start)!;
    const content = bytes[start] === OPEN_ARRAY ? this.#array(path, depth) : this.#object(path, depth);
    /** Where the next piece starts, and the item that is being passed. */
    let piece = start + 1;
    let item = piece;
    let level = 0;
    for (let index = start + 1; index < end; index += 1) {
      const code = bytes[index]!;
      const longEnd = level === 0 ? this.#ends.get(index) : undefined;
      if (longEnd !== undefined) {
        if (code === QUOTE && content.isName(bytes.subarray(item, index))) {
          index = longEnd;
          continue;
        }
        if (item > piece) content.add(bytes.subarray(piece, item - 1));
        const key = content.keyIn(bytes.subarray(item, index));
        content.put(key, yield* this.read(index, pathTo(path, key), depth + 1));
        index = afterSpace(bytes, longEnd + 1);
        if (index === end) return content.value;
        if (bytes[index] !== COMMA) throw invalidJson();
        piece = index + 1;
        item = piece;
      } else if (code === QUOTE) index = endOfString(bytes, index) - 1;
      else if (code === OPEN_ARRAY || code === OPEN_OBJECT) level += 1;
      else if (code === CLOSE_ARRAY || code === CLOSE_OBJECT) level -= 1;
      else if (code === COMMA && level === 0) {
        item = index + 1;
        if (index - piece < PIECE_BYTES) continue;
        content.add(bytes.subarray(piece, index));
        piece = item;
        yield;
      }
    }
    // Empty, but for white space.
    if (piece > start + 1 || afterSpace(bytes, piece) < end) content.add(bytes.subarray(piece, end));
    return content.value;
  }

  /** Parses a long string in pieces that cut neither escapes nor characters. */
  *#readString(start: number): Generator<void, string> {
    const bytes = this.#bytes;
    const end = this.#ends.get(start)!;
    let value = '';
    for (let from = start + 1; from < end; ) {
      let at = from;
      while (at < from + PASSED_BYTES && at < end) {
        at += bytes[at] !== BACKSLASH ? 1 : bytes[at + 1] === LETTER_U ? 6 : 2;
      }
      while (at < end && isContinued(bytes[at]!)) at += 1;
      value += parseJson(`"${bytes.toString('utf8', from, Math.min(at, end))}"`);
      from = at;
      yield;
    }
    return value;
  }

  #array(path: string, depth: number) {
    const value: unknown[] = [];
    return {
      value,
      isName: (_before: Buffer) => false,
      /** Adds at least one item. */
      add: (piece: Buffer) => {
        const items = parseJson(`[${piece}]`) as unknown[];
        if (items.length === 0) throw invalidJson();
        for (const item of items) {
          if (this.#requiresStorable) this.members += requireMember(item, path, value.length, depth);
          value.push(item);
        }
      },
      /** The key of an item, from what precedes it. */
      keyIn: (before: Buffer): Key => {
        if (afterSpace(before, 0) < before.length) throw invalidJson();
        return value.length;
      },
      put: (_key: Key, item: unknown) => void value.push(item),
    };
  }

  #object(path: string, depth: number) {
    const value: Record<string, unknown> = {};
    const put = (key: Key, item: unknown) => {
      const name = String(key);
      if (this.#requiresStorable) {
        requireStorableName(name, item, path);
        if (Object.hasOwn(value, name)) throw sameNameTwice();
        this.members += 1;
      }
      if (name !== '__proto__') value[name] = item;
      else Object.defineProperty(value, name, { value: item, enumerable: true, configurable: true, writable: true });
    };
    return {
      value,
      /** Whether the string after `before` is the name of a member. */
      isName: (before: Buffer) => afterSpace(before, 0) === before.length,
      add: (piece: Buffer) => {
        const members = Object.entries(parseJson(`{${piece}}`) as object);
        if (members.length === 0) throw invalidJson();
        for (const [name, item] of members) {
          put(name, item);
          if (this.#requiresStorable) this.members += requireMember(item, path, name, depth);
        }
      },
      keyIn: (before: Buffer): Key => {
        const [name, ...others] = Object.keys(parseJson(`{${before}null}`) as object);
        if (name === undefined || others.length > 0) throw invalidJson();
        return name;
      },
      put,
    };
  }
}

import {
  decodeStorableInSteps,
  invalidJson,
  type Key,
  parseJson,
  parseStorable,
  pathTo,
  requireMember,
  requireStorableName,
  sameNameTwice,
} from './storable.ts';

/** What `JSON.parse` reads at once, in about a millisecond even if it is nothing but names. */
const PIECE_CHARACTERS = 8 * 1024;
/** What is searched for brackets in one step, in half a millisecond. */
const PASSED_CHARACTERS = 64 * 1024;

const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_ARRAY = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const CLOSING: Readonly<Record<number, number>> = { [OPEN_ARRAY]: CLOSE_ARRAY, [OPEN_OBJECT]: CLOSE_OBJECT };
const WHITE_SPACE = /[ \t\n\r]*/y;

/**
 * `parseStorable` in steps of about a millisecond: 20,000 different names alone take `JSON.parse` twenty. Arrays and
 * objects that are longer than a piece are taken apart, and each piece is parsed and checked alone.
 */
export function* parseStorableInSteps(body: Buffer): Generator<void, unknown> {
  if (body.length <= PIECE_CHARACTERS) return parseStorable(body);
  const { text, members } = yield* decodeStorableInSteps(body);
  yield;
  const ends = yield* endsOfLong(text);
  yield;
  const start = afterSpace(text, 0);
  const end = ends.get(start);
  // Neither an array nor an object, or one with much white space around it.
  if (end === undefined) return parseStorable(body);
  if (afterSpace(text, end + 1) < text.length) throw invalidJson();
  const reader = new LongReader(text, ends, true);
  const value = yield* reader.read(start, '', 0);
  if (reader.members !== members) throw sameNameTwice();
  return value;
}

/** `JSON.parse` in such steps. Throws `invalid_request`; bound what the text has before. */
export function* parseJsonInSteps(text: string): Generator<void, unknown> {
  if (text.length <= PIECE_CHARACTERS) return parseJson(text);
  const ends = yield* endsOfLong(text);
  yield;
  const start = afterSpace(text, 0);
  const end = ends.get(start);
  if (end === undefined) return parseJson(text);
  if (afterSpace(text, end + 1) < text.length) throw invalidJson();
  return yield* new LongReader(text, ends, false).read(start, '', 0);
}

/** Where each array and object that is longer than a piece ends, by where it starts. Throws if brackets do not match. */
function* endsOfLong(text: string): Generator<void, Map<number, number>> {
  const ends = new Map<number, number>();
  const starts: number[] = [];
  let pause = PASSED_CHARACTERS;
  for (let index = 0; index < text.length; index += 1) {
    if (index > pause) {
      pause = index + PASSED_CHARACTERS;
      yield;
    }
    const code = text.charCodeAt(index);
    if (code === QUOTE) index = endOfString(text, index) - 1;
    else if (code === OPEN_ARRAY || code === OPEN_OBJECT) starts.push(index);
    else if (code === CLOSE_ARRAY || code === CLOSE_OBJECT) {
      const start = starts.pop();
      if (start === undefined || CLOSING[text.charCodeAt(start)] !== code) throw invalidJson();
      if (index - start > PIECE_CHARACTERS) ends.set(start, index);
    }
  }
  if (starts.length > 0) throw invalidJson();
  return ends;
}

/** Returns the position after the string that starts at `index`. */
function endOfString(text: string, index: number): number {
  for (let at = index + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at + 1;
    if (code === BACKSLASH) at += 1;
  }
  return text.length;
}

function afterSpace(text: string, index: number): number {
  WHITE_SPACE.lastIndex = index;
  WHITE_SPACE.test(text);
  return WHITE_SPACE.lastIndex;
}

class LongReader {
  /** Of all objects read so far. */
  members = 0;
  readonly #text: string;
  readonly #ends: ReadonlyMap<number, number>;
  readonly #requiresStorable: boolean;

  constructor(text: string, ends: ReadonlyMap<number, number>, requiresStorable: boolean) {
    this.#text = text;
    this.#ends = ends;
    this.#requiresStorable = requiresStorable;
  }

  /** Reads the long array or object that starts at `start`. */
  *read(start: number, path: string, depth: number): Generator<void, unknown> {
    const text = this.#text;
    const end = this.#ends.get(start)!;
    const content = text.charCodeAt(start) === OPEN_ARRAY ? this.#array(path, depth) : this.#object(path, depth);
    /** Where the next piece starts, and the item that is being passed. */
    let piece = start + 1;
    let item = piece;
    let level = 0;
    for (let index = start + 1; index < end; index += 1) {
      const code = text.charCodeAt(index);
      const longEnd = level === 0 ? this.#ends.get(index) : undefined;
      if (longEnd !== undefined) {
        if (item > piece) content.add(text.slice(piece, item - 1));
        const key = content.keyIn(text.slice(item, index));
        content.put(key, yield* this.read(index, pathTo(path, key), depth + 1));
        index = afterSpace(text, longEnd + 1);
        if (index === end) return content.value;
        if (text.charCodeAt(index) !== COMMA) throw invalidJson();
        piece = index + 1;
        item = piece;
      } else if (code === QUOTE) index = endOfString(text, index) - 1;
      else if (code === OPEN_ARRAY || code === OPEN_OBJECT) level += 1;
      else if (code === CLOSE_ARRAY || code === CLOSE_OBJECT) level -= 1;
      else if (code === COMMA && level === 0) {
        item = index + 1;
        if (index - piece < PIECE_CHARACTERS) continue;
        content.add(text.slice(piece, index));
        piece = item;
        yield;
      }
    }
    // Empty, but for white space.
    if (piece > start + 1 || afterSpace(text, piece) < end) content.add(text.slice(piece, end));
    return content.value;
  }

  #array(path: string, depth: number) {
    const value: unknown[] = [];
    return {
      value,
      /** Adds at least one item. */
      add: (piece: string) => {
        const items = parseJson(`[${piece}]`) as unknown[];
        if (items.length === 0) throw invalidJson();
        for (const item of items) {
          if (this.#requiresStorable) this.members += requireMember(item, path, value.length, depth);
          value.push(item);
        }
      },
      /** The key of an item, from what stands before it. */
      keyIn: (before: string): Key => {
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
      add: (piece: string) => {
        const members = Object.entries(parseJson(`{${piece}}`) as object);
        if (members.length === 0) throw invalidJson();
        for (const [name, item] of members) {
          put(name, item);
          if (this.#requiresStorable) this.members += requireMember(item, path, name, depth);
        }
      },
      keyIn: (before: string): Key => {
        const [name, ...others] = Object.keys(parseJson(`{${before}null}`) as object);
        if (name === undefined || others.length > 0) throw invalidJson();
        return name;
      },
      put,
    };
  }
}

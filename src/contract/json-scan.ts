/** What JSON may have at most. */
export interface JsonLimits {
  /** Levels of arrays and objects. */
  depth: number;
  /** Members of one object. */
  objectMembers: number;
  /** Members of all objects together. */
  members: number;
  /** Values of all kinds, arrays and objects included. */
  values: number;
}

export interface JsonCounts {
  depth: number;
  members: number;
  values: number;
}

const SPACE = 1;
const QUOTE = 2;
const OPEN = 3;
const CLOSE = 4;
const COLON = 5;
const COMMA = 6;
/** The kind of each byte outside of strings; 0 for those of numbers, literals and anything that JSON does not know. */
const KINDS = new Uint8Array(256);
for (const [kind, characters] of [' \t\n\r', '"', '[{', ']}', ':', ','].entries()) {
  for (const character of characters) KINDS[character.charCodeAt(0)] = kind + 1;
}
const BACKSLASH = 0x5c;
const DOUBLE_QUOTE = 0x22;

/**
 * Counts what is in JSON text, in one pass over its UTF-8 bytes, or returns how it exceeds the limits: nesting and names
 * cost `JSON.parse` up to a second per MiB. Of invalid JSON it counts what looks like JSON.
 */
export function scanJson(bytes: Uint8Array, limits: JsonLimits): JsonCounts | string {
  const scan = new JsonScan(limits);
  return scan.read(bytes) ?? scan.end();
}

/** What is counted in one step, in half a millisecond. */
const STEP_BYTES = 64 * 1024;

/** `scanJson` in steps. */
export function* scanJsonInSteps(bytes: Uint8Array, limits: JsonLimits): Generator<void, JsonCounts | string> {
  const scan = new JsonScan(limits);
  for (let start = 0; start < bytes.length; start += STEP_BYTES) {
    const excess = scan.read(bytes.subarray(start, start + STEP_BYTES));
    if (excess !== undefined) return excess;
    yield;
  }
  return scan.end();
}

/** `scanJson` of text that arrives in pieces. */
export class JsonScan {
  readonly #limits: JsonLimits;
  /** Members so far of the innermost object, and of those around it. */
  readonly #membersAt: Uint32Array;
  #depth = 0;
  #deepest = 0;
  #members = 0;
  /** Strings, numbers, literals, arrays and objects; names among them. */
  #tokens = 0;
  /** What the end of the last piece was within. */
  #within: 'nothing' | 'word' | 'string' | 'escape' = 'nothing';

  constructor(limits: JsonLimits) {
    this.#limits = limits;
    this.#membersAt = new Uint32Array(limits.depth + 1);
  }

  /** Reads a piece, and returns how the text exceeds the limits so far. */
  read(bytes: Uint8Array): string | undefined {
    const limits = this.#limits;
    const membersAt = this.#membersAt;
    let depth = this.#depth;
    let deepest = this.#deepest;
    let members = this.#members;
    let tokens = this.#tokens;
    let within = this.#within;
    let index = 0;
    while (index < bytes.length) {
      if (within === 'escape') {
        index += 1;
        within = 'string';
      }
      if (within === 'string') {
        while (index < bytes.length) {
          const byte = bytes[index++];
          if (byte === DOUBLE_QUOTE) {
            within = 'nothing';
            break;
          }
          if (byte !== BACKSLASH) continue;
          if (index === bytes.length) within = 'escape';
          index += 1;
        }
        continue;
      }
      if (within === 'word') {
        while (index < bytes.length && KINDS[bytes[index]!] === 0) index += 1;
        if (index < bytes.length) within = 'nothing';
        continue;
      }
      switch (KINDS[bytes[index++]!]) {
        case SPACE:
        case COMMA:
          continue;
        case CLOSE:
          if (depth > 0) depth -= 1;
          continue;
        case COLON:
          members += 1;
          if (++membersAt[depth]! > limits.objectMembers) {
            return `has an object with more than ${limits.objectMembers} members`;
          }
          if (members > limits.members) return `has more than ${limits.members} object members`;
          continue;
        case OPEN:
          if (depth === limits.depth) return `is nested deeper than ${limits.depth} levels`;
          depth += 1;
          if (depth > deepest) deepest = depth;
          membersAt[depth] = 0;
          break;
        case QUOTE:
          within = 'string';
          break;
        default:
          within = 'word';
      }
      tokens += 1;
      // A name counts as a value until its colon.
      if (tokens - members > limits.values + 1) return tooManyValues(limits);
    }
    this.#depth = depth;
    this.#deepest = deepest;
    this.#members = members;
    this.#tokens = tokens;
    this.#within = within;
    return undefined;
  }

  /** Call after the last piece. */
  end(): JsonCounts | string {
    const values = this.#tokens - this.#members;
    if (values > this.#limits.values) return tooManyValues(this.#limits);
    return { depth: this.#deepest, members: this.#members, values };
  }
}

function tooManyValues({ values }: JsonLimits): string {
  return `has more than ${values} values`;
}

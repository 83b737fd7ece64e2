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
  /** Members so far of the innermost object, and of those around it. */
  const membersAt = new Uint32Array(limits.depth + 1);
  let depth = 0;
  let deepest = 0;
  let members = 0;
  /** Strings, numbers, literals, arrays and objects; names among them. */
  let tokens = 0;
  let index = 0;
  while (index < bytes.length) {
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
        while (index < bytes.length) {
          const byte = bytes[index++];
          if (byte === DOUBLE_QUOTE) break;
          if (byte === BACKSLASH) index += 1;
        }
        break;
      default:
        while (index < bytes.length && KINDS[bytes[index]!] === 0) index += 1;
    }
    tokens += 1;
    // A name counts as a value until its colon.
    if (tokens - members > limits.values + 1) return tooManyValues(limits);
  }
  return tokens - members > limits.values
    ? tooManyValues(limits)
    : { depth: deepest, members, values: tokens - members };
}

function tooManyValues({ values }: JsonLimits): string {
  return `has more than ${values} values`;
}

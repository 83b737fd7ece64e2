import { JSONParser, TokenType } from '@streamparser/json';
import { systemClock } from '../../../lib/clock.ts';
import { yieldToEventLoop } from '../concurrency.ts';
import { type ForeignItem, fault, itemsInSlices } from './foreign-records.ts';
import type { ReaderOptions } from './import-reader.ts';

/** An item of a list in a large JSON file. */
export interface JsonItem {
  /** The name of the list in the file; `undefined` if the file itself is the list. */
  list: string | undefined;
  /** Its index in the list, from 0, or its name if it is not in a list. */
  key: number | string;
  value: unknown;
}

/** Where the items are, as paths of `@streamparser/json`, if the file is an array or an object. */
export interface ItemPaths {
  array: readonly string[];
  object: readonly string[];
}

/** Takes a few milliseconds even if it is nothing but names. */
const PIECE_BYTES = 8 * 1024;
/** The largest item: each one is held in memory as a whole. */
const MAX_ITEM_BYTES = 64 * 1024 * 1024;
/** Bounded as well because an empty list, two bytes in the file, takes a hundred times as much memory. */
const MAX_ITEM_TOKENS = 4_000_000;
const MAX_DEPTH = 100;
/** The largest number: it is parsed at once. */
const MAX_NUMBER_BYTES = 1024 * 1024;
const NUMBER_BYTES = new Set(Buffer.from('0123456789+-.eE'));
/** Without them the parser holds each escape of a string, and each digit, as a separate text. */
const BUFFERS = { stringBufferSize: PIECE_BYTES, numberBufferSize: 64 };
/** More than the messages of any conversation, which ChatGPT exports as the members of one object. */
const MAX_OBJECT_MEMBERS = 50_000;

/**
 * Reads a large JSON file item by item. If the JSON is invalid or truncated, yields the items before that point and then
 * a fault.
 */
export async function* readJsonItems(
  bytes: AsyncIterable<Uint8Array>,
  options: Pick<ReaderOptions, 'tenantId'>,
  paths: ItemPaths,
  placeOf: (item: JsonItem) => string,
  read: (item: JsonItem, place: string) => Iterable<ForeignItem | undefined>,
): AsyncGenerator<ForeignItem> {
  let place: string | undefined;
  for await (const item of parseItems(bytes, paths)) {
    if ('problem' in item) {
      yield fault(place === undefined ? 'the file' : `after ${place}`, item.problem);
      return;
    }
    place = placeOf(item);
    yield* itemsInSlices(read(item, place), options);
  }
  if (place === undefined) yield fault('the file', 'The file contains nothing to import.');
}

async function* parseItems(
  bytes: AsyncIterable<Uint8Array>,
  paths: ItemPaths,
): AsyncGenerator<JsonItem | { problem: string }> {
  let parsing: ReturnType<typeof startParsing> | undefined;
  for await (const piece of yieldToEventLoop(piecesOf(bytes), systemClock)) {
    const start = parsing ? 0 : piece.findIndex((byte) => !BLANK.has(byte));
    if (start === -1) continue;
    const json = piece.subarray(start);
    parsing ??= startParsing(json[0]!, paths);
    if (typeof parsing === 'string') return yield { problem: parsing };
    yield* parsing.write(json);
    if (parsing.problem !== undefined) return yield { problem: parsing.problem };
  }
  if (parsing === undefined) return yield { problem: 'The file is empty.' };
  if (typeof parsing !== 'string' && !parsing.isEnded()) yield { problem: 'The file is truncated.' };
}

/** White space and the bytes of a byte order mark, which may precede the value. */
const BLANK = new Set([0x20, 0x09, 0x0a, 0x0d, 0xef, 0xbb, 0xbf]);

/** Returns a parser for a file that begins with this byte, or why the file cannot be read. */
function startParsing(firstByte: number, paths: ItemPaths) {
  const first = String.fromCharCode(firstByte);
  if (first === 'P') return 'The file is not JSON. If it is a ZIP archive, extract it and import the JSON file in it.';
  if (first !== '[' && first !== '{') return 'The file is not a JSON array or object.';
  const parser = new JSONParser({
    paths: [...(first === '[' ? paths.array : paths.object)],
    keepStack: false,
    ...BUFFERS,
  });
  let items: JsonItem[] = [];
  let heldBytes = 0;
  let heldTokens = 0;
  /** Since the last token. */
  let tokenBytes = 0;
  let depth = 0;
  /** Members so far of the innermost object, and of those around it. */
  const membersAt: number[] = [0];
  const stop = (problem: string) => {
    parsing.problem ??= problem;
    // Ends the parser, which would read the piece to its end.
    throw new Error(problem);
  };
  const parsing = {
    problem: undefined as string | undefined,
    isEnded: () => parser.isEnded,
    /** Returns the items that end in this piece of the file. */
    write(piece: Uint8Array): JsonItem[] {
      items = [];
      heldBytes += piece.length;
      tokenBytes += piece.length;
      parser.write(piece);
      if (tokenBytes > MAX_NUMBER_BYTES && piece.every((byte) => NUMBER_BYTES.has(byte)))
        parsing.problem ??= `The item has a number of more than ${MAX_NUMBER_BYTES / 1024 / 1024} MiB.`;
      if (heldBytes > MAX_ITEM_BYTES)
        parsing.problem ??= `The item is larger than ${MAX_ITEM_BYTES / 1024 / 1024} MiB.`;
      return items;
    },
  };
  parser.onToken = ({ token }) => {
    heldTokens += 1;
    tokenBytes = 0;
    if (heldTokens > MAX_ITEM_TOKENS) stop(`The item has more than ${MAX_ITEM_TOKENS} JSON tokens.`);
    if (token === TokenType.LEFT_BRACE || token === TokenType.LEFT_BRACKET) {
      depth += 1;
      membersAt[depth] = 0;
      if (depth > MAX_DEPTH) stop(`The item is nested more than ${MAX_DEPTH} levels deep.`);
    } else if (token === TokenType.RIGHT_BRACE || token === TokenType.RIGHT_BRACKET) depth -= 1;
    else if (token === TokenType.COLON) {
      const members = (membersAt[depth] ?? 0) + 1;
      if (members > MAX_OBJECT_MEMBERS) stop(`The item has an object with more than ${MAX_OBJECT_MEMBERS} members.`);
      membersAt[depth] = members;
    }
  };
  parser.onValue = ({ value, key, stack }) => {
    heldBytes = 0;
    heldTokens = 0;
    if (parsing.problem === undefined) items.push({ list: stack[1]?.key?.toString(), key: key ?? '', value });
  };
  parser.onError = ({ message }) => {
    parsing.problem ??= describeError(message);
  };
  return parsing;
}

/** Drops the position from the parser's message: it counts from the start of a chunk, not of the file. */
function describeError(message: string): string {
  if (/utf-8/i.test(message)) return 'Invalid UTF-8.';
  return `Invalid JSON: ${message.replace(/ (?:at chunk position|in state) .*$/s, '')}.`;
}

async function* piecesOf(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const chunk of bytes) {
    for (let start = 0; start < chunk.length; start += PIECE_BYTES) yield chunk.subarray(start, start + PIECE_BYTES);
  }
}

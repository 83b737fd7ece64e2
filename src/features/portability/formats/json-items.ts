import { JSONParser, TokenType } from '@streamparser/json';
import { fault, type RecordRead } from './foreign-records.ts';

/** One of the things that a large JSON file lists. */
export interface JsonItem {
  /** The name under which the list stands in the file; none where the file is the list. */
  list: string | undefined;
  /** Its place in the list, from 0, or its name where it stands in no list. */
  key: number | string;
  value: unknown;
}

/** Where a format keeps its things, as paths of `@streamparser/json`, by what the file is. */
export interface ItemPaths {
  array: readonly string[];
  object: readonly string[];
}

const PIECE_BYTES = 64 * 1024;
/** No thing of a file may be larger: it is held in memory whole. */
const ITEM_BYTES = 64 * 1024 * 1024;
/** Nor have more parts, as an empty list of two bytes takes a hundred times as much memory. */
const ITEM_TOKENS = 4_000_000;
const DEEPEST = 100;

/**
 * Reads a large JSON file thing by thing, each through `read`. Where the file ends being JSON, what stood before is
 * read, and the last thing yielded is the fault.
 */
export async function* readJsonItems(
  bytes: AsyncIterable<Uint8Array>,
  paths: ItemPaths,
  placeOf: (item: JsonItem) => string,
  read: (item: JsonItem, place: string) => Iterable<RecordRead>,
): AsyncGenerator<RecordRead> {
  let place: string | undefined;
  for await (const item of parseItems(bytes, paths)) {
    if ('wrong' in item) {
      yield fault(place === undefined ? 'the file' : `behind ${place}`, item.wrong);
      return;
    }
    place = placeOf(item);
    yield* read(item, place);
  }
  if (place === undefined) yield fault('the file', 'It holds nothing that could be imported.');
}

async function* parseItems(
  bytes: AsyncIterable<Uint8Array>,
  paths: ItemPaths,
): AsyncGenerator<JsonItem | { wrong: string }> {
  let parsing: ReturnType<typeof startParsing> | undefined;
  for await (const piece of piecesOf(bytes)) {
    const start = parsing ? 0 : piece.findIndex((byte) => !BLANK.has(byte));
    if (start === -1) continue;
    const json = piece.subarray(start);
    parsing ??= startParsing(json[0]!, paths);
    if (typeof parsing === 'string') return yield { wrong: parsing };
    yield* parsing.write(json);
    if (parsing.wrong !== undefined) return yield { wrong: parsing.wrong };
  }
  if (parsing === undefined) return yield { wrong: 'The file is empty.' };
  if (typeof parsing !== 'string' && !parsing.isEnded()) yield { wrong: 'The file is cut off: its end is missing.' };
}

/** White space and the bytes of a byte order mark, which may stand before the value. */
const BLANK = new Set([0x20, 0x09, 0x0a, 0x0d, 0xef, 0xbb, 0xbf]);

/** A parser for a file that begins with this byte, or why it cannot be read. */
function startParsing(firstByte: number, paths: ItemPaths) {
  const first = String.fromCharCode(firstByte);
  if (first === 'P') return 'The file is no JSON. If it is a ZIP archive, unpack it and give the JSON file in it.';
  if (first !== '[' && first !== '{') return 'The file is no JSON list or object.';
  const parser = new JSONParser({ paths: [...(first === '[' ? paths.array : paths.object)], keepStack: false });
  let items: JsonItem[] = [];
  let heldBytes = 0;
  let heldTokens = 0;
  let depth = 0;
  const parsing = {
    wrong: undefined as string | undefined,
    isEnded: () => parser.isEnded,
    /** The things that end in this piece of the file. */
    write(piece: Uint8Array): JsonItem[] {
      items = [];
      heldBytes += piece.length;
      parser.write(piece);
      if (heldBytes > ITEM_BYTES) parsing.wrong ??= `What follows is larger than ${ITEM_BYTES / 1024 / 1024} MiB.`;
      return items;
    },
  };
  parser.onToken = ({ token }) => {
    heldTokens += 1;
    if (token === TokenType.LEFT_BRACE || token === TokenType.LEFT_BRACKET) depth += 1;
    if (token === TokenType.RIGHT_BRACE || token === TokenType.RIGHT_BRACKET) depth -= 1;
    if (heldTokens > ITEM_TOKENS) parsing.wrong ??= 'What follows has more parts than can be held at once.';
    if (depth > DEEPEST) parsing.wrong ??= `What follows is nested deeper than ${DEEPEST} levels.`;
  };
  parser.onValue = ({ value, key, stack }) => {
    heldBytes = 0;
    heldTokens = 0;
    if (parsing.wrong === undefined) items.push({ list: stack[1]?.key?.toString(), key: key ?? '', value });
  };
  parser.onError = ({ message }) => {
    parsing.wrong ??= whyWrong(message);
  };
  return parsing;
}

/** What the parser says without the places in its chunks, which are not those of the file. */
function whyWrong(message: string): string {
  if (/utf-8/i.test(message)) return 'What follows is not valid UTF-8.';
  return `What follows is no JSON: ${message.replace(/ (?:at chunk position|in state) .*$/s, '')}.`;
}

async function* piecesOf(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const chunk of bytes) {
    for (let start = 0; start < chunk.length; start += PIECE_BYTES) yield chunk.subarray(start, start + PIECE_BYTES);
  }
}

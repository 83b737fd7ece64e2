import { isUtf8 } from 'node:buffer';
import type { SkipReason } from '../../../contract/import-outcome.ts';
import { scanJsonInSteps } from '../../../contract/json-scan.ts';
import { MAX_JSON, withoutByteOrderMark } from '../../../contract/storable.ts';
import { parseJsonInSteps } from '../../../contract/storable-steps.ts';
import { finish, nextSlice, runInSlices } from '../../../lib/time-slices.ts';
import { type ForeignItem, fault, itemsInSlices } from './foreign-records.ts';
import { type Fields, fieldsOf } from './foreign-values.ts';
import type { ReaderOptions } from './import-reader.ts';

/** A line of a file, or why it cannot be read. */
export type FileLine = { place: string } & ({ bytes: Buffer } | SkipReason);

/** More than the largest record needs as JSON. */
const MAX_RECORD_MIB = 1;
/** One line of another program can hold a whole note, or an entity with all its observations. */
const MAX_FOREIGN_MIB = 16;
/** A longer line takes milliseconds to decode, to parse and to check. */
const MAX_SMALL_BYTES = 8 * 1024;

const MIB = 1024 * 1024;
const NEWLINE = 10;
const SPACE = 0x20;
const DELETE = 0x7f;

/**
 * Yields the lines of a file without their line ends, and skips blank ones. The last line needs no line end. A line longer
 * than `maxMib` is reported and never held in memory.
 */
export async function* readLines(
  stream: AsyncIterable<Uint8Array>,
  { tenantId }: Pick<ReaderOptions, 'tenantId'>,
  maxMib = MAX_RECORD_MIB,
): AsyncGenerator<FileLine> {
  let line = 0;
  for await (const bytes of splitLines(stream, maxMib * MIB)) {
    line += 1;
    const place = `line ${line}`;
    if (bytes !== undefined && bytes.length > MAX_SMALL_BYTES) await nextSlice(tenantId);
    if (bytes === undefined) yield { place, reason: `is longer than ${maxMib} MiB`, fault: true };
    else if (!isUtf8(bytes)) yield { place, reason: 'is not valid UTF-8', fault: true };
    else if (!isBlank(bytes)) yield { place, bytes: withoutByteOrderMark(bytes) };
  }
}

function isBlank(bytes: Buffer): boolean {
  // Most lines begin with a bracket or a letter.
  return !(bytes[0]! > SPACE && bytes[0]! < DELETE) && !/\S/.test(withoutByteOrderMark(bytes).toString('utf8'));
}

/** Yields each line; `undefined` for one that is too long. */
async function* splitLines(stream: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<Buffer | undefined> {
  let pieces: Uint8Array[] = [];
  let size = 0;
  const append = (piece: Uint8Array) => {
    size += piece.length;
    if (size > maxBytes) pieces = [];
    else if (piece.length > 0) pieces.push(piece);
  };
  const finish = () => {
    const bytes = size > maxBytes ? undefined : Buffer.concat(pieces);
    pieces = [];
    size = 0;
    return bytes;
  };
  for await (const chunk of stream) {
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, from)) {
      append(chunk.subarray(from, end));
      yield finish();
      from = end + 1;
    }
    append(chunk.subarray(from));
  }
  if (size > 0) yield finish();
}

/** Reads a file with one JSON object per line; any other line is reported as a fault. */
export async function* readJsonLines(
  bytes: AsyncIterable<Uint8Array>,
  options: Pick<ReaderOptions, 'tenantId'>,
  read: (fields: Fields, place: string) => Iterable<ForeignItem | undefined>,
): AsyncGenerator<ForeignItem> {
  for await (const line of readLines(bytes, options, MAX_FOREIGN_MIB)) {
    if ('reason' in line) yield line;
    else {
      const fields = await finishLine(line, options, fieldsInSteps(line.bytes));
      if (typeof fields === 'string') yield fault(line.place, `The line ${fields}.`);
      else if (fields === undefined) yield fault(line.place, 'The line is not a JSON object.');
      else yield* itemsInSlices(read(fields, line.place), options);
    }
  }
}

/** Returns why a line must not be parsed as text, and `undefined` if it is not a JSON object. */
function* fieldsInSteps(bytes: Buffer): Generator<void, Fields | string | undefined> {
  const counts = yield* scanJsonInSteps(bytes, MAX_JSON);
  if (typeof counts === 'string') return counts;
  try {
    return fieldsOf(yield* parseJsonInSteps(bytes));
  } catch {
    return undefined;
  }
}

/** Runs the steps of reading a line, in a tenant's time slices if it is long; what becomes of it has the next slice. */
export async function finishLine<T>(
  { bytes }: { bytes: Buffer },
  { tenantId }: Pick<ReaderOptions, 'tenantId'>,
  steps: Generator<void, T>,
): Promise<T> {
  if (bytes.length <= MAX_SMALL_BYTES) return finish(steps);
  await nextSlice(tenantId);
  const read = await runInSlices(steps, tenantId);
  await nextSlice(tenantId);
  return read;
}

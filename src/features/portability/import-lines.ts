import { isUtf8 } from 'node:buffer';
import type { LeftOut } from '../../contract/import-outcome.ts';

/** A line of a file, or why it is not read. */
export type FileLine = { place: string } & ({ text: string } | LeftOut);

const MIB = 1024 * 1024;
const NEWLINE = 10;

/**
 * The lines of a file that are not blank, without their ends; a last one without an end is a line. One that is longer
 * than so many MiB is never held.
 */
export async function* readLines(stream: AsyncIterable<Uint8Array>, longestMib: number): AsyncGenerator<FileLine> {
  let line = 0;
  for await (const bytes of splitLines(stream, longestMib * MIB)) {
    line += 1;
    const place = `line ${line}`;
    if (bytes === undefined) yield { place, reason: `is longer than ${longestMib} MiB`, fault: true };
    else if (!isUtf8(bytes)) yield { place, reason: 'is not valid UTF-8', fault: true };
    else {
      const text = bytes.toString('utf8').replace(/^\ufeff/, '');
      if (/\S/.test(text)) yield { place, text };
    }
  }
}

/** Each line; `undefined` for one that is too long. */
async function* splitLines(
  stream: AsyncIterable<Uint8Array>,
  longestBytes: number,
): AsyncGenerator<Buffer | undefined> {
  let pieces: Uint8Array[] = [];
  let size = 0;
  const take = (piece: Uint8Array) => {
    size += piece.length;
    if (size > longestBytes) pieces = [];
    else if (piece.length > 0) pieces.push(piece);
  };
  const finish = () => {
    const bytes = size > longestBytes ? undefined : Buffer.concat(pieces);
    pieces = [];
    size = 0;
    return bytes;
  };
  for await (const chunk of stream) {
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, from)) {
      take(chunk.subarray(from, end));
      yield finish();
      from = end + 1;
    }
    take(chunk.subarray(from));
  }
  if (size > 0) yield finish();
}

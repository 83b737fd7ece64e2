/** A line of a file by its number, or that it was longer than any that is read. */
export type FileLine = { line: number; bytes: Buffer } | { line: number; bytes: undefined };

/** More than the largest thing there is takes as JSON. */
export const LINE_BYTES = 1024 * 1024;

const NEWLINE = 10;

/** The lines of a stream, without their ends; a last one without an end is a line. What is too long is never held. */
export async function* readLines(stream: AsyncIterable<Uint8Array>): AsyncGenerator<FileLine> {
  let pieces: Uint8Array[] = [];
  let size = 0;
  let line = 0;
  const take = (piece: Uint8Array) => {
    size += piece.length;
    if (size > LINE_BYTES) pieces = [];
    else if (piece.length > 0) pieces.push(piece);
  };
  const finish = (): FileLine => {
    const bytes = size > LINE_BYTES ? undefined : Buffer.concat(pieces);
    pieces = [];
    size = 0;
    line += 1;
    return { line, bytes };
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

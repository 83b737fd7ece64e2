import { readLines } from '../import-lines.ts';
import { fault, type RecordRead } from './foreign-records.ts';
import { type Fields, fieldsOf } from './foreign-values.ts';

/** A line becomes many things: a note or an entity may be large. */
const LONGEST_MIB = 16;

/** Reads a file of JSON objects, one a line, each through `read`; a line that is none is a fault of its own. */
export async function* readJsonLines(
  bytes: AsyncIterable<Uint8Array>,
  read: (fields: Fields, place: string) => Iterable<RecordRead>,
): AsyncGenerator<RecordRead> {
  for await (const line of readLines(bytes, LONGEST_MIB)) {
    if ('reason' in line) yield line;
    else {
      const fields = parse(line.text);
      if (fields === undefined) yield fault(line.place, 'The line is not a JSON object.');
      else yield* read(fields, line.place);
    }
  }
}

function parse(text: string): Fields | undefined {
  try {
    return fieldsOf(JSON.parse(text));
  } catch {
    return undefined;
  }
}

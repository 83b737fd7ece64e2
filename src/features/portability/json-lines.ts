import { fault, type RecordRead } from './foreign-records.ts';
import { type Fields, fieldsOf } from './foreign-values.ts';

/** No line may be longer: it is held in memory whole. */
const LINE_BYTES = 16 * 1024 * 1024;
const NEWLINE = 0x0a;

/** Reads a file of JSON objects, one a line, each through `read`; a line that is none is a fault of its own. */
export async function* readJsonLines(
  bytes: AsyncIterable<Uint8Array>,
  read: (fields: Fields, place: string) => Iterable<RecordRead>,
): AsyncGenerator<RecordRead> {
  let line = 0;
  for await (const raw of linesOf(bytes)) {
    line += 1;
    const place = `line ${line}`;
    const text = raw && decode(raw);
    if (raw === undefined) yield fault(place, `The line is longer than ${LINE_BYTES / 1024 / 1024} MiB.`);
    else if (text === undefined) yield fault(place, 'The line is not valid UTF-8.');
    else if (text.trim() !== '') {
      const fields = parse(text);
      if (fields === undefined) yield fault(place, 'The line is no JSON object.');
      else yield* read(fields, place);
    }
  }
}

/** The lines of a file without their ends; `undefined` for one that is too long to be held. */
async function* linesOf(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array | undefined> {
  let held: Uint8Array[] = [];
  let heldBytes = 0;
  const hold = (part: Uint8Array) => {
    heldBytes += part.length;
    if (heldBytes > LINE_BYTES) held = [];
    else if (part.length > 0) held.push(part);
  };
  const take = () => {
    const line = heldBytes > LINE_BYTES ? undefined : Buffer.concat(held);
    held = [];
    heldBytes = 0;
    return line;
  };
  for await (const chunk of bytes) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      hold(chunk.subarray(start, end));
      yield take();
      start = end + 1;
    }
    hold(chunk.subarray(start));
  }
  if (heldBytes > 0) yield take();
}

function decode(line: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(line);
  } catch {
    return undefined;
  }
}

function parse(text: string): Fields | undefined {
  try {
    return fieldsOf(JSON.parse(text));
  } catch {
    return undefined;
  }
}

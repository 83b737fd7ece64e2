import type { ImportReader } from './import-reader.ts';
import { readLines } from './lines.ts';

/** More than the longest memory needs. */
const MAX_LINE_MIB = 1;

/** Reads each line that is not blank as the content of a memory. */
export const readPlainLines: ImportReader = async function* (stream, { user, tags, check }) {
  for await (const line of readLines(stream, MAX_LINE_MIB)) {
    if ('reason' in line) yield line;
    else {
      const memory = { content: line.text.trim(), user, tags: [...tags] };
      yield { place: line.place, ...(check('new', memory) ?? { memory }) };
    }
  }
};

import type { ReadItems } from '../import-items.ts';
import { readLines } from '../import-lines.ts';

/** More than the longest memory there is takes. */
const LONGEST_MIB = 1;

/** Each line that is not blank is the text of a memory. */
export const readPlainLines: ReadItems = async function* (stream, { user, tags, check }) {
  for await (const line of readLines(stream, LONGEST_MIB)) {
    if ('reason' in line) yield line;
    else {
      const memory = { content: line.text.trim(), user, tags: [...tags] };
      yield { place: line.place, ...(check('new', memory) ?? { memory }) };
    }
  }
};

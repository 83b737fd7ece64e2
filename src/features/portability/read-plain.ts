import type { ReadItems } from './import-items.ts';
import { readLines } from './import-lines.ts';

/** More than the longest memory there is takes. */
const LONGEST_MIB = 1;

/** Each line that is not blank is the text of a memory. */
export const readPlain: ReadItems = async function* (stream, { user, tags }) {
  for await (const line of readLines(stream, LONGEST_MIB)) {
    if ('reason' in line) yield line;
    else yield { place: line.place, memory: { content: line.text.trim(), user, tags: [...tags] } };
  }
};

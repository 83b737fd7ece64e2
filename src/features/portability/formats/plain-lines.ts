import { finish } from '../../../lib/time-slices.ts';
import type { ImportReader } from './import-reader.ts';
import { readLines } from './lines.ts';

/** Reads each line that is not blank as the content of a memory. */
export const readPlainLines: ImportReader = async function* (stream, options) {
  const { user, tags, check } = options;
  for await (const line of readLines(stream, options)) {
    if ('reason' in line) yield line;
    else {
      const memory = { content: line.bytes.toString('utf8').trim(), user, tags: [...tags] };
      yield { place: line.place, ...(finish(check('new', memory)) ?? { memory }) };
    }
  }
};

import { isUtf8 } from 'node:buffer';
import type { ReadItems } from './import-items.ts';
import { LINE_BYTES, readLines } from './import-lines.ts';

/** Each line that is not blank is the text of a memory. */
export const readPlain: ReadItems = async function* (stream, { user, tags }) {
  for await (const { line, bytes } of readLines(stream)) {
    const place = `line ${line}`;
    if (bytes === undefined) yield { place, ...TOO_LONG };
    else if (!isUtf8(bytes)) yield { place, reason: 'is not valid UTF-8', fault: true };
    else {
      const content = bytes
        .toString('utf8')
        .replace(/^\ufeff/, '')
        .trim();
      if (content !== '') yield { place, memory: { content, user, tags: [...tags] } };
    }
  }
};

/** The fate of a line that is not read. */
export const TOO_LONG = { reason: `is longer than ${LINE_BYTES / 1024 / 1024} MiB`, fault: true };

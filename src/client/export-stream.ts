import type { ExportEnd } from '../contract/portability.ts';
import { UnreachableError } from './errors.ts';

/** A line of an export, including its newline, and its record type. The last line has `end` with the totals. */
export interface ExportLine {
  text: string;
  type: string;
  end?: ExportEnd;
}

const KIND = /^\{"type":"([a-z-]+)"/;

/** Splits an export into lines. Throws `UnreachableError` if the last line is missing. */
export async function* readExportLines(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<ExportLine> {
  const decoder = new TextDecoder();
  let rest = '';
  let last = '';
  for await (const chunk of bytes) {
    const pieces = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = pieces.pop() ?? '';
    for (const text of pieces) {
      last = KIND.exec(text)?.[1] ?? '';
      yield { text: `${text}\n`, type: last, ...(last === 'end' && { end: JSON.parse(text) as ExportEnd }) };
    }
  }
  if (last !== 'end') throw new UnreachableError('The export was cut off before its end.');
}

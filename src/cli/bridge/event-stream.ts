import { textLines } from '../text-lines.ts';

/**
 * Yields the `data` of each server-sent event as soon as the event is complete. Ignores other fields (`event`, `id`,
 * `retry`), comments, and an incomplete event at the end of the stream (HTML, 9.2.6).
 */
export async function* readEventData(stream: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let data: string[] = [];
  for await (const line of textLines(stream)) {
    if (line === '') {
      if (data.length > 0) yield data.join('\n');
      data = [];
    } else if (line.startsWith('data:')) data.push(line.slice(line[5] === ' ' ? 6 : 5));
  }
}

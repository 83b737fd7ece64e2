import { textLines } from '../text-lines.ts';

/**
 * The `data` of each event of a server-sent event stream, as soon as the event is whole. Other fields (`event`, `id`,
 * `retry`) and comments are passed over; an event that the stream's end cuts off is none (HTML, 9.2.6).
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

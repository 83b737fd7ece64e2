import { setImmediate } from 'node:timers/promises';
import { type JsonLimits, scanJson } from '../contract/json-scan.ts';
import { excessiveResponse } from './providers/provider-fault.ts';

const LINE_FEED = 10;
const RETURN = 13;
const SPACE = 0x20;
const BYTE_ORDER_MARK = [...Buffer.from('\ufeff')];
const FIELD = Buffer.from('data: ');
const END = Buffer.from('\n');
const DATA = [...Buffer.from('data:')];

/**
 * Yields each event of a stream once its data is within the limits, without other fields and comments. Written anew, so
 * that whatever parses the stream next cannot see events that were not checked. Lets the event loop serve others in between.
 */
export async function* eventsWithin(
  chunks: AsyncIterable<Uint8Array>,
  maxBytes: number,
  limits: JsonLimits,
): AsyncGenerator<Uint8Array> {
  const reader = new EventReader(maxBytes);
  for await (const chunk of chunks) {
    for (const lines of reader.read(chunk)) {
      const found = scanJson(Buffer.concat(lines), limits);
      if (typeof found === 'string') throw excessiveResponse(`has an event that ${found}`);
      yield Buffer.concat([...lines.flatMap((line) => [FIELD, line, END]), END]);
      await setImmediate();
    }
    await setImmediate();
  }
}

/** Reads the data of server-sent events (HTML, 9.2.6). An incomplete event at the end of the stream is ignored. */
class EventReader {
  readonly #maxBytes: number;
  /** Of the event not yet complete. */
  #data: Uint8Array[] = [];
  #bytes = 0;
  /** Of the line not yet complete. */
  #pieces: Uint8Array[] = [];
  #isFirstLine = true;
  #lastByte = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Yields the lines of data of each event that is complete. */
  *read(chunk: Uint8Array): Generator<Uint8Array[]> {
    let start = 0;
    for (let index = 0; index < chunk.length; index += 1) {
      const previous = this.#lastByte;
      const byte = chunk[index]!;
      this.#lastByte = byte;
      this.#bytes += 1;
      if (byte !== LINE_FEED && byte !== RETURN) continue;
      if (byte === LINE_FEED && previous === RETURN) {
        start = index + 1;
        continue;
      }
      const isBlank = start === index && this.#pieces.length === 0;
      if (!isBlank) this.#endLine(chunk.subarray(start, index));
      start = index + 1;
      if (!isBlank) continue;
      if (this.#data.length > 0) yield this.#data;
      this.#data = [];
      this.#bytes = 0;
    }
    if (start < chunk.length) this.#pieces.push(chunk.subarray(start));
    if (this.#bytes > this.#maxBytes) {
      throw excessiveResponse(`has an event that exceeds ${Math.round(this.#maxBytes / 1024)} KiB`);
    }
  }

  #endLine(piece: Uint8Array): void {
    const whole = this.#pieces.length === 0 ? piece : Buffer.concat([...this.#pieces, piece]);
    this.#pieces = [];
    const line = this.#isFirstLine && startsWith(whole, BYTE_ORDER_MARK) ? whole.subarray(3) : whole;
    this.#isFirstLine = false;
    if (startsWith(line, DATA)) this.#data.push(line.subarray(line[DATA.length] === SPACE ? 6 : 5));
  }
}

function startsWith(bytes: Uint8Array, beginning: readonly number[]): boolean {
  return beginning.every((byte, index) => bytes[index] === byte);
}

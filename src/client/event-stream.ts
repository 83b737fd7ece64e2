import type { ChangeEvent, EventData, EventName } from '../contract/events.ts';
import { backoffMs } from '../lib/backoff.ts';
import type { CallOptions } from './call-options.ts';
import { UnreachableError } from './errors.ts';
import { chance, isBusy } from './retries.ts';
import type { Transport } from './transport.ts';

export interface EventsOptions extends CallOptions {
  /** The `id` of the last event that was received: the stream continues after it. */
  lastEventId?: string;
}

/** Between a stream that ended and the next connection. */
const BACKOFF = { firstMs: 1000, maxMs: 30_000 };

/**
 * Yields the changes in the account. Connects again after a lost connection, without missing a change or with the event
 * `reset`; leaving the loop closes the stream. Throws `ApiError` if the daemon refuses the stream, the signal's reason if
 * the caller aborts, and whatever fails the first connection. Once connected, it waits for a daemon that is unavailable.
 */
export async function* readEvents(
  { download, sleep }: Pick<Transport, 'download' | 'sleep'>,
  { lastEventId, ...options }: EventsOptions = {},
): AsyncGenerator<ChangeEvent> {
  let lastId = lastEventId;
  let failures = 0;
  for (let isConnected = false; ; ) {
    const headers = { ...options.headers, ...(lastId !== undefined && { 'last-event-id': lastId }) };
    try {
      for await (const { id, event, data } of readBlocks(download('/v1/events', { ...options, headers }))) {
        isConnected = true;
        failures = 0;
        lastId = id ?? lastId;
        if (data === undefined) continue;
        yield { id: lastId ?? '', event: event as EventName, data: JSON.parse(data) as EventData };
      }
    } catch (error) {
      if (!isConnected || !(error instanceof UnreachableError || isBusy(error))) throw error;
    }
    failures += 1;
    await sleep(backoffMs(failures, BACKOFF, chance()), options.signal);
  }
}

interface Block {
  id?: string;
  event?: string;
  data?: string;
}

/** Parses server-sent events, as far as svc sends them: with one line of data each. */
async function* readBlocks(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Block> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of bytes) {
    const blocks = (rest + decoder.decode(chunk, { stream: true })).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) yield toBlock(block);
  }
}

function toBlock(text: string): Block {
  const fields = text.split('\n').flatMap((line) => {
    const [, name, value] = /^(id|event|data): (.*)$/.exec(line) ?? [];
    return name === undefined ? [] : [[name, value]];
  });
  return Object.fromEntries(fields) as Block;
}

import type { NewMessage } from './client.ts';

const LARGEST_APPEND = 500;
/** Below the daemon's limit of 1 MiB, with room for the request around the messages. */
const LARGEST_BODY_BYTES = 900_000;

/** Yields messages in as few lists as there are requests that can carry them. */
export function* messageBatches(messages: readonly NewMessage[]): Generator<NewMessage[]> {
  let batch: NewMessage[] = [];
  let bytes = 0;
  for (const message of messages) {
    const size = new TextEncoder().encode(JSON.stringify(message)).length;
    if (batch.length === LARGEST_APPEND || (batch.length > 0 && bytes + size > LARGEST_BODY_BYTES)) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(message);
    bytes += size;
  }
  if (batch.length > 0) yield batch;
}

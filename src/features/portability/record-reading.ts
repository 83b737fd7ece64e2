import type { PortableRecord } from '../../contract/portability.ts';

/**
 * Reads a file as it streams in and yields what it holds, in the order in which it can be stored: a conversation before
 * its messages. What cannot be read or is left out comes with why; `fault` where somebody should look at it. `place`
 * tells a person where in the file. What the source does not say is taken from `given`: whose it is, and the tags that
 * every memory gets. The same file gives the same ids each time.
 */
export type ReadRecords = (
  bytes: AsyncIterable<Uint8Array>,
  given: { nowMs: number; user: string; tags: readonly string[] },
) => AsyncGenerator<{ place: string; record: PortableRecord } | { place: string; reason: string; fault: boolean }>;

import type { PortableRecord } from '../../contract/portability.ts';

/**
 * Reads a file of some system record by record, however large it is. `place` says where in the file a record stands;
 * what is no record is given with the reason instead, and `fault` where somebody should look at it. `user` and `tags`
 * are for what the file itself says nothing about.
 */
export type ReadRecords = (
  bytes: AsyncIterable<Uint8Array>,
  given: { nowMs: number; user: string; tags: readonly string[] },
) => AsyncGenerator<{ place: string; record: PortableRecord } | { place: string; reason: string; fault: boolean }>;

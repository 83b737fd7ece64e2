import type { ExportQuery } from '../../contract/portability.ts';
import type { Database } from '../../db/open.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Principal } from '../keys/keys.ts';
import type { Usage } from '../limits/usage.ts';
import { createSemaphore, createTransferLimiter, yieldToEventLoop } from './concurrency.ts';
import { type ExportParts, type ExportScope, exportRecords } from './export-run.ts';
import type { Spool, SpoolFile } from './export-spool.ts';

/** An export, which begins when its chunks are read. */
export interface Export {
  chunks: AsyncGenerator<Buffer>;
  /** Fires when the daemon stops or the account is erased: the reader must stop too. */
  aborted: AbortSignal;
}

/** Exports accounts, one at a time for each; of a space, one for each member. */
export interface Exporting {
  /**
   * Exports everything that belongs to the tenant as NDJSON, read from one snapshot, once `begun` has resolved. The chunks
   * throw `unavailable` if the caller has a running export or too many are running, and `storage_full`.
   */
  export(principal: Principal, query: ExportQuery, begun: () => Promise<void>): Export;
  abort(tenantId: string): void;
  stop(): void;
}

export interface ExportingParts extends ExportParts {
  db: Database;
  clock: Clock;
  usage: Pick<Usage, 'requireTenant'>;
  spool: Spool;
  /** Re-reads the caller. Throws `unauthenticated` if its credential or its membership of the space is no longer valid. */
  refresh(principal: Principal): Promise<Principal>;
}

type Extent = Omit<ExportScope, 'nowMs'>;

/** Exports that clients are reading, and those of them that are being copied from the database; the others wait. */
const MAX_EXPORTS = 64;
const MAX_COPYING = 4;
/** How often a running export looks whether the account still exists and the caller may still read it. */
const CHECK_MS = 2000;
const CHUNK_CHARACTERS = 64 * 1024;

/**
 * Copies each export from its snapshot to a temporary file at full speed, and lets the client read that file meanwhile. A
 * slow client thus holds neither a slot for copying nor the snapshot, which keeps the write-ahead log from being truncated.
 */
export function createExporting(parts: ExportingParts): Exporting {
  const { db, clock, usage, spool, refresh } = parts;
  const running = createTransferLimiter(MAX_EXPORTS, 'export');
  const runCopying = createSemaphore(MAX_COPYING);
  const controllers = new Map<AbortController, { tenantId: string }>();

  async function* read(extent: Extent): AsyncGenerator<Buffer> {
    const file = await spool.open();
    const reader = new AbortController();
    const copied = runCopying(() => copy(parts, extent, file, reader.signal));
    try {
      yield* file.read();
    } finally {
      reader.abort();
      await copied;
      await file.close();
    }
  }

  async function* readOnce(
    principal: Principal,
    extent: Extent,
    controller: AbortController,
    begun: () => Promise<void>,
  ): AsyncGenerator<Buffer> {
    const release = running.acquire([extent.tenantId, principal.space?.member.tenantId].join(' '));
    controllers.set(controller, extent);
    try {
      await begun();
      let checkedMs = clock.monotonicMs();
      for await (const chunk of read(extent)) {
        if (clock.monotonicMs() - checkedMs > CHECK_MS) {
          // Another daemon may have erased the account, or begun to.
          await usage.requireTenant(db.lookups, extent.tenantId);
          await refresh(principal);
          checkedMs = clock.monotonicMs();
        }
        yield chunk;
      }
    } finally {
      controllers.delete(controller);
      release();
    }
  }

  return {
    export(principal, { user }, begun) {
      const controller = new AbortController();
      const extent = { tenantId: principal.tenantId, user };
      return { chunks: readOnce(principal, extent, controller, begun), aborted: controller.signal };
    },
    abort(tenantId) {
      for (const [controller, extent] of controllers) if (extent.tenantId === tenantId) controller.abort();
    },
    stop() {
      for (const controller of controllers.keys()) controller.abort();
    },
  };
}

/** Copies a snapshot to the file until the signal fires, and ends the file however that goes. */
async function copy(
  { db, clock, ...features }: ExportingParts,
  extent: Extent,
  file: SpoolFile,
  signal: AbortSignal,
): Promise<void> {
  try {
    const snapshot = await db.snapshot();
    try {
      const records = exportRecords(features, snapshot, { ...extent, nowMs: clock.nowMs() });
      for await (const chunk of chunksOf(yieldToEventLoop(records, clock))) {
        signal.throwIfAborted();
        await file.write(chunk);
      }
    } finally {
      await snapshot.close();
    }
    file.end();
  } catch (error) {
    file.end(error);
  }
}

async function* chunksOf(records: AsyncIterable<object>): AsyncGenerator<string> {
  let chunk = '';
  for await (const record of records) {
    chunk += `${JSON.stringify(record)}\n`;
    if (chunk.length < CHUNK_CHARACTERS) continue;
    yield chunk;
    chunk = '';
  }
  yield chunk;
}

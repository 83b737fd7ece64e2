import { setMaxListeners } from 'node:events';
import type { ExportQuery, ImportQuery, ImportReport } from '../../contract/portability.ts';
import type { Created, Idempotency } from '../idempotency/idempotency.ts';
import type { Principal } from '../keys/keys.ts';
import { createMutex, createTransferLimiter, yieldToEventLoop } from './concurrency.ts';
import { type ExportParts, exportRecords } from './export-run.ts';
import { READERS } from './formats/readers.ts';
import { type ImportRunParts, runImport } from './import-run.ts';
import { createRecordCheck } from './record-check.ts';

/** Export and import of whole accounts. */
export interface Portability {
  /**
   * Streams everything that belongs to the tenant as chunks of NDJSON, read from one snapshot. Throws `unavailable` if
   * too many exports are running.
   */
  export(principal: Principal, query: ExportQuery): AsyncGenerator<string>;
  /**
   * Imports a file, reading it no faster than it is stored, at most once per `Idempotency-Key` and body. Nothing is added
   * twice. Throws `conflict` if another import of the account is running. An error that ends the import early, e.g.
   * `quota_exceeded`, carries the report so far as `report`.
   */
  import(
    principal: Principal,
    body: AsyncIterable<Uint8Array>,
    query: ImportQuery,
    idempotencyKey: string | undefined,
  ): Promise<Created<ImportReport>>;
  /** Whether all import slots are taken. */
  isCrowded(): boolean;
  /** Aborted when the daemon stops, which ends running exports and imports. */
  stopping: AbortSignal;
  stop(): void;
}

const MAX_EXPORTS = 4;
const MAX_IMPORTS = 8;
const CHUNK_CHARACTERS = 64 * 1024;

/** Bounds how many exports and imports run at once: one of each per tenant. */
export function createPortability(
  parts: ExportParts & Omit<ImportRunParts, 'runExclusive'> & { idempotency: Pick<Idempotency, 'onceStreamed'> },
): Portability {
  const { db, clock, usage, idempotency } = parts;
  const check = createRecordCheck();
  const exports = createTransferLimiter(MAX_EXPORTS, 'export');
  const imports = createTransferLimiter(MAX_IMPORTS, 'import', 'conflict');
  const runExclusive = createMutex();
  const stopping = new AbortController();
  setMaxListeners(0, stopping.signal);

  async function importFile(
    principal: Principal,
    body: AsyncIterable<Uint8Array>,
    { format = 'svc', user = 'default', tag = [] }: ImportQuery,
  ): Promise<ImportReport> {
    const read = READERS[format];
    const release = imports.acquire(principal.tenantId);
    try {
      const options = { nowMs: clock.nowMs(), user, tags: [tag].flat(), check };
      return await runImport({ ...parts, runExclusive }, principal, yieldToEventLoop(read(body, options), clock));
    } finally {
      release();
    }
  }

  return {
    async *export({ tenantId }, { user }) {
      const release = exports.acquire(tenantId);
      try {
        const snapshot = await db.snapshot();
        try {
          yield* chunksOf(exportRecords(parts, snapshot, { tenantId, user, nowMs: clock.nowMs() }));
        } finally {
          await snapshot.close();
        }
      } finally {
        release();
      }
    },
    import(principal, body, query, key) {
      const { tenantId } = principal;
      const operation = `POST /v1/import ${JSON.stringify(Object.entries(query).sort())}`;
      return idempotency.onceStreamed(
        { tenantId, key, operation, body },
        {
          run: (whole) => importFile(principal, whole, query),
          requireTenant: (connection) => usage.requireTenant(connection, tenantId),
        },
      );
    },
    isCrowded: imports.isFull,
    stopping: stopping.signal,
    stop: () => stopping.abort(),
  };
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

import { setMaxListeners } from 'node:events';
import type { ExportQuery, ImportQuery, ImportReport } from '../../contract/portability.ts';
import type { Owner } from '../../db/owner.ts';
import type { Created, Idempotency } from '../idempotency/idempotency.ts';
import type { Principal } from '../keys/keys.ts';
import type { Leases } from '../leases/leases.ts';
import { createSemaphore, createTransferLimiter, transferActive, yieldToEventLoop } from './concurrency.ts';
import type { ExportParts } from './export-run.ts';
import type { Spool } from './export-spool.ts';
import { createExporting, type Export } from './exporting.ts';
import { READERS } from './formats/readers.ts';
import { type ImportRunParts, runImport } from './import-run.ts';
import { createRecordCheck } from './record-check.ts';

/** Export and import of whole accounts. */
export interface Portability {
  /** See `Exporting`. */
  export(principal: Principal, query: ExportQuery): Export;
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
  /** Aborted when the daemon stops, which ends running imports. */
  stopping: AbortSignal;
  /** Removes the temporary files of an earlier process. Called before the daemon listens. */
  begin(): Promise<void>;
  /** Ends running exports and imports. */
  stop(): void;
  /** Aborts the exports of an account that is being erased. */
  erase(account: Pick<Owner, 'tenantId'>): Promise<void>;
}

const MAX_IMPORTS = 8;

/** Bounds how many exports and imports run at once: one of each per tenant. */
export function createPortability(
  parts: ExportParts &
    Omit<ImportRunParts, 'runExclusive'> & {
      idempotency: Pick<Idempotency, 'onceStreamed'>;
      leases: Pick<Leases, 'once'>;
      spool: Spool;
    },
): Portability {
  const { clock, usage, idempotency, leases, spool } = parts;
  const check = createRecordCheck();
  const exporting = createExporting(parts);
  const imports = createTransferLimiter(MAX_IMPORTS, 'import', 'conflict');
  const runExclusive = createSemaphore(1);
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
      const options = { tenantId: principal.tenantId, nowMs: clock.nowMs(), user, tags: [tag].flat(), check };
      const items = yieldToEventLoop(read(body, options), clock);
      const report = await leases.once(`import of ${principal.tenantId}`, () =>
        runImport({ ...parts, runExclusive }, principal, items),
      );
      if (report === undefined) throw transferActive('import', 'conflict');
      return report;
    } finally {
      release();
    }
  }

  return {
    export: exporting.export,
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
    begin: spool.clear,
    stop() {
      exporting.stop();
      stopping.abort();
    },
    erase: async ({ tenantId }) => exporting.abort(tenantId),
  };
}

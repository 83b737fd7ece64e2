import { setMaxListeners } from 'node:events';
import { AppError } from '../../contract/errors.ts';
import type { ExportQuery, ImportQuery, ImportReport } from '../../contract/portability.ts';
import type { Owner } from '../../db/owner.ts';
import { createBoundedMap } from '../../lib/bounded-map.ts';
import type { Created, Idempotency } from '../idempotency/idempotency.ts';
import type { Principal } from '../keys/keys.ts';
import type { Leases } from '../leases/leases.ts';
import { createSemaphore, createTransferLimiter, transferActive, yieldToEventLoop } from './concurrency.ts';
import type { ExportParts } from './export-run.ts';
import type { Spool } from './export-spool.ts';
import { createExporting, type Export } from './exporting.ts';
import type { ImportItem } from './formats/import-reader.ts';
import { FOREIGN_READERS, READERS } from './formats/readers.ts';
import { type BatchBuilder, createBatchBuilder } from './import-batch.ts';
import { addBounded, type ImportParts, writeBatch } from './import-batch-writer.ts';
import { createReportBuilder, type ReportBuilder } from './import-report.ts';
import { createRecordCheck } from './record-check.ts';

export interface ImportRunParts extends ImportParts {
  /** Re-reads the caller. Throws `unauthenticated` if its credential is no longer valid. */
  refresh(principal: Principal): Promise<Principal>;
  /** Runs one batch at a time across all imports, so that other writes never wait behind several of them. */
  runExclusive<T>(work: () => Promise<T>): Promise<T>;
}

/** Remembers only the latest: an export lists memories by id, and a successor rarely comes long before what it superseded. */
const MAX_STORED_IDS = 50_000;

/**
 * Imports items batch by batch. Each batch is committed before the next is read, and only while the caller's
 * credential is valid. An error that ends the import carries the report so far as `report`; committed batches stay, and sending the
 * same file again continues from there.
 */
async function runImport(
  parts: ImportRunParts,
  principal: Principal,
  items: AsyncIterable<ImportItem>,
  isForeign: boolean,
): Promise<ImportReport> {
  const report = createReportBuilder();
  const builder = createBatchBuilder(principal, report, parts.learning.transfer, parts.suggestions.transfer);
  const unsegmentedIds = new Set<string>();
  const storedIds = createBoundedMap<string, string | null>(MAX_STORED_IDS);
  const run = { unsegmentedIds, isForeign, storedIds, createdIds: new Set<string>() };
  const write = () =>
    parts.runExclusive(async () => writeBatch(parts, await parts.refresh(principal), builder.take(), report, run));
  let lastMarker: 'head' | 'end' | undefined;
  try {
    for await (const item of items) {
      if ('marker' in item) lastMarker = item.marker;
      else addItem(item, builder, report, unsegmentedIds);
      if (builder.isFull()) await write();
    }
    if (lastMarker === 'head') builder.dropMemory('the file ends here: later versions may be missing');
    builder.endMemory();
    await write();
    return { ...report.build(), complete: lastMarker !== 'head' };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const { code, message, options } = error;
    throw new AppError(code, message, {
      ...options,
      extra: { ...options.extra, report: report.build() },
      cause: error,
    });
  }
}

function addItem(
  item: Exclude<ImportItem, { marker: string }>,
  builder: BatchBuilder,
  report: ReportBuilder,
  unsegmentedIds: Set<string>,
): void {
  if ('reason' in item) report.skip(item.place, item);
  else if ('memory' in item) builder.addNewMemory(item.place, item.memory);
  else {
    const { record } = item;
    if (record.type === 'conversation' && record.cutThrough !== undefined) addBounded(unsegmentedIds, record.id);
    builder.addRecord(item.place, record);
  }
}

/** Export and import of whole accounts. */
export interface Portability {
  /** See `Exporting`. */
  export(principal: Principal, query: ExportQuery, begun: () => Promise<void>): Export;
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
  /** Whether other imports wait for one of a tenant to end. */
  isAwaited(tenantId: string): boolean;
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
        runImport({ ...parts, runExclusive }, principal, items, format in FOREIGN_READERS),
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
      const { tenantId, space } = principal;
      const operation = `POST /v1/import ${JSON.stringify(Object.entries(query).sort())}`;
      return idempotency.onceStreamed(
        { tenantId, member: space?.member.tenantId, key, operation, body },
        {
          run: (whole) => importFile(principal, whole, query),
          requireTenant: (connection) => usage.requireTenant(connection, tenantId),
        },
      );
    },
    isAwaited: imports.isAwaited,
    stopping: stopping.signal,
    begin: spool.clear,
    stop() {
      exporting.stop();
      stopping.abort();
    },
    erase: async ({ tenantId }) => exporting.abort(tenantId),
  };
}

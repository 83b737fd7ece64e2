import { setMaxListeners } from 'node:events';
import type { ExportQuery, ImportQuery, ImportReport } from '../../contract/portability.ts';
import type { Principal } from '../keys/keys.ts';
import { createMutex, createTransferLimiter, yieldingToOthers } from './concurrency.ts';
import { type ExportParts, exportRecords } from './export-run.ts';
import { READERS } from './formats/readers.ts';
import { type RunParts, runImport } from './import-run.ts';
import { createRecordCheck } from './record-check.ts';

/** Whole accounts as files, out and in. */
export interface Portability {
  /**
   * All that is the tenant's, as NDJSON in portions: one state of it, whatever is written meanwhile. Throws
   * `unavailable` where too many are under way.
   */
  export(principal: Principal, query: ExportQuery): AsyncGenerator<string>;
  /**
   * Brings in what a file holds, at the pace at which it is stored. Nothing is added twice. Throws `quota_exceeded`,
   * and whatever else ends it early, with the report so far as `report` among the problem's members.
   */
  import(principal: Principal, body: AsyncIterable<Uint8Array>, query: ImportQuery): Promise<ImportReport>;
  /** No further import finds a place. */
  isCrowded(): boolean;
  /** Aborted when the daemon stops: what is under way ends. */
  stopping: AbortSignal;
  stop(): void;
}

const MOST_EXPORTS = 4;
const MOST_IMPORTS = 8;
const PORTION_CHARACTERS = 64 * 1024;

/** Ties the faces of the rooms together; a few exports and imports go on at once, one of each a tenant. */
export function createPortability(parts: ExportParts & Omit<RunParts, 'inTurn'>): Portability {
  const { db, clock } = parts;
  const check = createRecordCheck();
  const exports = createTransferLimiter(MOST_EXPORTS, 'export');
  const imports = createTransferLimiter(MOST_IMPORTS, 'import');
  const inTurn = createMutex();
  const stopping = new AbortController();
  setMaxListeners(0, stopping.signal);

  return {
    async *export({ tenantId }, { user }) {
      const release = exports.take(tenantId);
      try {
        const snapshot = await db.snapshot();
        try {
          yield* portionsOf(exportRecords(parts, snapshot, { tenantId, user, nowMs: clock.nowMs() }));
        } finally {
          await snapshot.close();
        }
      } finally {
        release();
      }
    },
    async import(principal, body, { format = 'svc', user = 'default', tag = [] }) {
      const read = READERS[format];
      const release = imports.take(principal.tenantId);
      try {
        const given = { nowMs: clock.nowMs(), user, tags: [tag].flat(), check };
        return await runImport({ ...parts, inTurn }, principal, yieldingToOthers(read(body, given), clock));
      } finally {
        release();
      }
    },
    isCrowded: imports.isFull,
    stopping: stopping.signal,
    stop: () => stopping.abort(),
  };
}

async function* portionsOf(records: AsyncIterable<object>): AsyncGenerator<string> {
  let portion = '';
  for await (const record of records) {
    portion += `${JSON.stringify(record)}\n`;
    if (portion.length < PORTION_CHARACTERS) continue;
    yield portion;
    portion = '';
  }
  yield portion;
}

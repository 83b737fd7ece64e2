import { AppError } from '../../contract/errors.ts';
import type { ImportReport } from '../../contract/portability.ts';
import type { Principal } from '../keys/keys.ts';
import type { ImportItem } from './formats/import-reader.ts';
import { type BatchBuilder, createBatchBuilder } from './import-batch.ts';
import { type ImportParts, writeBatch } from './import-batch-writer.ts';
import { createReportBuilder, type ReportBuilder } from './import-report.ts';

export interface ImportRunParts extends ImportParts {
  /** Re-reads the caller. Throws `unauthenticated` if its credential is no longer valid. */
  refresh(principal: Principal): Promise<Principal>;
  /** Runs one batch at a time across all imports, so that other writes never wait behind several of them. */
  runExclusive<T>(work: () => Promise<T>): Promise<T>;
}

/** Remembers only the latest conversations: an export lists the messages of a conversation directly after it. */
const MAX_UNSEGMENTED = 1000;

/**
 * Imports items batch by batch. Each batch is committed before the next is read, and only while the caller's
 * credential is valid. An error that ends the import carries the report so far as `report`; committed batches stay, and sending the
 * same file again continues from there.
 */
export async function runImport(
  parts: ImportRunParts,
  principal: Principal,
  items: AsyncIterable<ImportItem>,
): Promise<ImportReport> {
  const report = createReportBuilder();
  const builder = createBatchBuilder(principal, report, parts.learning.transfer, parts.suggestions.transfer);
  const unsegmentedIds = new Set<string>();
  const write = () =>
    parts.runExclusive(async () =>
      writeBatch(parts, await parts.refresh(principal), builder.take(), report, unsegmentedIds),
    );
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

/** Adds an id and drops the oldest one if the set is full. */
function addBounded(ids: Set<string>, id: string): void {
  const [oldest] = ids;
  if (ids.size >= MAX_UNSEGMENTED) ids.delete(oldest!);
  ids.add(id);
}

import { AppError } from '../../contract/errors.ts';
import type { ImportReport } from '../../contract/portability.ts';
import type { Keys, Principal } from '../keys/keys.ts';
import { createGathering, type Gathering } from './import-batch.ts';
import type { ImportItem } from './import-items.ts';
import { createTally, type ImportTally } from './import-tally.ts';
import { type ImportParts, writeBatch } from './import-writing.ts';

/** What an import needs. */
export interface RunParts extends ImportParts {
  keys: Pick<Keys, 'refresh'>;
  /** Runs one batch of all imports at a time, so that no caller's own write waits for several of them. */
  inTurn<T>(work: () => Promise<T>): Promise<T>;
}

/** Conversations whose last messages are not cut yet: their messages follow soon, or these are not the latest. */
const MOST_UNCUT = 1000;

/**
 * Brings in what is read, batch after batch, each committed before the next is read and while the caller's key is
 * valid. Throws what ends it early with the report so far among its members; what is committed stays, and the same file
 * goes on from there.
 */
export async function runImport(
  parts: RunParts,
  principal: Principal,
  items: AsyncIterable<ImportItem>,
): Promise<ImportReport> {
  const tally = createTally();
  const gathering = createGathering(principal.tenantId, tally, parts.learning.transfer);
  const uncut = new Set<string>();
  const write = () =>
    parts.inTurn(async () => writeBatch(parts, await parts.keys.refresh(principal), gathering.take(), tally, uncut));
  let last: 'head' | 'end' | undefined;
  try {
    for await (const item of items) {
      if ('mark' in item) last = item.mark;
      else gather(item, gathering, tally, uncut);
      if (gathering.isFull()) await write();
    }
    if (last === 'head') gathering.dropMemory('the file ends here: further versions may be missing');
    gathering.endMemory();
    await write();
    return { ...tally.report(), complete: last !== 'head' };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const { code, message, options } = error;
    throw new AppError(code, message, {
      ...options,
      extra: { ...options.extra, report: tally.report() },
      cause: error,
    });
  }
}

function gather(
  item: Exclude<ImportItem, { mark: string }>,
  gathering: Gathering,
  tally: ImportTally,
  uncut: Set<string>,
): void {
  if ('reason' in item) tally.leaveOut(item.place, item);
  else if ('memory' in item) gathering.addFresh(item.place, item.memory);
  else {
    if (item.record.type === 'conversation' && item.record.cutThrough !== undefined) noteUncut(uncut, item.record.id);
    gathering.addRecord(item.place, item.record);
  }
}

function noteUncut(uncut: Set<string>, id: string): void {
  const [oldest] = uncut;
  if (uncut.size >= MOST_UNCUT) uncut.delete(oldest!);
  uncut.add(id);
}

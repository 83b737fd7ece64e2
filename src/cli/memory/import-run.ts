import type { Client } from '../../client/client.ts';
import { type Clock, parseTimestamp } from '../../lib/clock.ts';
import { textLines } from '../text-lines.ts';
import { createBatcher } from './import-batches.ts';
import type { createLineReader, ImportEntry } from './import-lines.ts';
import { type ImportTally, QuotaStop, sendBatch } from './import-sending.ts';
import { sayTime } from './said-time.ts';

export interface ImportRun {
  client: Client;
  stream: AsyncIterable<Uint8Array>;
  readLine: ReturnType<typeof createLineReader>;
  clock: Clock;
  /** Wait for the quota to be given anew instead of ending. */
  waitForQuota: boolean;
  onProgress(tally: ImportTally, bytesRead: number): void;
  onQuotaWait(text: string): void;
  /** Waits; replaced in tests. */
  sleep?: (ms: number) => Promise<void>;
}

const LONGEST_SLEEP_MS = 60_000;
const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Reads to the end, or to what stops it: then `ended` says what that was, and the tally what was done before. */
export async function runImport(run: ImportRun): Promise<{ tally: ImportTally; ended?: Error }> {
  const tally: ImportTally = { read: 0, added: 0, known: 0, skipped: [] };
  const batcher = createBatcher();
  let line = 0;
  let bytesRead = 0;
  try {
    for await (const text of textLines(run.stream)) {
      line += 1;
      bytesRead += Buffer.byteLength(text) + 1;
      const found = run.readLine(text, line);
      if (!found) continue;
      tally.read += 1;
      if ('reason' in found) {
        tally.skipped.push(found);
        continue;
      }
      const full = batcher.add(found);
      if (!full) continue;
      await send(run, full, tally);
      run.onProgress(tally, bytesRead);
    }
    await send(run, batcher.rest(), tally);
    tally.skipped.sort((a, b) => a.line - b.line);
    return { tally };
  } catch (ended) {
    return { tally, ended: ended as Error };
  }
}

async function send(run: ImportRun, batch: readonly ImportEntry[], tally: ImportTally): Promise<void> {
  let unsent = batch;
  for (;;) {
    try {
      return await sendBatch(run.client, unsent, tally);
    } catch (error) {
      if (!(error instanceof QuotaStop) || !run.waitForQuota || error.resetsAt === undefined) throw error;
      await untilReset(run, error, error.resetsAt);
      unsent = error.unsent;
    }
  }
}

async function untilReset(
  { clock, onQuotaWait, sleep = pause }: ImportRun,
  stop: Error,
  resetsAt: string,
): Promise<void> {
  const untilMs = parseTimestamp(resetsAt) ?? clock.nowMs();
  onQuotaWait(
    `${stop.message} Waiting; it goes on ${sayTime(untilMs, clock.nowMs())}. Ctrl-C ends it, nothing is lost.`,
  );
  while (clock.nowMs() < untilMs) await sleep(Math.min(LONGEST_SLEEP_MS, untilMs - clock.nowMs()));
}

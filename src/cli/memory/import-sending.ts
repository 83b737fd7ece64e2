import { createHash } from 'node:crypto';
import type { Client } from '../../client/client.ts';
import { AppError } from '../../contract/errors.ts';
import type { ImportEntry, SkippedLine } from './import-lines.ts';

/** What became of the lines so far. */
export interface ImportTally {
  read: number;
  added: number;
  /** There already: by an earlier run, or the same content from elsewhere. */
  known: number;
  skipped: SkippedLine[];
}

/** The quota is used up. */
export class QuotaStop extends Error {
  override readonly name = 'QuotaStop';
  readonly resetsAt: string | undefined;
  /** What could not be sent any more. */
  readonly unsent: ImportEntry[];

  constructor({ message, options }: AppError, unsent: readonly ImportEntry[]) {
    super(message);
    this.resetsAt = options.extra?.resetsAt === undefined ? undefined : String(options.extra.resetsAt);
    this.unsent = [...unsent];
  }
}

/** These are about one of the memories in the batch. */
const ABOUT_ONE = new Set(['invalid_request', 'not_found', 'conflict', 'unprocessable', 'payload_too_large']);

/**
 * Sends one batch. The daemon takes all of it or nothing, so a batch that is refused is divided until the line that is
 * at fault stands alone, and what a quota has left is used to the last memory. Throws `QuotaStop`.
 */
export async function sendBatch(client: Client, batch: readonly ImportEntry[], tally: ImportTally): Promise<void> {
  if (batch.length === 0) return;
  try {
    const { data, replayed } = await addOnce(client, batch);
    const known = replayed ? data.length : data.filter(({ duplicate }) => duplicate).length;
    tally.known += known;
    tally.added += data.length - known;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    await sendInParts(client, batch, tally, error);
  }
}

async function sendInParts(
  client: Client,
  batch: readonly ImportEntry[],
  tally: ImportTally,
  refusal: AppError,
): Promise<void> {
  const quota = refusal.code === 'quota_exceeded';
  if (!quota && !ABOUT_ONE.has(refusal.code)) throw refusal;
  if (batch.length === 1) {
    if (quota) throw new QuotaStop(refusal, batch);
    tally.skipped.push({ line: batch[0]!.line, reason: refusal.message, fault: true });
    return;
  }
  const middle = Math.ceil(batch.length / 2);
  const second = batch.slice(middle);
  await sendBatch(client, batch.slice(0, middle), tally).catch((error) => {
    if (error instanceof QuotaStop) error.unsent.push(...second);
    throw error;
  });
  await sendBatch(client, second, tally);
}

/** Under a key made of the content: sent again within a day it is the same request, and answered as it was. */
async function addOnce(client: Client, batch: readonly ImportEntry[]) {
  const memories = batch.map(({ memory }) => memory);
  const idempotencyKey = `import-${createHash('sha256').update(JSON.stringify(memories)).digest('hex')}`;
  try {
    return await client.memories.addBatch(memories, { idempotencyKey });
  } catch (error) {
    // Some of them were forgotten since: a person who imports again wants them back.
    if (error instanceof AppError && error.code === 'gone') return client.memories.addBatch(memories);
    throw error;
  }
}

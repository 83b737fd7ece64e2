import { estimateTokens } from '../../lib/text.ts';

/** Limits of a single embedding request. */
export interface BatchLimits {
  texts: number;
  tokens: number;
}

/**
 * Splits jobs, in order, into at most `maxBatches` requests. Identical texts count once; a text over the limit gets a
 * request to itself.
 */
export function batchesOf<T extends { text: string }>(
  jobs: readonly T[],
  limits: BatchLimits,
  maxBatches: number,
): T[][] {
  const batches: T[][] = [];
  let texts = new Set<string>();
  let characters = 0;
  for (const job of jobs) {
    const isNew = !texts.has(job.text);
    const exceedsLimits =
      isNew && (texts.size === limits.texts || estimateTokens(characters + job.text.length) > limits.tokens);
    if (batches.length === 0 || exceedsLimits) {
      if (batches.length === maxBatches) return batches;
      batches.push([]);
      texts = new Set();
      characters = 0;
    }
    batches.at(-1)!.push(job);
    if (!texts.has(job.text)) characters += job.text.length;
    texts.add(job.text);
  }
  return batches;
}

import { createWorkerCalls, startModule } from '../lib/worker-calls.ts';

/** A run of letters, of digits, of a script without spaces, or one other character. */
const RUNS = /([A-Za-z]+)|(\d+)|(\s+)|([\s\S])/gu;

/**
 * Estimates the tokens of a text (o200k_base) without the vocabulary.
 * Meant to be too high rather than too low.
 */
export function estimateTokens(text: string): number {
  let tokens = 0;
  for (const [run, letters, digits, space] of text.matchAll(RUNS)) {
    if (letters !== undefined)
      tokens += /^[A-Z]?[a-z]*$/.test(run) ? Math.ceil(run.length / 4) : Math.ceil(run.length / 2);
    else if (digits !== undefined) tokens += Math.ceil(run.length / 3);
    else if (space !== undefined) tokens += run === ' ' ? 0 : 1;
    else tokens += Math.ceil(Buffer.byteLength(run) / 2);
  }
  return tokens;
}

/**
 * Counts the tokens of a text. Runs of more than 64 letters or symbols are counted in pieces of 64, which gives an
 * upper bound: the exact count takes quadratic time.
 */
export type CountTokens = (text: string) => number | Promise<number>;

/**
 * Returns the counter of a tenant: gpt-tokenizer's for the o200k_base vocabulary. It runs in a worker thread, because
 * loading the vocabulary takes a third of a second, which starts on first use, because it takes 70 MB.
 */
export function tokenCounterOf(tenantId: string): CountTokens {
  return (text) => callWorker(tenantId, text.replace(LONG_RUNS, breakUp));
}

/** A hook ends after 800 ms. */
const WAIT_MS = 150;

/**
 * Returns `countTokens` for callers that do not wait long: an estimate, which is too high rather than too low, if it does not
 * answer within `waitMs`, as while the vocabulary is loaded.
 */
export async function quickCounter(countTokens: CountTokens, waitMs = WAIT_MS): Promise<CountTokens> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<CountTokens>((resolve) => {
    timer = setTimeout(resolve, waitMs, estimateTokens);
  });
  // A failure of the worker is reported by those who wait for it.
  const loaded = Promise.resolve(countTokens('')).then(
    () => countTokens,
    () => estimateTokens,
  );
  return Promise.race([loaded, late]).finally(() => clearTimeout(timer));
}

/** The worker is beside this file in the source and in the build. */
const WORKER = import.meta.url.endsWith('.ts') ? './tokens-worker.ts' : './tokens-worker.js';

const callWorker = createWorkerCalls<string, number>(() => startModule(new URL(WORKER, import.meta.url), 'tokens'));

/** Runs that the vocabulary's pre-tokenizer would not split: letters, symbols or whitespace, but never digits. */
const LONG_RUNS = /[\p{L}\p{M}]{65,}|[^\s\p{L}\p{N}]{65,}|\s{65,}/gu;

/** Separates the pieces with a digit, which is always a separate token and makes up for the seam. */
function breakUp(run: string): string {
  return run.replace(/.{64}/gsu, '$&0');
}

import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';

/**
 * Counts the tokens of a text. Runs of more than 64 letters or symbols are counted in pieces of 64, which gives an
 * upper bound: the exact count takes quadratic time.
 */
export type CountTokens = (text: string) => number | Promise<number>;

let counter: CountTokens | undefined;

/**
 * Starts gpt-tokenizer's counter for the o200k_base vocabulary on first use (70 MB), so that daemons that never build a
 * context do not pay for it. It runs in a separate thread: loading the vocabulary takes a third of a second.
 */
export function loadTokenCounter(): CountTokens {
  counter ??= startCounter();
  return counter;
}

/** Receives `{ id, text }` and answers `{ id, tokens }`. Control tokens in a text are counted as ordinary text. */
const COUNTER = `
  const { parentPort, workerData } = require('node:worker_threads');
  const { countTokens } = require(workerData);
  const options = { disallowedSpecial: new Set() };
  parentPort.on('message', ({ id, text }) => parentPort.postMessage({ id, tokens: countTokens(text, options) }));
`;

interface Pending {
  resolve(tokens: number): void;
  reject(error: unknown): void;
}

function startCounter(): CountTokens {
  const vocabulary = createRequire(import.meta.url).resolve('gpt-tokenizer/encoding/o200k_base');
  const worker = new Worker(COUNTER, { eval: true, workerData: vocabulary });
  const pending = new Map<number, Pending>();
  let lastId = 0;
  worker.unref();
  worker.on('message', ({ id, tokens }: { id: number; tokens: number }) => {
    pending.get(id)?.resolve(tokens);
    pending.delete(id);
    if (pending.size === 0) worker.unref();
  });
  worker.on('error', (error) => {
    counter = undefined;
    for (const { reject } of pending.values()) reject(error);
  });
  return (text) =>
    new Promise((resolve, reject) => {
      lastId += 1;
      pending.set(lastId, { resolve, reject });
      worker.ref();
      worker.postMessage({ id: lastId, text: text.replace(LONG_RUNS, breakUp) });
    });
}

/** Runs that the vocabulary's pre-tokenizer would not split: letters, symbols or whitespace, but never digits. */
const LONG_RUNS = /[\p{L}\p{M}]{65,}|[^\s\p{L}\p{N}]{65,}|\s{65,}/gu;

/** Separates the pieces with a digit, which is always a token of its own and makes up for the seam. */
function breakUp(run: string): string {
  return run.replace(/.{64}/gsu, '$&0');
}

import { parentPort } from 'node:worker_threads';
import { finish } from '../../lib/time-slices.ts';
import { findInSteps } from './found-terms.ts';

// The program of a worker thread, which answers each list of texts with their terms.

parentPort!.on('message', (texts: readonly string[]) => {
  parentPort!.postMessage(texts.map((text) => finish(findInSteps(text))));
});

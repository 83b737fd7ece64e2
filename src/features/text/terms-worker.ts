import { parentPort } from 'node:worker_threads';
import { lowerThreadPriority } from '../../lib/thread-priority.ts';
import { finish } from '../../lib/time-slices.ts';
import { findInSteps } from './terms.ts';

// The program of a worker thread, which answers each list of texts with their terms.

lowerThreadPriority();
parentPort!.on('message', (texts: readonly string[]) => {
  parentPort!.postMessage(texts.map((text) => finish(findInSteps(text))));
});

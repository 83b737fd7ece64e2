import { systemClock } from './clock.ts';

/** How long work may hold the event loop: once per turn for all that waits, and at once for work that just began. */
const SLICE_MS = 4;
const FIRST_SLICE_MS = 1;

const waiting: (() => void)[] = [];
let sliceEndMs = 0;

/**
 * Runs a generator to its end in slices of a few milliseconds, between which the event loop serves others. All callers
 * share one slice per turn, in order; an `urgent` one goes ahead, because others wait for its transaction.
 */
export async function runInSlices<T>(steps: Generator<void, T>, urgency?: 'urgent'): Promise<T> {
  let endMs = systemClock.monotonicMs() + FIRST_SLICE_MS;
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    if (systemClock.monotonicMs() < endMs) continue;
    await nextSlice(urgency);
    endMs = sliceEndMs;
  }
}

/** Runs a generator to its end without pausing. */
export function finish<T>(steps: Generator<void, T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

function nextSlice(urgency: 'urgent' | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (waiting.length === 0) setImmediate(startSlice);
    if (urgency) waiting.unshift(resolve);
    else waiting.push(resolve);
  });
}

function startSlice(): void {
  sliceEndMs = systemClock.monotonicMs() + SLICE_MS;
  waiting.shift()!();
  if (waiting.length > 0) setImmediate(startSlice);
}

import { systemClock } from './clock.ts';
import { createFairQueue } from './fair-queue.ts';

/** The owner of the work: a tenant (by its id), an address it came from, or `urgent` if others wait for its transaction. */
export type SliceOwner = string | 'urgent';

/** How long work may hold the event loop: once per turn for all that waits, and at once for work that just began. */
const SLICE_MS = 2;
const FIRST_SLICE_MS = 1;

const urgent: (() => void)[] = [];
const waiting = createFairQueue<() => void>();
let isScheduled = false;
let sliceEndMs = 0;

/**
 * Runs a generator to its end in slices of a few milliseconds, between which the event loop serves others. There is one
 * slice per turn of the loop, in which tenants take turns. A tenant's own work runs one after the other, so that what it
 * holds in memory is bounded. `urgent` work goes ahead of all tenants.
 */
export async function runInSlices<T>(steps: Generator<void, T>, of: SliceOwner): Promise<T> {
  let endMs = systemClock.monotonicMs() + FIRST_SLICE_MS;
  if (waiting.sizeOf(of) > 0) {
    await nextSlice(of);
    endMs = sliceEndMs;
  }
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    if (systemClock.monotonicMs() < endMs) continue;
    await new Promise<void>((resolve) => {
      if (of === 'urgent') urgent.unshift(resolve);
      else waiting.unshift(of, resolve);
      schedule();
    });
    endMs = sliceEndMs;
  }
}

/** Waits for a tenant's next slice, behind its other work: for work that cannot be divided. */
export function nextSlice(of: SliceOwner): Promise<void> {
  return new Promise((resolve) => {
    if (of === 'urgent') urgent.push(resolve);
    else waiting.push(of, resolve);
    schedule();
  });
}

/** Runs a generator to its end without pausing. */
export function finish<T>(steps: Generator<void, T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

function schedule(): void {
  if (isScheduled) return;
  isScheduled = true;
  setImmediate(startSlice);
}

function startSlice(): void {
  isScheduled = false;
  const next = urgent.shift() ?? waiting.take()?.item;
  if (!next) return;
  sliceEndMs = systemClock.monotonicMs() + SLICE_MS;
  next();
  if (urgent.length > 0 || waiting.size() > 0) schedule();
}

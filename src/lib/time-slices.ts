import { systemClock } from './clock.ts';

/** The owner of the work: a tenant (by its id), an address it came from, or `urgent` if others wait for its transaction. */
export type SliceOwner = string | 'urgent';

/** How long work may hold the event loop: once per turn for all that waits, and at once for work that just began. */
const SLICE_MS = 2;
const FIRST_SLICE_MS = 1;

const urgent: (() => void)[] = [];
/** Never holds an empty list. Tenants get slices in the order of the map. */
const lines = new Map<string, (() => void)[]>();
let isScheduled = false;
let sliceEndMs = 0;

/**
 * Runs a generator to its end in slices of a few milliseconds, between which the event loop serves others. There is one
 * slice per turn of the loop, in which tenants take turns. A tenant's own work runs one after the other, so that what it
 * holds in memory is bounded. `urgent` work goes ahead of all tenants.
 */
export async function runInSlices<T>(steps: Generator<void, T>, of: SliceOwner): Promise<T> {
  let endMs = systemClock.monotonicMs() + FIRST_SLICE_MS;
  if (lines.has(of)) {
    await nextSlice(of);
    endMs = sliceEndMs;
  }
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    if (systemClock.monotonicMs() < endMs) continue;
    await new Promise<void>((resolve) => {
      lineOf(of).unshift(resolve);
      schedule();
    });
    endMs = sliceEndMs;
  }
}

/** Waits for a tenant's next slice, behind its other work: for work that cannot be divided. */
export function nextSlice(of: SliceOwner): Promise<void> {
  return new Promise((resolve) => {
    lineOf(of).push(resolve);
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

function lineOf(of: SliceOwner): (() => void)[] {
  if (of === 'urgent') return urgent;
  const line = lines.get(of) ?? [];
  lines.set(of, line);
  return line;
}

function schedule(): void {
  if (isScheduled) return;
  isScheduled = true;
  setImmediate(startSlice);
}

function startSlice(): void {
  isScheduled = false;
  const next = urgent.shift() ?? takeNext();
  if (!next) return;
  sliceEndMs = systemClock.monotonicMs() + SLICE_MS;
  next();
  if (urgent.length > 0 || lines.size > 0) schedule();
}

/** Takes the first piece of work of the next tenant, which then goes to the end of the line. */
function takeNext(): (() => void) | undefined {
  for (const [tenantId, line] of lines) {
    lines.delete(tenantId);
    const next = line.shift()!;
    if (line.length > 0) lines.set(tenantId, line);
    return next;
  }
  return undefined;
}

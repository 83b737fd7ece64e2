import { getPriority, setPriority } from 'node:os';

/** Enough that the event loop gets a processor first, and too little to starve where all are busy. */
const STEPS = 5;
const LOWEST = 19;

/**
 * Makes the calling worker thread wait for the event loop where both want a processor. Only on Linux, where each thread
 * has its own priority: elsewhere it belongs to the process.
 */
export function lowerThreadPriority(): void {
  if (process.platform !== 'linux') return;
  try {
    setPriority(0, Math.min(getPriority(0) + STEPS, LOWEST));
  } catch {
    // A sandbox may forbid it; the thread works the same.
  }
}

import type { Retrieval } from '../../../client/client.ts';

/** How far feedback moved the weight of a signal. */
export interface WeightChange {
  signal: string;
  before: number;
  after: number;
}

const MOST_SHOWN = 4;
/** Weights are shown with two decimals. */
const VISIBLE = 0.005;

/** The largest changes of the mean weights between two states, largest first; small ones are left out. */
export function weightChanges(before: Retrieval, after: Retrieval): WeightChange[] {
  return Object.entries(after.signals)
    .map(([signal, { weight }]) => ({ signal, before: before.signals[signal]?.weight ?? weight, after: weight }))
    .filter((change) => sizeOf(change) >= VISIBLE)
    .sort((a, b) => sizeOf(b) - sizeOf(a))
    .slice(0, MOST_SHOWN);
}

function sizeOf({ before, after }: WeightChange): number {
  return Math.abs(after - before);
}

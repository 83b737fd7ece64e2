import type { Retrieval } from '../../../client/client.ts';
import { SIGNAL_NAMES } from '../../../contract/signals.ts';

/** How far the weight of a signal is from its default. */
export interface Shift {
  signal: string;
  defaultWeight: number;
  weight: number;
  change: number;
}

/** Weights are shown with two decimals; a smaller change is none. */
const VISIBLE = 0.005;
/** The smallest range of a plot, so that small changes look small. */
const LEAST_RANGE = 0.25;
const LEVELS = 4;
const ORDER: readonly string[] = SIGNAL_NAMES;

/** The weights that changed visibly, the largest change first. */
export function shiftsOf({ signals }: Retrieval): Shift[] {
  return Object.entries(signals)
    .map(([signal, { defaultWeight, weight }]) => ({ signal, defaultWeight, weight, change: weight - defaultWeight }))
    .filter(({ change }) => Math.abs(change) >= VISIBLE)
    .sort((a, b) => Math.abs(b.change) - Math.abs(a.change));
}

/** The change at either end of the plot. */
export function rangeOf(shifts: readonly Shift[]): number {
  return Math.max(LEAST_RANGE, ...shifts.map(({ change }) => Math.abs(change)));
}

/** A cell of the matrix: a shift in standard deviations of the signal, and its level from −4 to 4. */
export interface MatrixCell {
  delta: number;
  level: number;
}

/** Shifts by signal (rows) and kind of question (columns); undefined where there is none. */
export interface ShiftMatrix {
  buckets: string[];
  rows: { signal: string; cells: (MatrixCell | undefined)[] }[];
}

/** Builds the matrix of the signals that moved for any kind of question. */
export function shiftMatrix({ buckets }: Retrieval): ShiftMatrix {
  const names = Object.keys(buckets);
  const all = Object.values(buckets).flat();
  const largest = Math.max(0, ...all.map(({ delta }) => Math.abs(delta)));
  const moved = [...new Set(all.map(({ signal }) => signal))].sort((a, b) => ORDER.indexOf(a) - ORDER.indexOf(b));
  const rows = moved.map((signal) => ({
    signal,
    cells: names.map((bucket) => {
      const shift = buckets[bucket]!.find((one) => one.signal === signal);
      return shift && { delta: shift.delta, level: levelOf(shift.delta, largest) };
    }),
  }));
  return { buckets: names, rows };
}

function levelOf(delta: number, largest: number): number {
  return Math.sign(delta) * Math.ceil((Math.abs(delta) / largest) * LEVELS);
}

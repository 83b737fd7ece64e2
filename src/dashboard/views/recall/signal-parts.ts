import type { SearchResult } from '../../../client/client.ts';
import { SIGNAL_NAMES } from '../../../contract/signals.ts';

/** Contribution of a signal to a score. */
export interface SignalPart {
  name: string;
  value: number;
  weight: number;
  /** `value × weight`; negative where it takes away. */
  points: number;
}

/** Contributions below this are not visible in a bar. */
const NOTHING = 0.005;
const ORDER: readonly string[] = SIGNAL_NAMES;

/** The signals that contribute to a result, in the order of the legend. */
export function signalParts({ why }: SearchResult): SignalPart[] {
  return Object.entries(why?.signals ?? {})
    .map(([name, { value, weight, share }]) => ({ name, value, weight, points: share }))
    .filter(({ points }) => Math.abs(points) >= NOTHING)
    .sort((a, b) => placeOf(a) - placeOf(b));
}

function placeOf({ name }: SignalPart): number {
  const at = ORDER.indexOf(name);
  return at < 0 ? ORDER.length : at;
}

/** The signals that contribute to any result, in the order of the legend. */
export function contributingSignals(results: readonly SearchResult[]): string[] {
  const names = new Set(results.flatMap((result) => signalParts(result).map(({ name }) => name)));
  const unknown = [...names].filter((name) => !ORDER.includes(name));
  return [...ORDER.filter((name) => names.has(name)), ...unknown];
}

/** The range that the bars of all results need, so that their lengths compare: `least` is at most 0. */
export function barRange(results: readonly SearchResult[]): { least: number; most: number } {
  const sums = results.map((result) => {
    const points = signalParts(result).map((part) => part.points);
    return { least: sumOf(points.filter((one) => one < 0)), most: sumOf(points.filter((one) => one > 0)) };
  });
  return {
    least: Math.min(0, ...sums.map(({ least }) => least)),
    most: Math.max(0.01, ...sums.map(({ most }) => most)),
  };
}

/** The part that adds most, and its share of all that is added. */
export function mainPart(parts: readonly SignalPart[]): { name: string; share: number } | undefined {
  const added = parts.filter(({ points }) => points > 0);
  const [first] = added.toSorted((a, b) => b.points - a.points);
  return first && { name: first.name, share: first.points / sumOf(added.map(({ points }) => points)) };
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}

/** The standard deviation of what users differ by, per signal, at scale 1. */
const PRIOR_DEVIATION = 0.35;
/** How much less kinds of queries differ in that, as a variance. */
const BUCKETS_ALIKE = 8;

/** A shift of each signal's weight and how sure it is, in the order of the signals. */
export interface Estimate {
  deltas: Float32Array;
  precisions: Float32Array;
}

export interface Learner {
  /** Of the expectation that nothing is shifted. */
  priorPrecision: number;
  /** The same for each kind of query; absent where a learner does not tell kinds apart. */
  bucketPrecision?: number;
}

/** From the one that expects little to the one that expects much. */
export const LEARNERS: readonly Learner[] = [
  { priorPrecision: precisionAt(0.3) },
  { priorPrecision: precisionAt(1), bucketPrecision: BUCKETS_ALIKE * precisionAt(1) },
  { priorPrecision: precisionAt(3), bucketPrecision: BUCKETS_ALIKE * precisionAt(3) },
];

function precisionAt(scale: number): number {
  return 1 / (scale * PRIOR_DEVIATION ** 2);
}

/** What one event leaves of how sure an estimate was beyond its prior, and of the estimate. */
const PRECISION_KEPT = 0.99;
const DELTA_KEPT = 0.998;
const LONGEST_STEP = 0.25;

/** Slope and curvature of an event's log-likelihood in each signal's shift. */
export interface Slope {
  gradient: Float64Array;
  curvature: Float64Array;
}

/** A diagonal Laplace step with forgetting: what is sure moves little, what is old is let go of. */
export function stepped({ deltas, precisions }: Estimate, { gradient, curvature }: Slope, prior: number): Estimate {
  const precise = precisions.map((precision, index) =>
    Math.fround(PRECISION_KEPT * precision + (1 - PRECISION_KEPT) * prior + curvature[index]!),
  );
  const moved = deltas.map((delta, index) => {
    const step = gradient[index]! / precise[index]!;
    return DELTA_KEPT * delta + Math.min(LONGEST_STEP, Math.max(-LONGEST_STEP, step));
  });
  return { deltas: moved, precisions: precise };
}

/** The signals of the candidates of a query, each in units of its deviation. */
export type Shifts = readonly Float64Array[];

/**
 * The slope where some candidates were used and some were found irrelevant, as a softmax over the pool sees it: used
 * ones are drawn from it, irrelevant ones are ruled out of it. `undefined` where neither tells anything.
 */
export function slopeOf(
  shifts: Shifts,
  probabilities: readonly number[],
  { used, irrelevant }: { used: readonly number[]; irrelevant: readonly number[] },
): Slope | undefined {
  const width = shifts[0]?.length ?? 0;
  const slope: Slope = { gradient: new Float64Array(width), curvature: new Float64Array(width) };
  const expected = momentsOf(shifts, probabilities);
  const ruledOut = new Set(irrelevant);
  const left = probabilities.map((probability, index) => (ruledOut.has(index) ? 0 : probability));
  const mass = left.reduce((sum, probability) => sum + probability, 0);
  const tells = ruledOut.size > 0 && mass > 1e-9;
  if (used.length === 0 && !tells) return undefined;
  if (used.length > 0) {
    const even = probabilities.map(() => 0);
    for (const index of used) even[index] = 1 / used.length;
    add(slope, momentsOf(shifts, even).mean, expected, expected.variance);
  }
  if (tells) {
    const rest = momentsOf(
      shifts,
      left.map((probability) => probability / mass),
    );
    const known = expected.variance.map((variance, signal) => Math.max(0, variance - rest.variance[signal]!));
    add(slope, rest.mean, expected, known);
  }
  return slope;
}

interface Moments {
  mean: Float64Array;
  variance: Float64Array;
}

function momentsOf(shifts: Shifts, weights: readonly number[]): Moments {
  const width = shifts[0]?.length ?? 0;
  const mean = new Float64Array(width);
  const variance = new Float64Array(width);
  shifts.forEach((row, index) => {
    for (let signal = 0; signal < width; signal += 1) mean[signal]! += weights[index]! * row[signal]!;
  });
  shifts.forEach((row, index) => {
    for (let signal = 0; signal < width; signal += 1) {
      variance[signal]! += weights[index]! * (row[signal]! - mean[signal]!) ** 2;
    }
  });
  return { mean, variance };
}

function add({ gradient, curvature }: Slope, seen: Float64Array, { mean }: Moments, known: Float64Array): void {
  for (let signal = 0; signal < gradient.length; signal += 1) {
    gradient[signal]! += seen[signal]! - mean[signal]!;
    curvature[signal]! += known[signal]!;
  }
}

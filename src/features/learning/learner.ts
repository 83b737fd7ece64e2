/** Standard deviation between users of the shift of a signal's weight, at scale 1. */
const PRIOR_DEVIATION = 0.35;
/** Ratio of the variance between users to that between query buckets of one user. */
const BUCKET_VARIANCE_RATIO = 8;

/** Gaussian estimate of each signal's weight shift, in the order of the signals. */
export interface Estimate {
  deltas: Float32Array;
  precisions: Float32Array;
}

export interface Learner {
  /** Precision of the prior, whose mean is zero. */
  priorPrecision: number;
  /** The same per query bucket; absent for a learner without bucket-specific shifts. */
  bucketPrecision?: number;
}

/** From the most conservative prior to the widest. */
export const LEARNERS: readonly Learner[] = [
  { priorPrecision: precisionAt(0.3) },
  { priorPrecision: precisionAt(1), bucketPrecision: BUCKET_VARIANCE_RATIO * precisionAt(1) },
  { priorPrecision: precisionAt(3), bucketPrecision: BUCKET_VARIANCE_RATIO * precisionAt(3) },
];

function precisionAt(scale: number): number {
  return 1 / (scale * PRIOR_DEVIATION ** 2);
}

/** Per-event decay of precision toward the prior, and of the shift toward zero. */
const PRECISION_DECAY = 0.99;
const DELTA_DECAY = 0.998;
const MAX_STEP = 0.25;

/** Gradient and curvature (negated second derivative) of an event's log-likelihood by each signal's shift. */
export interface Slope {
  gradient: Float64Array;
  curvature: Float64Array;
}

/** Diagonal Laplace approximation with forgetting: precise shifts move little, old evidence decays. */
export function updateEstimate(
  { deltas, precisions }: Estimate,
  { gradient, curvature }: Slope,
  prior: number,
): Estimate {
  const updated = precisions.map((precision, index) =>
    Math.fround(PRECISION_DECAY * precision + (1 - PRECISION_DECAY) * prior + curvature[index]!),
  );
  const moved = deltas.map((delta, index) => {
    const step = gradient[index]! / updated[index]!;
    return DELTA_DECAY * delta + Math.min(MAX_STEP, Math.max(-MAX_STEP, step));
  });
  return { deltas: moved, precisions: updated };
}

/** The signals of each candidate, in units of standard deviation. */
export type Shifts = readonly Float64Array[];

/**
 * Derivatives of the log-likelihood of feedback under a softmax over the pool: used candidates are samples from it,
 * irrelevant ones are excluded from it. `undefined` where the feedback carries no information.
 */
export function slopeOf(
  shifts: Shifts,
  probabilities: readonly number[],
  { used, irrelevant }: { used: readonly number[]; irrelevant: readonly number[] },
): Slope | undefined {
  const width = shifts[0]?.length ?? 0;
  const slope: Slope = { gradient: new Float64Array(width), curvature: new Float64Array(width) };
  const expected = momentsOf(shifts, probabilities);
  const rejected = new Set(irrelevant);
  const remaining = probabilities.map((probability, index) => (rejected.has(index) ? 0 : probability));
  const mass = remaining.reduce((sum, probability) => sum + probability, 0);
  const isInformative = rejected.size > 0 && mass > 1e-9;
  if (used.length === 0 && !isInformative) return undefined;
  if (used.length > 0) {
    const usedShares = probabilities.map(() => 0);
    for (const index of used) usedShares[index] = 1 / used.length;
    accumulate(slope, momentsOf(shifts, usedShares).mean, expected, expected.variance);
  }
  if (isInformative) {
    const rest = momentsOf(
      shifts,
      remaining.map((probability) => probability / mass),
    );
    const reduction = expected.variance.map((variance, signal) => Math.max(0, variance - rest.variance[signal]!));
    accumulate(slope, rest.mean, expected, reduction);
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

function accumulate(
  { gradient, curvature }: Slope,
  observed: Float64Array,
  { mean }: Moments,
  information: Float64Array,
): void {
  for (let signal = 0; signal < gradient.length; signal += 1) {
    gradient[signal]! += observed[signal]! - mean[signal]!;
    curvature[signal]! += information[signal]!;
  }
}

import { entriesBelow, solveSymmetric } from './symmetric-matrix.ts';

/** Standard deviation between users of the shift of a signal's weight, at scale 1. */
const PRIOR_DEVIATION = 0.35;
/** Ratio of the variance between users to that between query buckets of one user. */
const BUCKET_VARIANCE_RATIO = 8;

/** Gaussian estimate of each signal's weight shift, in the order of the signals. */
export interface Estimate {
  deltas: Float32Array;
  /** Diagonal of the precision matrix. */
  precisions: Float32Array;
  /** Its entries below the diagonal; empty where the signals are treated as independent. */
  couplings: Float32Array;
}

export interface Learner {
  /** Precision of the prior, whose mean is zero. */
  priorPrecision: number;
  /** The same per query bucket; absent for a learner without bucket-specific shifts. */
  bucketPrecision?: number;
}

/** Ordered from the most conservative prior to the widest. */
export const LEARNERS: readonly Learner[] = [
  { priorPrecision: precisionAt(0.3) },
  { priorPrecision: precisionAt(1), bucketPrecision: BUCKET_VARIANCE_RATIO * precisionAt(1) },
  { priorPrecision: precisionAt(3), bucketPrecision: BUCKET_VARIANCE_RATIO * precisionAt(3) },
];

function precisionAt(scale: number): number {
  return 1 / (scale * PRIOR_DEVIATION ** 2);
}

/** Per-event decay of precision toward the prior, and of the shift toward zero. */
const PRECISION_DECAY = 0.98;
const DELTA_DECAY = 0.998;
const MAX_STEP = 0.5;
/** Share of uses that are taken to say nothing about what was wanted; keeps a surprising one from moving much. */
const ACCIDENTAL_SHARE = 0.1;

/** Gradient and curvature (negated second derivatives) of an event's log-likelihood by each signal's shift. */
export interface Slope {
  gradient: Float64Array;
  /** Diagonal of the curvature, and its entries below the diagonal. */
  curvature: Float64Array;
  couplings: Float64Array;
}

/** Laplace approximation with forgetting: precise shifts move little, old evidence decays. */
export function updateEstimate(
  { deltas, precisions, couplings }: Estimate,
  { gradient, curvature, couplings: coupled }: Slope,
  prior: number,
): Estimate {
  const diagonal = precisions.map((precision, index) =>
    Math.fround(PRECISION_DECAY * precision + (1 - PRECISION_DECAY) * prior + curvature[index]!),
  );
  const below = couplings.map((coupling, index) => PRECISION_DECAY * coupling + coupled[index]!);
  const step = below.length > 0 ? solveSymmetric({ diagonal, below }, gradient) : undefined;
  const moved = deltas.map((delta, index) => {
    const own = step?.[index] ?? gradient[index]! / diagonal[index]!;
    return DELTA_DECAY * delta + Math.min(MAX_STEP, Math.max(-MAX_STEP, own));
  });
  return { deltas: moved, precisions: diagonal, couplings: below };
}

/** The signals of each candidate, in units of standard deviation. */
export type Shifts = readonly Float64Array[];

/**
 * Derivatives of the log-likelihood of feedback under a softmax over the pool: used candidates are samples from it or,
 * with probability `ACCIDENTAL_SHARE`, from all alike; irrelevant ones are excluded from it. `undefined` where the
 * feedback carries no information.
 */
export function slopeOf(
  shifts: Shifts,
  probabilities: readonly number[],
  { used, irrelevant }: { used: readonly number[]; irrelevant: readonly number[] },
): Slope | undefined {
  const rejected = new Set(irrelevant);
  const remaining = probabilities.map((probability, index) => (rejected.has(index) ? 0 : probability));
  const mass = remaining.reduce((sum, probability) => sum + probability, 0);
  const isInformative = rejected.size > 0 && mass > 1e-9;
  if (used.length === 0 && !isInformative) return undefined;
  const width = shifts[0]?.length ?? 0;
  const expected = momentsOf(shifts, probabilities);
  const slope = {
    gradient: new Float64Array(width),
    curvature: new Float64Array(width),
    couplings: new Float64Array(entriesBelow(width)),
  };
  for (const index of used) addUse(slope, shifts, { expected, probabilities, index, share: 1 / used.length });
  if (isInformative) {
    const rest = momentsOf(
      shifts,
      remaining.map((probability) => probability / mass),
    );
    for (let signal = 0; signal < width; signal += 1) {
      slope.gradient[signal]! += rest.mean[signal]! - expected.mean[signal]!;
      // Excluding candidates may also widen the distribution; only what is gained in certainty counts.
      slope.curvature[signal]! += Math.max(0, expected.variance[signal]! - rest.variance[signal]!);
    }
  }
  return slope;
}

interface Use {
  expected: Moments;
  probabilities: readonly number[];
  index: number;
  /** Share of the event's uses. */
  share: number;
}

function addUse(slope: Slope, shifts: Shifts, { expected, probabilities, index, share }: Use): void {
  const meant = (1 - ACCIDENTAL_SHARE) * probabilities[index]!;
  const weight = (share * meant) / (meant + ACCIDENTAL_SHARE / probabilities.length);
  for (let signal = 0; signal < slope.gradient.length; signal += 1) {
    slope.gradient[signal]! += weight * (shifts[index]![signal]! - expected.mean[signal]!);
    slope.curvature[signal]! += weight * expected.variance[signal]!;
  }
  for (let at = 0; at < slope.couplings.length; at += 1) slope.couplings[at]! += weight * expected.covariance[at]!;
}

interface Moments {
  mean: Float64Array;
  variance: Float64Array;
  /** Below the diagonal. */
  covariance: Float64Array;
}

function momentsOf(shifts: Shifts, weights: readonly number[]): Moments {
  const width = shifts[0]?.length ?? 0;
  const mean = new Float64Array(width);
  const variance = new Float64Array(width);
  const covariance = new Float64Array(entriesBelow(width));
  shifts.forEach((row, index) => {
    for (let signal = 0; signal < width; signal += 1) mean[signal]! += weights[index]! * row[signal]!;
  });
  const offsets = new Float64Array(width);
  for (const [index, row] of shifts.entries()) {
    for (let signal = 0, at = 0; signal < width; signal += 1) {
      offsets[signal] = row[signal]! - mean[signal]!;
      const weighted = weights[index]! * offsets[signal]!;
      variance[signal]! += weighted * offsets[signal]!;
      for (let other = 0; other < signal; other += 1, at += 1) covariance[at]! += weighted * offsets[other]!;
    }
  }
  return { mean, variance, covariance };
}

import type { LearningDay } from '../../../client/client.ts';

/** Feedback on the learned and the default order, over one or more days. */
export interface CurvePoint {
  feedbacks: number;
  /** Mean reciprocal ranks, 0 to 1. */
  shown: number;
  byDefault: number;
}

/** Days that a point of the curve sums up, so that a day with little feedback does not shake it. */
const WINDOW_DAYS = 7;
/** Standard errors on either side that hold 95 of 100 means. */
const CONFIDENCE = 1.96;

/** The mean over some days, each feedback counting the same; undefined without feedback. */
export function meanOver(days: readonly LearningDay[]): CurvePoint | undefined {
  const feedbacks = days.reduce((sum, day) => sum + day.feedbacks, 0);
  if (feedbacks === 0) return undefined;
  const meanOf = (rank: 'shown' | 'default') =>
    days.reduce((sum, day) => sum + day.meanReciprocalRank[rank] * day.feedbacks, 0) / feedbacks;
  return { feedbacks, shown: meanOf('shown'), byDefault: meanOf('default') };
}

/** A point for each of `days` (ascending, `YYYY-MM-DD`): the mean over the week up to it. */
export function weeklyCurve(days: readonly string[], learning: readonly LearningDay[]): (CurvePoint | undefined)[] {
  const byDay = new Map(learning.map((one) => [one.day, one]));
  return days.map((_, index) =>
    meanOver(days.slice(Math.max(0, index - WINDOW_DAYS + 1), index + 1).flatMap((day) => byDay.get(day) ?? [])),
  );
}

/**
 * Bounds of the true mean with a probability of at least 95%. A value between 0 and 1 with mean m has a variance of at
 * most m (1 − m) (Bhatia–Davis), so the bounds are wider than need be.
 */
export function boundsOf(mean: number, feedbacks: number): readonly [low: number, high: number] {
  const error = CONFIDENCE * Math.sqrt((mean * (1 - mean)) / feedbacks);
  return [Math.max(0, mean - error), Math.min(1, mean + error)];
}

/** The place that a mean reciprocal rank corresponds to, such as 1.5; infinite for 0. */
export function placeOf(meanReciprocalRank: number): number {
  return 1 / meanReciprocalRank;
}

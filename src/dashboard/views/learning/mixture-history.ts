import type { MixtureDay } from '../../../client/client.ts';
import { type Trust, trustOf } from './trust.ts';

/** How far each expert was trusted, day by day. */
export interface MixtureHistory {
  /** Days since the first one with a known mixture. */
  days: string[];
  experts: (Pick<Trust, 'expert' | 'label'> & { shares: number[] })[];
}

/** Fills `days` (ascending, `YYYY-MM-DD`) with what held on each: the mixture of the last day with feedback up to it. */
export function mixtureByDay(history: readonly MixtureDay[], days: readonly string[]): MixtureHistory {
  const known = days.flatMap((day) => {
    const last = history.findLast((one) => one.day <= day);
    return last ? [{ day, mixture: last.mixture }] : [];
  });
  const names = Object.fromEntries(known.flatMap(({ mixture }) => Object.entries(mixture)));
  return {
    days: known.map(({ day }) => day),
    experts: trustOf({ mixture: names }).map(({ expert, label }) => ({
      expert,
      label,
      shares: known.map(({ mixture }) => mixture[expert] ?? 0),
    })),
  };
}

import type { LearningDay, Retrieval } from '../../../client/client.ts';
import { signalLabel } from '../../ranking-words.ts';
import { type CurvePoint, meanOver, placeOf } from './learning-curve.ts';
import { shiftsOf } from './shifts.ts';

const NAMED_SIGNALS = 2;

/** Says what feedback there was since a day (`YYYY-MM-DD`), what learning changed for it, and what counts more or less. */
export function describeLearning(learning: readonly LearningDay[], sinceDay: string, retrieval: Retrieval): string[] {
  const week = meanOver(learning.filter(({ day }) => day >= sinceDay));
  const all = meanOver(learning);
  return [
    week
      ? `${week.feedbacks} ${week.feedbacks === 1 ? 'search' : 'searches'} told which result helped.`
      : 'No search told this week which result helped.',
    ...(week ? [describePlaces(week)] : all ? [`Before: ${describePlaces(all)}`] : []),
    ...describeShifts(retrieval),
  ];
}

/** Says which way learning moved the useful result. The same figures as those of the curve. */
function describePlaces({ shown, byDefault }: CurvePoint): string {
  const [place, placeByDefault] = [shown, byDefault].map((rank) => formatPlace(placeOf(rank)));
  if (place === placeByDefault)
    return `Learning made no difference: the useful result came at place ${place} either way.`;
  return shown > byDefault
    ? `Learning moved the useful result up: typically to place ${place}, from ${placeByDefault} in the default order.`
    : `Learning moved the useful result down: typically to place ${place}, from ${placeByDefault} in the default order. Further feedback corrects this, or start over below.`;
}

/** A typical place, such as `1.5`. */
export function formatPlace(place: number): string {
  return Number.isFinite(place) ? place.toFixed(1) : 'none';
}

function describeShifts(retrieval: Retrieval): string[] {
  const shifts = shiftsOf(retrieval);
  const namesOf = (isMore: boolean) =>
    shifts
      .filter(({ change }) => change > 0 === isMore)
      .slice(0, NAMED_SIGNALS)
      .map(({ signal }) => `“${signalLabel(signal)}”`)
      .join(' and ');
  const [more, less] = [namesOf(true), namesOf(false)];
  if (more === '' && less === '') return [];
  const parts = [...(more ? [`${more} more`] : []), ...(less ? [`${less} less`] : [])];
  return [`Compared with the start, the order counts ${parts.join(' and ')}.`];
}

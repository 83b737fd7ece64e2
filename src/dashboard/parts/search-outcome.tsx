import { formatCount, formatOrdinal } from '../format.ts';
import { Icon } from '../shell/icon.tsx';
import type { SearchOutcome } from './outcome.ts';

/** Says which results of a search helped. */
export function Outcome({ outcome }: { outcome: SearchOutcome }) {
  const { shown, used, irrelevant, firstUsed } = outcome;
  if (used + irrelevant === 0) return <span class="row-meta">{formatCount(shown, 'result', 'results')}</span>;
  return (
    <span class="outcome row-meta">
      {firstUsed !== undefined && (
        <span class="movement is-up">
          <Icon name="thumbUp" size={14} />
          {used === 1
            ? `the ${formatOrdinal(firstUsed)} helped`
            : `${used} helped, first the ${formatOrdinal(firstUsed)}`}
        </span>
      )}
      {irrelevant > 0 && (
        <span class="movement is-down">
          <Icon name="thumbDown" size={14} />
          {irrelevant} did not
        </span>
      )}
    </span>
  );
}

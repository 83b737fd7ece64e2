import type { Retrieval, Usage } from '../../../client/client.ts';
import { formatCount, formatNumber, formatProbability } from '../../format.ts';
import { hasSeveralUsers, userPhrase } from '../../users.ts';
import { type CurvePoint, meanOver, placeOf } from './learning-curve.ts';
import { formatPlace } from './learning-words.ts';
import { learnedShare } from './trust.ts';

interface LearningFiguresProps {
  retrieval: Retrieval;
  usage: Usage;
  days: number;
}

/** Feedback, places and trust in three figures. */
export function LearningFigures({ retrieval, usage, days }: LearningFiguresProps) {
  const mean = meanOver(usage.learning);
  return (
    <div class="learning-figures">
      <section class="card">
        <h2>Where the useful result came</h2>
        {mean ? <Places mean={mean} days={days} /> : <p class="hint">No feedback in the last {days} days.</p>}
      </section>
      <section class="card">
        <h2>Feedback</h2>
        <p class="learning-figure">{formatNumber(mean?.feedbacks ?? 0)}</p>
        <p class="hint">
          searches{hasSeveralUsers.value && ' by all users'} told in {days} days which result helped;{' '}
          {formatCount(retrieval.events, 'event', 'events')}
          {userPhrase('of', retrieval.user)} in all
        </p>
      </section>
      <section class="card">
        <h2>Share of what was learned</h2>
        <p class="learning-figure">{formatProbability(learnedShare(retrieval))}</p>
        <p class="hint">
          {retrieval.events === 0
            ? 'where every user starts, before any feedback'
            : 'of the order; the rest follows the default weights, or changes nothing'}
        </p>
      </section>
    </div>
  );
}

function Places({ mean, days }: { mean: CurvePoint; days: number }) {
  const [shown, byDefault] = [placeOf(mean.shown), placeOf(mean.byDefault)];
  return (
    <>
      <p class="learning-figure">
        Place {formatPlace(shown)} <span class="learning-instead">instead of {formatPlace(byDefault)}</span>
      </p>
      <p class="hint">typical place over {days} days, with learning and without.</p>
      <details class="hint">
        <summary>How this is measured</summary>
        <p>
          A search whose useful result stood 1st counts 1, 2nd ½, 3rd ⅓ and so on. The mean over all searches is the
          mean reciprocal rank (MRR): {mean.shown.toFixed(2)} with learning, {mean.byDefault.toFixed(2)} by the default
          order of the same searches. The typical place is 1 divided by it.
        </p>
      </details>
    </>
  );
}

import type { Retrieval, Usage } from '../../../client/client.ts';
import { formatCount, formatNumber, formatProbability } from '../../format.ts';
import { type CurvePoint, meanOver, placeOf } from './learning-curve.ts';
import { learnedShare } from './trust.ts';

interface LearningFiguresProps {
  retrieval: Retrieval;
  usage: Usage;
  days: number;
}

/** The result of learning in three figures. */
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
          searches by all users had a useful result in {days} days; {formatCount(retrieval.events, 'event', 'events')}{' '}
          of {retrieval.user} in all
        </p>
      </section>
      <section class="card">
        <h2>Trust in what was learned</h2>
        <p class="learning-figure">{formatProbability(learnedShare(retrieval))}</p>
        <p class="hint">
          {retrieval.events === 0
            ? 'where every user starts, before any feedback'
            : `probability that it predicts what ${retrieval.user} needs better than the default order`}
        </p>
      </section>
    </div>
  );
}

function Places({ mean, days }: { mean: CurvePoint; days: number }) {
  const [shown, byDefault] = [placeOf(mean.shown), placeOf(mean.byDefault)];
  const isBetter = mean.shown >= mean.byDefault;
  return (
    <>
      <p class="learning-figure">
        Place {formatPlace(shown)} <span class="learning-instead">instead of {formatPlace(byDefault)}</span>
      </p>
      <p class="hint">
        typical place over {days} days, with learning and without.{' '}
        {formatPlace(shown) === formatPlace(byDefault)
          ? 'No difference yet.'
          : isBetter
            ? 'Learning moved it up.'
            : 'Learning moved it down so far.'}
      </p>
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

function formatPlace(place: number): string {
  return Number.isFinite(place) ? place.toFixed(1) : 'none';
}

import type { SearchAnswer } from '../../../client/client.ts';
import { formatCount } from '../../format.ts';
import { likelihoodOf, questionLabel } from '../../ranking-words.ts';
import { hrefOf } from '../../router.ts';
import { userParameter, userPhrase } from '../../users.ts';

const VERDICTS = {
  likely: 'Yes, something stored answers this.',
  perhaps: 'Perhaps: something stored may answer this.',
  unlikely: 'Probably not: nothing stored seems to answer this.',
};

/** Says whether anything found answers, from its calibrated probability. */
export function verdictOf(confidence: number): string {
  return VERDICTS[likelihoodOf(confidence)];
}

/** How sure a search is of its answer, the kind of the question, and what was learned for it. */
export function Summary({ answer, user }: { answer: SearchAnswer; user: string | undefined }) {
  const { confidence, results, learned } = answer;
  return (
    <dl class="recall-summary">
      <div>
        <dt>Something answers</dt>
        <dd>{likelihoodOf(confidence)}</dd>
      </div>
      <div>
        <dt>Results</dt>
        <dd>
          {results.length}
          {userPhrase('of', user)}
        </dd>
      </div>
      <div>
        <dt>Kind of question</dt>
        <dd>{learned ? questionLabel(learned.bucket) : 'not used by this strategy'}</dd>
      </div>
      <div>
        <dt>Learned from</dt>
        <dd>
          {learned ? (
            <a href={hrefOf('learning', userParameter(user))}>
              {learned.events === 0 ? 'nothing yet' : formatCount(learned.events, 'feedback event', 'feedback events')}
            </a>
          ) : (
            'not used'
          )}
        </dd>
      </div>
    </dl>
  );
}

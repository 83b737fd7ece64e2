import type { SearchAnswer } from '../../../client/client.ts';
import { formatCount, formatProbability } from '../../format.ts';
import { questionLabel } from '../../ranking-words.ts';
import { hrefOf } from '../../router.ts';
import { userParameter, userPhrase } from '../../users.ts';

/** From here on, something stored answers the question more often than not, whoever asks. */
const YES = 0.6;
/** In between, the probability differs too much between people to state it. */
const PERHAPS = 0.15;

/** Says whether anything found answers, from its calibrated probability. */
export function verdictOf(confidence: number): string {
  if (confidence >= YES) return 'Yes, something stored answers this.';
  return confidence >= PERHAPS
    ? 'Perhaps: something stored may answer this.'
    : 'Probably not: nothing stored seems to answer this.';
}

/** Whether a result is unlikely to answer. */
export function isUnlikely(relevance: number): boolean {
  return relevance < PERHAPS;
}

/** Says of a result that it may not answer; undefined for one that does. */
export function doubtOf(relevance: number): string | undefined {
  if (relevance >= YES) return undefined;
  return isUnlikely(relevance) ? 'unlikely to answer' : 'may answer';
}

/** How sure a search is of its answer, the kind of the question, and what was learned for it. */
export function Summary({ answer, user }: { answer: SearchAnswer; user: string | undefined }) {
  const { confidence, results, learned } = answer;
  return (
    <dl class="recall-summary">
      <div>
        <dt>Something answers</dt>
        <dd>{formatProbability(confidence)} likely</dd>
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

import type { SearchAnswer } from '../../../client/client.ts';
import { formatCount, formatProbability } from '../../format.ts';
import { questionLabel } from '../../ranking-words.ts';
import { hrefOf } from '../../router.ts';

/** From here on, something stored answers the question more often than not, whoever asks. */
const YES = 0.6;
/** In between, the probability differs too much between people to state it. */
const PERHAPS = 0.15;

/** Summary of a search: whether it has an answer, and the kind of the question. */
export function Summary({ answer, user }: { answer: SearchAnswer; user: string | undefined }) {
  const { confidence, results, learned } = answer;
  return (
    <dl class="recall-summary">
      <div>
        <dt>Is there an answer?</dt>
        <dd title="Calibrated probability that anything found answers the question">
          {confidence >= YES ? 'Yes' : confidence >= PERHAPS ? 'Perhaps' : 'Probably not'}
          {(confidence >= YES || confidence < PERHAPS) && (
            <span class="hint"> {formatProbability(confidence)} likely</span>
          )}
        </dd>
      </div>
      <div>
        <dt>Results</dt>
        <dd>
          {results.length}
          {user !== undefined && <span class="hint"> of {user}</span>}
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
            <a href={hrefOf('learning', user === undefined ? {} : { user })}>
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

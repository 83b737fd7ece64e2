import { useEffect } from 'preact/hooks';
import type { Retrieval, StoredSearch, Usage } from '../../../client/client.ts';
import { systemClock, utcDay } from '../../../lib/clock.ts';
import { distinctSearches } from '../../earlier-searches.ts';
import { describeError } from '../../errors.ts';
import { formatDay, formatProbability, formatShare } from '../../format.ts';
import { announce, onChanges } from '../../live.ts';
import { confirm } from '../../parts/confirmation.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Moment } from '../../parts/moment.tsx';
import { outcomeOf } from '../../parts/outcome.ts';
import { Outcome } from '../../parts/search-outcome.tsx';
import { showToast } from '../../parts/toasts.tsx';
import { AreaPlot } from '../../plots/area-plot.tsx';
import { questionExample, questionLabel, signalLabel } from '../../ranking-words.ts';
import { useResource } from '../../resource.ts';
import { changeParameters, chosenUser, hrefOf, parameters } from '../../router.ts';
import { currentSession, endSessionOn } from '../../session.ts';
import { Icon } from '../../shell/icon.tsx';
import { may } from '../../space.ts';
import { areUsersKnown, searchedUser, userPhrase } from '../../users.ts';
import { Curve } from './curve.tsx';
import { LearnedWords } from './learned-words.tsx';
import { LearningFigures } from './learning-figures.tsx';
import { describeLearning } from './learning-words.ts';
import { mixtureByDay } from './mixture-history.ts';
import { PERIODS } from './periods.ts';
import { type MatrixCell, shiftMatrix } from './shifts.ts';
import { describeTrust, trustOf } from './trust.ts';
import { WeightPlot } from './weight-plot.tsx';

const MOST = 9;

/** The questions of the last day that the ranking learned from, each once. */
export function FeedbackFeed({ searches }: { searches: readonly StoredSearch[] }) {
  const learned = distinctSearches(searches.filter((search) => search.learned));
  return (
    <section class="card stack" aria-labelledby="feed-title">
      <div class="card-head">
        <h2 id="feed-title">The questions</h2>
        <span class="hint">
          {learned.length > MOST ? `the latest ${MOST} of ${learned.length}` : 'learned from in the last 24 hours'}
        </span>
      </div>
      {learned.length === 0 ? (
        <p class="hint">
          No search of the last 24 hours got feedback. <a href={hrefOf('recall')}>Mark what helped in Recall</a>
        </p>
      ) : (
        <ul class="feedback-feed">
          {learned.slice(0, MOST).map((search) => (
            <li key={search.id}>
              <a class="row-text" href={hrefOf('recall', { searchId: search.id })}>
                {search.query}
              </a>
              <Outcome outcome={outcomeOf(search)} />
              <span class="row-meta">
                <Moment at={search.createdAt} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

/** Shows what the ranking learned from feedback, and whether it helps. */
export function View() {
  const days = PERIODS.find((period) => String(period) === parameters.value.get('days')) ?? 30;
  const isReady = chosenUser.value !== undefined || areUsersKnown.value;
  const user = searchedUser.value;
  const learned = useResource(
    isReady ? `${days} ${user}` : undefined,
    async (signal) => {
      const { client } = currentSession();
      const ofUser = user === undefined ? {} : { user };
      const [retrieval, searches, usage] = await Promise.all([
        client.retrieval.get({ ...ofUser, days, weights: 'all' }, { signal }),
        client.searches.list({ limit: 200, ...ofUser }, { signal }).then(({ data }) => data),
        client.usage.get({ days }, { signal }),
      ]);
      return { retrieval, searches, usage };
    },
    { keepsPrevious: true },
  );
  useEffect(() => onChanges(['feedback'], learned.reload), [learned.reload]);
  return (
    <div class="stack">
      <Loaded resource={learned} label="Loading Learning">
        {({ retrieval, searches, usage }) =>
          retrieval.events === 0 && usage.learning.length === 0 ? (
            <>
              <LearningStart />
              <LearnedWords key={retrieval.user} retrieval={retrieval} onChanged={learned.reload} />
            </>
          ) : (
            <Learned retrieval={retrieval} searches={searches} usage={usage} days={days} onChanged={learned.reload} />
          )
        }
      </Loaded>
    </div>
  );
}

interface LearnedProps {
  retrieval: Retrieval;
  searches: readonly StoredSearch[];
  usage: Usage;
  days: number;
  /** Loads what was learned again. */
  onChanged(): void;
}

function Learned({ retrieval, searches, usage, days, onChanged }: LearnedProps) {
  const isDetailed = parameters.value.has('details');
  return (
    <>
      <div class="learning-columns">
        <div class="stack">
          <InWords retrieval={retrieval} usage={usage} />
          <FeedbackFeed searches={searches} />
        </div>
        <Forgetting retrieval={retrieval} onChanged={onChanged} />
      </div>
      <LearnedWords key={retrieval.user} retrieval={retrieval} onChanged={onChanged} />
      <p>
        <button
          type="button"
          class="small"
          aria-expanded={isDetailed}
          onClick={() => changeParameters({ details: isDetailed ? undefined : '1' }, 'replace')}
        >
          Details
        </button>
      </p>
      {isDetailed && (
        <>
          <LearningFigures retrieval={retrieval} usage={usage} days={days} />
          <div class="learning-columns">
            <Curve usage={usage} days={days} />
            <MixtureBar retrieval={retrieval} />
          </div>
          <MixturePlot retrieval={retrieval} usage={usage} />
          <WeightPlot retrieval={retrieval} />
          <QuestionMatrix retrieval={retrieval} />
        </>
      )}
    </>
  );
}

/** What the week brought, in sentences. */
function InWords({ retrieval, usage }: Pick<LearnedProps, 'retrieval' | 'usage'>) {
  const sinceDay = utcDay(systemClock.nowMs() - 6 * 86_400_000);
  return (
    <section class="card stack" aria-labelledby="week-title">
      <h2 id="week-title">This week</h2>
      {describeLearning(usage.learning, sinceDay, retrieval).map((sentence) => (
        <p key={sentence}>{sentence}</p>
      ))}
    </section>
  );
}

function Forgetting({ retrieval, onChanged }: Pick<LearnedProps, 'retrieval' | 'onChanged'>) {
  const { user, updatedAt } = retrieval;
  const forget = async () => {
    const isConfirmed = await confirm({
      title: `Forget what was learned${userPhrase('from', user)}?`,
      text: 'The default order applies again, and learned words are forgotten. Memories stay. Feedback from now on is learned anew.',
      yes: 'Forget what was learned',
    });
    if (!isConfirmed) return;
    try {
      await currentSession().client.retrieval.delete({ user });
      announce('feedback');
      onChanged();
      showToast(`The default order applies${userPhrase('to', user)} again.`);
    } catch (error) {
      endSessionOn(error);
      showToast(describeError(error), 'error');
    }
  };
  return (
    <section class="card stack" aria-labelledby="forgetting-title">
      <h2 id="forgetting-title">Start over</h2>
      <p class="hint">
        {updatedAt === null ? (
          `Nothing was learned${userPhrase('from', user)} yet.`
        ) : (
          <>
            Last learned{userPhrase('from', user)} <Moment at={updatedAt} />. Two of the first ten results always come
            from the default order, so that wrong lessons can be unlearned.
          </>
        )}
      </p>
      {may('memory') && (
        <p>
          <button type="button" class="small danger" disabled={retrieval.events === 0} onClick={() => void forget()}>
            Forget what was learned
          </button>
        </p>
      )}
    </section>
  );
}

/** How far each way to rank is trusted. */
export function MixtureBar({ retrieval }: { retrieval: Retrieval }) {
  const trusts = trustOf(retrieval);
  return (
    <section class="card stack" aria-labelledby="mixture-title">
      <h2 id="mixture-title">Who decides the order</h2>
      <p>{describeTrust(retrieval)}</p>
      <div class="mixture-bar" aria-hidden="true">
        {trusts.map(({ expert, share }) => (
          <span key={expert} class={`expert-${expert}`} style={{ inlineSize: `${share * 100}%` }} />
        ))}
      </div>
      <dl class="mixture-legend">
        {trusts.map(({ expert, label, share }) => (
          <div key={expert}>
            <dt>
              <span class={`mixture-color expert-${expert}`} aria-hidden="true" />
              {label}
            </dt>
            <dd>{formatProbability(share)}</dd>
          </div>
        ))}
      </dl>
      <p class="hint">
        After each feedback, whatever predicted the useful result better gains trust. Random feedback strengthens
        chance, which changes nothing.
      </p>
    </section>
  );
}

/** How far each way to rank was trusted, over time. */
export function MixturePlot({ retrieval, usage }: { retrieval: Retrieval; usage: Usage }) {
  const { days, experts } = mixtureByDay(
    retrieval.history ?? [],
    usage.days.map(({ day }) => day),
  );
  return (
    <section class="card stack" aria-labelledby="trust-title">
      <h2 id="trust-title">Who decided, over time</h2>
      {days.length === 0 ? (
        <p class="hint">The next feedback{userPhrase('of', retrieval.user)} starts this plot.</p>
      ) : (
        <>
          <AreaPlot
            label="Trust in each way to rank by day"
            labels={days.map(formatDay)}
            series={experts.map(({ expert, label, shares }) => ({
              name: label,
              values: shares,
              class: `expert-${expert}`,
            }))}
            format={formatShare}
          />
          <p class="hint">
            After the last feedback{userPhrase('of', retrieval.user)} of each day. Days without feedback change nothing.
          </p>
        </>
      )}
    </section>
  );
}

/** Says how learning begins, while there is no feedback. */
export function LearningStart() {
  return (
    <div class="stack">
      <section class="card learning-start">
        <Icon name="learning" size={28} />
        <h2>The ranking has not learned anything yet</h2>
        <p>
          svc ranks with default weights until it knows what helps you. Then the useful result comes first more often,
          and this page shows by how much.
        </p>
        <a class="button primary" href={hrefOf('recall')}>
          Search in Recall and mark what helped
        </a>
      </section>
      <div class="grid">
        <section class="card stack">
          <h2>You mark results</h2>
          <p class="hint">In Recall, a thumb up or down on a result teaches the ranking, once for each search.</p>
        </section>
        <section class="card stack">
          <h2>Assistants report</h2>
          <p class="hint">
            Through <code>memory_feedback</code> or the API, an assistant names the memories that its answer used.
          </p>
        </section>
        <section class="card stack">
          <h2>Usage counts automatically</h2>
          <p class="hint">
            What an assistant reads or changes after a search that showed it, or repeats in its answer, counts half.
          </p>
        </section>
      </div>
    </div>
  );
}

/** Shows which signals count more or less for each kind of question. */
export function QuestionMatrix({ retrieval }: { retrieval: Retrieval }) {
  const { buckets, rows } = shiftMatrix(retrieval);
  if (rows.length === 0) return null;
  return (
    <section class="card stack" aria-labelledby="matrix-title">
      <div class="card-head">
        <h2 id="matrix-title">By kind of question</h2>
        <span class="matrix-legend hint">
          <span class="matrix-swatch" data-level="-4" aria-hidden="true" /> counts less
          <span class="matrix-swatch" data-level="4" aria-hidden="true" /> counts more
        </span>
      </div>
      <section class="matrix-scroll" tabIndex={0} aria-label="Changes by signal and kind of question">
        <table class="matrix">
          <thead>
            <tr>
              <th scope="col">A question that …</th>
              {buckets.map((bucket) => (
                <th key={bucket} scope="col" title={questionExample(bucket)}>
                  {questionLabel(bucket)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ signal, cells }) => (
              <tr key={signal}>
                <th scope="row">{signalLabel(signal)}</th>
                {cells.map((cell, index) => (
                  <td key={buckets[index]} data-level={cell?.level ?? 0}>
                    {describeCell(cell)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      <p class="hint">
        In standard deviations of the signal; signals without a row have not moved. Kinds share what they learn, so one
        kind moves the others a little.
      </p>
    </section>
  );
}

function describeCell(cell: MatrixCell | undefined): string {
  if (!cell) return '0';
  const size = Math.abs(cell.delta);
  if (size < 0.005) return cell.delta > 0 ? '< +0.01' : '> −0.01';
  return `${cell.delta > 0 ? '+' : '−'}${size.toFixed(2)}`;
}

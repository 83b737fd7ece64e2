import { useEffect } from 'preact/hooks';
import type { Retrieval, StoredSearch, Usage } from '../../../client/client.ts';
import { systemClock, utcDay } from '../../../lib/clock.ts';
import { describeError } from '../../errors.ts';
import { announce, onChanges } from '../../live.ts';
import { confirm } from '../../parts/confirmation.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Moment } from '../../parts/moment.tsx';
import { showToast } from '../../parts/toasts.tsx';
import { useResource } from '../../resource.ts';
import { changeParameters, chosenUser, parameters } from '../../router.ts';
import { currentSession, endSessionOn } from '../../session.ts';
import { may } from '../../space.ts';
import { areUsersKnown, searchedUser, userPhrase } from '../../users.ts';
import { Curve } from './curve.tsx';
import { FeedbackFeed } from './feedback-feed.tsx';
import { LearnedWords } from './learned-words.tsx';
import { LearningFigures } from './learning-figures.tsx';
import { LearningStart } from './learning-start.tsx';
import { describeLearning } from './learning-words.ts';
import { MixtureBar } from './mixture-bar.tsx';
import { MixturePlot } from './mixture-plot.tsx';
import { PERIODS } from './periods.ts';
import { QuestionMatrix } from './question-matrix.tsx';
import { WeightPlot } from './weight-plot.tsx';

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

import { useSignal } from '@preact/signals';
import type { SearchTimings } from '../../../client/client.ts';
import type { EarlierSearch } from '../../earlier-searches.ts';
import { formatMs } from '../../format.ts';
import { Empty } from '../../parts/empty.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { useResource } from '../../resource.ts';
import { changeParameters, hrefOf, parameters } from '../../router.ts';
import { currentSession } from '../../session.ts';
import { may } from '../../space.ts';
import { hasSeveralUsers, userPhrase } from '../../users.ts';
import { ContextCard } from './context-card.tsx';
import { Ranking } from './ranking.tsx';
import { includesContext, type RecallQuery, toSearchRequest } from './recall-query.ts';
import { stagesOf } from './stages.ts';
import { Summary, verdictOf } from './summary.tsx';

interface ResultsProps {
  asked: RecallQuery;
  user: string | undefined;
  earlier?: EarlierSearch;
}

/** Whether anything answers, the results, and what an assistant gets. The details say how the order came about. */
export function Results({ asked, user, earlier }: ResultsProps) {
  const request = toSearchRequest(asked, user);
  // Together they count as one query.
  const whole = { ...request, ...(includesContext(asked) && { contextTokens: asked.maxTokens }) };
  const found = useResource(JSON.stringify(whole), (signal) => currentSession().client.search(whole, { signal }));
  const shown = found.state.value.value;
  const version = useSignal(0);
  const isDetailed = parameters.value.has('details');
  return (
    <>
      {shown && (
        <div class="recall-head">
          <p class="recall-verdict" role="status">
            {verdictOf(shown.confidence)}
          </p>
          {shown.results.length > 0 && (
            <button
              type="button"
              class="small"
              aria-expanded={isDetailed}
              onClick={() => changeParameters({ details: isDetailed ? undefined : '1' }, 'replace')}
            >
              Details
            </button>
          )}
        </div>
      )}
      {isDetailed && shown && (
        <section class="card stack" aria-label="Details">
          <Summary answer={shown} user={user} />
          {shown.timings && <StageBar timings={shown.timings} />}
        </section>
      )}
      <div class={`recall-columns${isDetailed ? ' is-detailed' : ''}`}>
        <div class="stack">
          <Loaded resource={found} label="Searching" rows={8}>
            {(answer) =>
              answer.results.length === 0 ? (
                <NothingFound asked={asked} user={user} />
              ) : (
                <Ranking
                  key={answer.searchId}
                  answer={answer}
                  request={request}
                  isDetailed={isDetailed}
                  {...(earlier && { earlier })}
                  onAgain={() => {
                    version.value += 1;
                    found.reload();
                  }}
                />
              )
            }
          </Loaded>
        </div>
        <ContextCard asked={asked} user={user} found={found} version={version.value} />
      </div>
    </>
  );
}

function NothingFound({ asked, user }: { asked: RecallQuery; user: string | undefined }) {
  const isFiltered =
    asked.minRelevance > 0 || asked.project !== undefined || asked.asOf !== undefined || asked.topic !== undefined;
  return (
    <Empty icon="recall" title="Nothing found">
      <p>
        {isFiltered
          ? 'Nothing fits the options. Lower the least relevance, or leave out the topic, the project or the date.'
          : `Nothing stored${userPhrase('for', user)} shares a word or a meaning with this question.`}
      </p>
      {hasSeveralUsers.value && <p>A search is of one user. To ask for another, choose one above.</p>}
      {asked.strategy !== 'auto' && <p>The strategy looks at some signals only. Try the learned one.</p>}
      {(isFiltered || may('memory')) && (
        <a class="button" href={isFiltered ? hrefOf('recall', { q: asked.query }) : hrefOf('memories', { add: '1' })}>
          {isFiltered ? 'Search without options' : 'Add a memory'}
        </a>
      )}
    </Empty>
  );
}

/** How long each stage of a search took: a bar, and the figures of its parts. */
function StageBar({ timings }: { timings: SearchTimings }) {
  const stages = stagesOf(timings);
  return (
    <section class="stages" aria-label="Time of each stage">
      <div class="stage-bar" aria-hidden="true">
        {stages.map(({ name, share }) => (
          <span key={name} class={`stage-${name}`} style={{ inlineSize: `${share * 100}%` }} />
        ))}
      </div>
      <ul class="legend">
        {stages.map(({ name, label, ms }) => (
          <li key={name}>
            <span class={`legend-color stage-${name}`} aria-hidden="true" />
            {label} <strong>{formatStage(ms)}</strong>
          </li>
        ))}
        <li>
          in all <strong>{formatStage(timings.totalMs)}</strong>
        </li>
      </ul>
    </section>
  );
}

/** `0.42` milliseconds as `0.4 ms`. */
function formatStage(ms: number): string {
  if (ms >= 10) return formatMs(ms);
  return ms < 0.05 ? '< 0.1 ms' : `${ms.toFixed(1)} ms`;
}

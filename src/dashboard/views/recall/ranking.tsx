import { type Signal, useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import type { SearchAnswer, SearchRequest, SearchResult } from '../../../client/client.ts';
import type { EarlierSearch } from '../../earlier-searches.ts';
import { formatCount } from '../../format.ts';
import { likelihoodOf } from '../../ranking-words.ts';
import { useResource } from '../../resource.ts';
import { changeParameters, parameters } from '../../router.ts';
import { currentSession } from '../../session.ts';
import { may } from '../../space.ts';
import { useMarks } from './marks.ts';
import { RankLines } from './rank-lines.tsx';
import { type DefaultPlace, defaultPlaces, movementOf } from './rank-movement.ts';
import { restatementsOf } from './restatements.ts';
import { ResultRow } from './result-row.tsx';
import { Legend } from './signal-bar.tsx';
import { barRange, contributingSignals } from './signal-parts.ts';
import { Teaching } from './teaching.tsx';

/** Results of the second search: newer statements may push those of the first places down. */
const COMPARED = 100;

/**
 * The places of the default order, for a view that `isShown`. Where a result that this search does not show has one, a second search by the default
 * weights says which. Failing that, the place stays unknown.
 */
function useDefaultPlaces(answer: SearchAnswer, request: SearchRequest, isShown: boolean): DefaultPlace[] {
  const known = defaultPlaces(answer.results);
  const hasGaps = known.some(({ result }) => result === undefined);
  const byDefault = useResource(isShown && hasGaps ? answer.searchId : undefined, (signal) =>
    currentSession().client.search({ ...request, strategy: 'default', limit: COMPARED }, { signal }),
  );
  const others = byDefault.state.value.value?.results;
  return others ? defaultPlaces(answer.results, others) : known;
}

interface DefaultOrderProps {
  places: readonly DefaultPlace[];
  pointed: Signal<string | undefined>;
  onOpen(id: string): void;
}

/** The order without learning. */
function DefaultOrder({ places, pointed, onOpen }: DefaultOrderProps) {
  return (
    <ol class="default-order" style={{ gridRow: `2 / span ${places.length}` }}>
      {places.map(({ rank, result, isShown }) => (
        <li
          key={rank}
          class={result && pointed.value === result.id ? 'is-pointed' : ''}
          onPointerEnter={() => (pointed.value = result?.id)}
          onPointerLeave={() => (pointed.value = undefined)}
        >
          <span class="result-rank">{rank}</span>
          {result && isShown && (
            <button type="button" class="default-text" onClick={() => onOpen(result.id)}>
              {result.content}
            </button>
          )}
          {result && !isShown && (
            <span class="default-text is-gone" title="Not among the results of this search">
              {result.content}
            </span>
          )}
          {!result && <span class="hint">A result that is not shown</span>}
        </li>
      ))}
    </ol>
  );
}

interface RankingProps {
  answer: SearchAnswer;
  request: SearchRequest;
  /** Shows the signals of each result, and the default order beside this one. */
  isDetailed: boolean;
  /** The search that this one repeats. */
  earlier?: EarlierSearch;
  /** Searches again, after something was learned or corrected. */
  onAgain(): void;
}

/** The results in their order. The details have the default order beside it, with a line for each result that moved. */
export function Ranking({ answer, request, isDetailed, earlier, onAgain }: RankingProps) {
  const { results } = answer;
  const list = useRef<HTMLOListElement>(null);
  const pointed = useSignal<string | undefined>(undefined);
  const marks = useMarks();
  const isTaught = useSignal(false);
  const openId = parameters.value.get('id') ?? undefined;
  const open = (id: string) => changeParameters({ id: id === openId ? undefined : id }, 'replace');
  const areAllShown = useSignal(false);
  const shown = isDetailed || areAllShown.value ? results : likelyOf(results, openId);
  const range = barRange(results);
  const places = useDefaultPlaces(answer, request, isDetailed);
  const hasMoved = results.some((result) => movementOf(result) !== 0);
  const isCompared = isDetailed && hasMoved;
  const restatements = restatementsOf(results);
  return (
    <section class="card ranking-card" aria-label="Ranking">
      {isDetailed && (
        <div class="ranking-head">
          <Legend names={contributingSignals(results)} hasLosses={range.least < 0} />
          {!hasMoved && <p class="hint">Same as the default order.</p>}
        </div>
      )}
      <div class={`ranking${isCompared ? ' has-moved' : ''}`}>
        {isCompared && (
          <div class="ranking-titles">
            <h2>{answer.learned?.events ? 'Learned order' : 'This order'}</h2>
            <h2>Default order</h2>
          </div>
        )}
        <ol class="ranking-list" ref={list} style={{ gridRow: `2 / span ${results.length}` }}>
          {shown.map((result) => (
            <ResultRow
              key={result.id}
              result={result}
              query={request.query}
              then={earlier?.results.find(({ id }) => id === result.id)}
              askedAt={earlier?.createdAt}
              restatement={restatements.get(result.id)}
              range={isDetailed ? range : undefined}
              isOpen={result.id === openId}
              pointed={pointed}
              marks={marks}
              isTaught={isTaught.value}
              onOpen={() => open(result.id)}
              onCorrected={onAgain}
            />
          ))}
        </ol>
        {isCompared && <RankLines results={results} list={list} pointed={pointed} />}
        {isCompared && <DefaultOrder places={places} pointed={pointed} onOpen={open} />}
      </div>
      {shown.length < results.length && (
        <p class="ranking-more">
          <button type="button" class="link" onClick={() => (areAllShown.value = true)}>
            Show {formatCount(results.length - shown.length, 'result that probably does', 'results that probably do')}{' '}
            not answer
          </button>
        </p>
      )}
      {may('memory') && <Teaching answer={answer} marks={marks} isTaught={isTaught} onAgain={onAgain} />}
    </section>
  );
}

/** The results without those that are unlikely to answer, as long as others do and none of them is open. */
function likelyOf(results: readonly SearchResult[], openId: string | undefined): readonly SearchResult[] {
  const likely = results.filter(({ relevance }) => likelihoodOf(relevance) !== 'unlikely');
  const isOpen = results.some(({ id, relevance }) => id === openId && likelihoodOf(relevance) === 'unlikely');
  return likely.length === 0 || isOpen ? results : likely;
}

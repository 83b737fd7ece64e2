import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import type { SearchAnswer, SearchRequest, SearchResult } from '../../../client/client.ts';
import type { EarlierSearch } from '../../earlier-searches.ts';
import { formatCount } from '../../format.ts';
import { changeParameters, parameters } from '../../router.ts';
import { may } from '../../space.ts';
import { DefaultOrder, useDefaultPlaces } from './default-order.tsx';
import { useMarks } from './marks.ts';
import { RankLines } from './rank-lines.tsx';
import { movementOf } from './rank-movement.ts';
import { restatementsOf } from './restatements.ts';
import { ResultRow } from './result-row.tsx';
import { Legend } from './signal-bar.tsx';
import { barRange, contributingSignals } from './signal-parts.ts';
import { isUnlikely } from './summary.tsx';
import { Teaching } from './teaching.tsx';

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
  const likely = results.filter(({ relevance }) => !isUnlikely(relevance));
  const isOpen = results.some(({ id, relevance }) => id === openId && isUnlikely(relevance));
  return likely.length === 0 || isOpen ? results : likely;
}

import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import type { SearchAnswer, SearchRequest } from '../../../client/client.ts';
import { changeParameters, parameters } from '../../router.ts';
import { DefaultOrder, useDefaultPlaces } from './default-order.tsx';
import type { EarlierSearch } from './earlier-searches.ts';
import { useMarks } from './marks.ts';
import { RankLines } from './rank-lines.tsx';
import { movementOf } from './rank-movement.ts';
import { ResultRow } from './result-row.tsx';
import { Legend } from './signal-bar.tsx';
import { barRange, contributingSignals } from './signal-parts.ts';
import { Teaching } from './teaching.tsx';

interface RankingProps {
  answer: SearchAnswer;
  request: SearchRequest;
  /** The search that this one repeats. */
  earlier?: EarlierSearch;
  /** Searches again, after something was learned. */
  onAgain(): void;
}

/** The results in their order, beside the default order with a line for each result where anything moved. */
export function Ranking({ answer, request, earlier, onAgain }: RankingProps) {
  const { results } = answer;
  const list = useRef<HTMLOListElement>(null);
  const pointed = useSignal<string | undefined>(undefined);
  const marks = useMarks();
  const isTaught = useSignal(false);
  const openId = parameters.value.get('id') ?? undefined;
  const open = (id: string) => changeParameters({ id: id === openId ? undefined : id }, 'replace');
  const range = barRange(results);
  const places = useDefaultPlaces(answer, request);
  const hasMoved = results.some((result) => movementOf(result) !== 0);
  return (
    <section class="card ranking-card" aria-label="Ranking">
      <div class="ranking-head">
        <Legend names={contributingSignals(results)} hasLosses={range.least < 0} />
        {!hasMoved && <p class="hint">Same as the default order.</p>}
      </div>
      <div class={`ranking${hasMoved ? ' has-moved' : ''}`}>
        {hasMoved && (
          <div class="ranking-titles">
            <h2>{answer.learned?.events ? 'Learned order' : 'This order'}</h2>
            <h2>Default order</h2>
          </div>
        )}
        <ol class="ranking-list" ref={list} style={{ gridRow: `2 / span ${results.length}` }}>
          {results.map((result) => (
            <ResultRow
              key={result.id}
              result={result}
              query={request.query}
              then={earlier?.results.find(({ id }) => id === result.id)}
              range={range}
              isOpen={result.id === openId}
              pointed={pointed}
              marks={marks}
              isTaught={isTaught.value}
              onOpen={() => open(result.id)}
            />
          ))}
        </ol>
        {hasMoved && <RankLines results={results} list={list} pointed={pointed} />}
        {hasMoved && <DefaultOrder places={places} pointed={pointed} onOpen={open} />}
      </div>
      <Teaching answer={answer} marks={marks} isTaught={isTaught} onAgain={onAgain} />
    </section>
  );
}

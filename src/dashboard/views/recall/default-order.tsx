import type { Signal } from '@preact/signals';
import type { SearchAnswer, SearchRequest } from '../../../client/client.ts';
import { useResource } from '../../resource.ts';
import { currentSession } from '../../session.ts';
import { type DefaultPlace, defaultPlaces } from './rank-movement.ts';

/** Results of the second search: newer statements may push those of the first places down. */
const COMPARED = 100;

/**
 * The places of the default order, for a view that `isShown`. Where a result that this search does not show has one, a second search by the default
 * weights says which. Failing that, the place stays unknown.
 */
export function useDefaultPlaces(answer: SearchAnswer, request: SearchRequest, isShown: boolean): DefaultPlace[] {
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
export function DefaultOrder({ places, pointed, onOpen }: DefaultOrderProps) {
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

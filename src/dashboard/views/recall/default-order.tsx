import type { Signal } from '@preact/signals';
import type { SearchResult } from '../../../client/client.ts';
import { defaultPlaces } from './rank-movement.ts';

interface DefaultOrderProps {
  results: readonly SearchResult[];
  pointed: Signal<string | undefined>;
  onOpen(id: string): void;
}

/** The order without learning, of which only the results of this search are known. */
export function DefaultOrder({ results, pointed, onOpen }: DefaultOrderProps) {
  return (
    <ol class="default-order" style={{ gridRow: `2 / span ${results.length}` }}>
      {defaultPlaces(results).map(({ rank, result }) => (
        <li
          key={rank}
          class={result && pointed.value === result.id ? 'is-pointed' : ''}
          onPointerEnter={() => (pointed.value = result?.id)}
          onPointerLeave={() => (pointed.value = undefined)}
        >
          <span class="result-rank">{rank}</span>
          {result ? (
            <button type="button" class="default-text" onClick={() => onOpen(result.id)}>
              {result.content}
            </button>
          ) : (
            <span class="hint">A result that is not shown here</span>
          )}
        </li>
      ))}
    </ol>
  );
}

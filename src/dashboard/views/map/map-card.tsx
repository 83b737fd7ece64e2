import type { Memory } from '../../../contract/memories.ts';
import type { MemoryNeighbor } from '../../../contract/neighbors.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { Moment } from '../../parts/moment.tsx';
import type { Resource } from '../../resource.ts';
import { changeParameters, hrefOf, hrefWith } from '../../router.ts';
import { Icon } from '../../shell/icon.tsx';
import { groupBy } from './map-graph.ts';

/** A memory with what is related to it. */
export interface RelatedMemory {
  memory: Memory;
  neighbors: readonly MemoryNeighbor[];
}

interface MapCardProps {
  related: Resource<RelatedMemory>;
  /** Whether a memory is on the map. */
  isOnMap(id: string): boolean;
}

const RELATIONS: Record<MemoryNeighbor['relation'], string> = {
  supersededBy: 'Superseded by',
  supersedes: 'Supersedes',
  source: 'From the same source',
  episode: 'From the same episode',
  similar: 'Similar',
};

/** The selected memory and the memories related to it. */
export function MapCard({ related, isOnMap }: MapCardProps) {
  return (
    <section class="card map-card" aria-labelledby="map-card-title">
      <h2 id="map-card-title" class="unseen">
        Selected memory
      </h2>
      <button
        type="button"
        class="icon-button map-card-close"
        aria-label="Clear the selection"
        onClick={() => changeParameters({ id: undefined })}
      >
        <Icon name="close" size={16} />
      </button>
      <Loaded resource={related} label="Loading the memory" rows={3}>
        {({ memory, neighbors }) => (
          <>
            <p class="content map-card-text">{memory.content}</p>
            <p class="chips">
              {memory.validTo !== null && <span class="chip is-danger">superseded</span>}
              {memory.tags.map((tag) => (
                <a key={tag} class="chip" href={hrefWith({ tag })} title="Show this tag alone">
                  {tag}
                </a>
              ))}
              <span class="hint">
                <Moment at={memory.occurredAt ?? memory.createdAt} />
              </span>
            </p>
            {!isOnMap(memory.id) && <p class="hint">This memory is not among those on the map.</p>}
            <p>
              <a href={hrefOf('memories', { id: memory.id })}>Open in Memories</a>
            </p>
            <Relations neighbors={neighbors} isOnMap={isOnMap} />
          </>
        )}
      </Loaded>
    </section>
  );
}

function Relations({ neighbors, isOnMap }: Pick<MapCardProps, 'isOnMap'> & Pick<RelatedMemory, 'neighbors'>) {
  if (neighbors.length === 0) return <p class="hint">No other memory is related to this one.</p>;
  return (
    <>
      {[...groupBy(neighbors, ({ relation }) => relation)].map(([relation, members]) => (
        <section key={relation}>
          <h3 class="hint">{RELATIONS[relation]}</h3>
          <ul class="map-related">
            {members.map(({ memory: { id, content } }) => (
              <li key={id}>
                <a class="content" href={isOnMap(id) ? hrefWith({ id }) : hrefOf('memories', { id })}>
                  {content}
                </a>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </>
  );
}

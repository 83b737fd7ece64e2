import type { MemoryNeighbor } from '../../../client/client.ts';
import { formatShare } from '../../format.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { useResource } from '../../resource.ts';
import { hrefWith } from '../../router.ts';
import { currentSession } from '../../session.ts';

const TITLES: Record<MemoryNeighbor['relation'], string> = {
  supersededBy: 'Replaced by',
  supersedes: 'Replaces',
  source: 'From the same conversation',
  episode: 'From the same episode',
  similar: 'Similar',
};
const RELATIONS = Object.keys(TITLES) as MemoryNeighbor['relation'][];
const MAX_OF_EACH = 5;
const MAX_CHARACTERS = 200;

/** The memories around one: what it replaced and what replaced it, where it comes from, and what is alike. */
export function RelatedMemories({ id }: { id: string }) {
  const resource = useResource(id, async (signal) => {
    const { data } = await currentSession().client.memories.neighbors(id, { limit: MAX_OF_EACH }, { signal });
    return data;
  });
  return (
    <Loaded resource={resource} label="Loading related memories" rows={2}>
      {(neighbors) =>
        RELATIONS.map((relation) => (
          <Relation
            key={relation}
            title={TITLES[relation]}
            neighbors={neighbors.filter((one) => one.relation === relation)}
          />
        ))
      }
    </Loaded>
  );
}

function Relation({ title, neighbors }: { title: string; neighbors: readonly MemoryNeighbor[] }) {
  if (neighbors.length === 0) return null;
  return (
    <section class="related">
      <h3>{title}</h3>
      <ul>
        {neighbors.map(({ memory, similarity }) => (
          <li key={memory.id}>
            <a href={hrefWith({ id: memory.id, edit: undefined })}>
              <span class="row-text">{memory.content.slice(0, MAX_CHARACTERS)}</span>
              {similarity !== undefined && <span class="row-meta">{formatShare(similarity)}</span>}
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}

import type { Memory, MemoryNeighbor } from '../../../client/client.ts';
import { describeError } from '../../errors.ts';
import { formatShare } from '../../format.ts';
import { confirm } from '../../parts/confirmation.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { showToast } from '../../parts/toasts.tsx';
import { useResource } from '../../resource.ts';
import { changeParameters, hrefWith } from '../../router.ts';
import { currentSession, endSessionOn } from '../../session.ts';
import { may } from '../../space.ts';
import { supersede } from '../../superseding.ts';

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
export function RelatedMemories({ memory }: { memory: Memory }) {
  const { id } = memory;
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
            relation={relation}
            of={memory}
            neighbors={neighbors.filter((one) => one.relation === relation)}
          />
        ))
      }
    </Loaded>
  );
}

interface RelationProps {
  relation: MemoryNeighbor['relation'];
  of: Memory;
  neighbors: readonly MemoryNeighbor[];
}

function Relation({ relation, of, neighbors }: RelationProps) {
  if (neighbors.length === 0) return null;
  // Without vectors, those are alike that share words which few others have.
  const byWords = relation === 'similar' && neighbors.every(({ similarity }) => similarity === undefined);
  const mayReplace = relation === 'similar' && of.validTo === null && may('memory');
  return (
    <section class="related">
      <h3>{byWords ? 'With the same words' : TITLES[relation]}</h3>
      <ul>
        {neighbors.map(({ memory, similarity }) => (
          <li key={memory.id} class="bar">
            <a href={hrefWith({ id: memory.id, edit: undefined })}>
              <span class="row-text">{memory.content.slice(0, MAX_CHARACTERS)}</span>
              {similarity !== undefined && <span class="row-meta">{formatShare(similarity)}</span>}
            </a>
            {mayReplace && (
              <button type="button" class="link hint" onClick={() => void replaceBy(of, memory)}>
                Replace by this
              </button>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Asks whether another memory holds in place of this one, and shows it then. */
async function replaceBy(older: Memory, { id, content }: Memory): Promise<void> {
  const text = `“${content.slice(0, MAX_CHARACTERS)}” replaces it. It stays in the history, and searches no longer find it.`;
  if (!(await confirm({ title: 'Mark this memory as outdated?', text, yes: 'Mark as outdated' }))) return;
  try {
    await supersede(older, { content });
    changeParameters({ id });
    showToast('Marked as outdated.');
  } catch (error) {
    endSessionOn(error);
    showToast(describeError(error), 'error');
  }
}

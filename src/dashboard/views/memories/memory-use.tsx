import { formatCount } from '../../format.ts';
import { useResource } from '../../resource.ts';
import { currentSession } from '../../session.ts';

/** How often searches showed a memory and how often that helped. Left out while it is not known. */
export function MemoryUse({ id }: { id: string }) {
  const { state } = useResource(id, (signal) => currentSession().client.memories.use(id, { signal }));
  const use = state.value.value;
  if (!use) return null;
  const { shown, used } = use;
  if (shown === 0) return <p class="hint">No search has shown it yet.</p>;
  return (
    <p class="hint">
      Shown in {formatCount(shown, 'search', 'searches')}, used{' '}
      {used === 0 ? 'in none' : formatCount(used, 'time', 'times')}.
    </p>
  );
}

import { useSignal } from '@preact/signals';
import type { MemoryStats } from '../../../client/client.ts';
import { formatNumber } from '../../format.ts';
import { changeParameters, type ViewParameters } from '../../router.ts';
import { type ListState, NO_FILTERS } from './list-state.ts';

/** Values that a facet shows until asked for the others. */
const SHOWN_VALUES = 8;

const SOURCES: Record<string, string> = {
  message: 'A message',
  episode: 'An episode',
  conversation: 'A conversation',
  none: 'Elsewhere',
};

interface FacetValue {
  name: string;
  count: number;
  isChosen: boolean;
  /** What choosing the value changes; absent where the list cannot be filtered by it. */
  changes?: ViewParameters;
}

/** What the memories are filed under, with counts. Choosing a value filters the list by it, and again removes it. */
export function Facets({ state, stats }: { state: ListState; stats: MemoryStats }) {
  const { users, tags, projects, sources, states } = stats.facets;
  const chosenTags = state.tags.filter((tag) => !tags.some(({ value }) => value === tag));
  return (
    <div class="facets">
      <Facet
        title="Show"
        values={[
          { name: 'Current', count: states.current, isChosen: state.show === 'current', changes: { show: undefined } },
          {
            name: 'Pinned',
            count: states.pinned,
            isChosen: state.show === 'pinned',
            changes: { ...NO_ORDER, show: state.show === 'pinned' ? undefined : 'pinned' },
          },
          {
            name: 'With superseded',
            count: states.superseded,
            isChosen: state.show === 'all',
            changes: { show: state.show === 'all' ? undefined : 'all' },
          },
        ]}
      />
      <Facet
        title="Tags"
        values={[...chosenTags.map((value) => ({ value, count: 0 })), ...tags].map(({ value, count }) => {
          const isChosen = state.tags.includes(value);
          const others = state.tags.filter((tag) => tag !== value);
          return { name: value, count, isChosen, changes: { tag: isChosen ? others : [...others, value] } };
        })}
      />
      <Facet
        title="Projects"
        values={projects.map(({ value, count }) => {
          const isChosen = state.project === value;
          return { name: value, count, isChosen, changes: { project: isChosen ? undefined : value } };
        })}
      />
      {(users.length > 1 || state.user !== undefined) && (
        <Facet
          title="Users"
          values={users.map(({ value, count }) => {
            const isChosen = state.user === value;
            return { name: value, count, isChosen, changes: { user: isChosen ? undefined : value } };
          })}
        />
      )}
      {sources.some(({ value }) => value !== 'none') && (
        <Facet
          title="Comes from"
          values={sources.map(({ value, count }) => ({ name: SOURCES[value] ?? value, count, isChosen: false }))}
        />
      )}
    </div>
  );
}

const NO_ORDER = { orderBy: NO_FILTERS.orderBy, order: NO_FILTERS.order };

function Facet({ title, values }: { title: string; values: readonly FacetValue[] }) {
  const isOpen = useSignal(false);
  if (values.length === 0) return null;
  const shown = values.filter(({ isChosen }, index) => isOpen.value || isChosen || index < SHOWN_VALUES);
  return (
    <section class="facet">
      <h2>{title}</h2>
      <ul>
        {shown.map((value) => (
          <li key={value.name}>
            <FacetRow {...value} />
          </li>
        ))}
      </ul>
      {values.length > shown.length && (
        <button type="button" class="link hint" onClick={() => (isOpen.value = true)}>
          {formatNumber(values.length - shown.length)} more
        </button>
      )}
    </section>
  );
}

function FacetRow({ name, count, isChosen, changes }: FacetValue) {
  const content = (
    <>
      <span class="facet-name">{name}</span>
      <span class="facet-count">{formatNumber(count)}</span>
    </>
  );
  if (!changes) return <p class="facet-row">{content}</p>;
  return (
    <button type="button" class="facet-row" aria-pressed={isChosen} onClick={() => changeParameters(changes)}>
      {content}
    </button>
  );
}

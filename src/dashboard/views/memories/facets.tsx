import { useSignal } from '@preact/signals';
import { titleOfClient } from '../../../cli/assistants/assistant-names.ts';
import type { MemoryStats } from '../../../client/client.ts';
import {
  EXPIRES_SOON_DAYS,
  EXPIRIES,
  type Expiry,
  SOURCE_KINDS,
  type SourceKind,
} from '../../../contract/memory-filters.ts';
import { formatNumber } from '../../format.ts';
import { changeParameters, type ViewParameters } from '../../router.ts';
import { type ListState, NO_FILTERS } from './list-state.ts';

/** Values that a facet shows until asked for the others. */
const SHOWN_VALUES = 8;

const KINDS: Record<SourceKind, string> = {
  message: 'Message',
  episode: 'Episode',
  conversation: 'Conversation',
  none: 'None',
};
const EXPIRY_TITLES: Record<Expiry, string> = { soon: `Within ${EXPIRES_SOON_DAYS} days`, any: 'At any time' };

interface FacetValue {
  name: string;
  /** Shown instead of the name. */
  title?: string;
  count: number;
  isChosen: boolean;
  /** Query parameters that choosing the value sets. */
  changes: ViewParameters;
}

/**
 * Facets of the memories, with counts unless these are not of what the list shows. Choosing a value filters the list; choosing it
 * again removes the filter.
 */
export function Facets({ state, stats, hasCounts }: { state: ListState; stats: MemoryStats; hasCounts: boolean }) {
  const { users, tags, projects, sources, clients, states } = stats.facets;
  const countOf = new Map<string, number>(sources.map(({ value, count }) => [value, count]));
  const expiring = { soon: states.expiringSoon, any: states.expiring };
  const chosenTags = state.tags.filter((tag) => !tags.some(({ value }) => value === tag));
  return (
    <div class={`facets${hasCounts ? '' : ' is-uncounted'}`}>
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
            count: states.current + states.superseded,
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
      <Facet
        title="Stored by"
        values={withChosen(clients, state.client).map(({ value, count }) => {
          const isChosen = state.client === value;
          const changes = { client: isChosen ? undefined : value };
          return { name: value, title: titleOfClient(value), count, isChosen, changes };
        })}
      />
      {(sources.some(({ value }) => value !== 'none') || state.sourceKind !== undefined) && (
        <Facet
          title="Source"
          values={SOURCE_KINDS.filter((kind) => countOf.has(kind) || kind === state.sourceKind).map((kind) => {
            const isChosen = state.sourceKind === kind;
            const changes = { sourceKind: isChosen ? undefined : kind };
            return { name: KINDS[kind], count: countOf.get(kind) ?? 0, isChosen, changes };
          })}
        />
      )}
      {(states.expiring > 0 || state.expires !== undefined) && (
        <Facet
          title="Expires"
          values={EXPIRIES.map((expiry) => {
            const isChosen = state.expires === expiry;
            const changes = { expires: isChosen ? undefined : expiry };
            return { name: EXPIRY_TITLES[expiry], count: expiring[expiry], isChosen, changes };
          })}
        />
      )}
    </div>
  );
}

type Counts = MemoryStats['facets']['clients'];

/** The values of a facet, and the chosen one where no memory has it. */
function withChosen(values: Counts, chosen: string | undefined): Counts {
  if (chosen === undefined || values.some(({ value }) => value === chosen)) return values;
  return [{ value: chosen, count: 0 }, ...values];
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

function FacetRow({ name, title = name, count, isChosen, changes }: FacetValue) {
  return (
    <button type="button" class="facet-row" aria-pressed={isChosen} onClick={() => changeParameters(changes)}>
      <span class="facet-name">{title}</span>
      <span class="facet-count">{formatNumber(count)}</span>
    </button>
  );
}

import { SearchField } from '../../parts/search-field.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { changeParameters, type ViewParameters } from '../../router.ts';
import { Icon } from '../../shell/icon.tsx';
import type { Grouping } from './map-graph.ts';
import type { MapState } from './map-memories.ts';

const FIND_PAUSE_MS = 80;
const GROUPING_TABS: { name: Grouping; title: string }[] = [
  { name: 'tag', title: 'Tags' },
  { name: 'project', title: 'Projects' },
  { name: 'conversation', title: 'Conversations' },
];

interface MapToolbarProps {
  state: MapState;
  grouping: Grouping;
  /** Names of conversations, by id. */
  names: ReadonlyMap<string, string>;
}

/** Finds memories on the map, chooses its groups and what it leaves out. */
export function MapToolbar({ state, grouping, names }: MapToolbarProps) {
  const { query, isCurrentOnly, tag, project, source } = state;
  const filters: { text: string; changes: ViewParameters }[] = [
    ...(tag === undefined ? [] : [{ text: `tag: ${tag}`, changes: { tag: undefined } }]),
    ...(project === undefined ? [] : [{ text: `project: ${project}`, changes: { project: undefined } }]),
    ...(source === undefined
      ? []
      : [{ text: `from: ${names.get(source) ?? 'one source'}`, changes: { source: undefined } }]),
  ];
  return (
    <div class="bar map-toolbar">
      <SearchField label="Find on the map" query={query} pauseMs={FIND_PAUSE_MS} />
      <Tabs label="Group by" tabs={GROUPING_TABS} chosen={grouping} onChoose={(by) => changeParameters({ by })} />
      <label class="check">
        <input
          type="checkbox"
          checked={!isCurrentOnly}
          onChange={() => changeParameters({ show: isCurrentOnly ? undefined : 'current' })}
        />
        Superseded
      </label>
      {filters.map(({ text, changes }) => (
        <button key={text} type="button" class="chip is-accent" onClick={() => changeParameters(changes)}>
          <span class="filter-text">{text}</span>
          <Icon name="close" size={12} />
          <span class="unseen">(remove)</span>
        </button>
      ))}
    </div>
  );
}

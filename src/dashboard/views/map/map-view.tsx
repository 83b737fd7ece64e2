import { useEffect, useMemo, useRef } from 'preact/hooks';
import { conversationName } from '../../conversation-name.ts';
import { formatCount, formatNumber } from '../../format.ts';
import { onChanges } from '../../live.ts';
import { Empty } from '../../parts/empty.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { SearchField } from '../../parts/search-field.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { useResource } from '../../resource.ts';
import { changeParameters, hrefOf, hrefWith, parameters, type ViewParameters } from '../../router.ts';
import { currentSession } from '../../session.ts';
import { Icon } from '../../shell/icon.tsx';
import { hrefOfConnecting, may } from '../../space.ts';
import { MapCanvas } from './map-canvas.tsx';
import { MapCard, type RelatedMemory } from './map-card.tsx';
import { bestGrouping, type Grouping, groupMemories, linkMemories, type MapGroup } from './map-graph.ts';
import { layOut, type MapLayout } from './map-layout.ts';
import { MapList } from './map-list.tsx';
import {
  loadMapMemories,
  type MapMemories,
  type MapState,
  mapFilterOf,
  mapStateOf,
  matchingIds,
} from './map-memories.ts';

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

const NEIGHBORS = 8;
const TITLED_CONVERSATIONS = 200;
const NO_NAMES: ReadonlyMap<string, string> = new Map();

/** The map: memories as dots near those they share a tag, project or conversation with, and a list of them. */
export function View() {
  const { client } = currentSession();
  const key = JSON.stringify(mapStateOf(parameters.value));
  const state = useMemo(() => mapStateOf(parameters.value), [key]);
  const filter = mapFilterOf(state);
  const loaded = useResource(JSON.stringify(filter), (signal) => loadMapMemories(client, filter, signal));
  useEffect(() => onChanges(['memory'], loaded.reload), [loaded.reload]);
  const found = loaded.state.value.value;
  const grouping = useMemo(() => state.grouping ?? bestGrouping(found?.memories ?? []), [state.grouping, found]);
  const needsTitles = grouping === 'conversation' || state.source !== undefined;
  const titles = useResource(needsTitles ? 'titles' : undefined, async (signal) => {
    const { data } = await client.conversations.list({ limit: TITLED_CONVERSATIONS }, { signal });
    return new Map(data.map((conversation) => [conversation.id, conversationName(conversation)]));
  });
  const names = titles.state.value.value ?? NO_NAMES;
  return (
    <div class="map stack">
      <MapToolbar state={state} grouping={grouping} names={names} />
      <Loaded resource={loaded} label="Loading memories">
        {(found) =>
          found.memories.length === 0 ? (
            <NoMap state={state} />
          ) : (
            <LoadedMap found={found} grouping={grouping} query={state.query} names={names} />
          )
        }
      </Loaded>
    </div>
  );
}

interface LoadedMapProps {
  found: MapMemories;
  grouping: Grouping;
  query: string;
  names: ReadonlyMap<string, string>;
}

function LoadedMap({ found: { memories, total }, grouping, query, names }: LoadedMapProps) {
  const { client } = currentSession();
  const selected = parameters.value.get('id') ?? undefined;
  const previous = useRef<MapLayout | undefined>(undefined);
  const groups = useMemo(() => groupMemories(memories, grouping), [memories, grouping]);
  const layout = useMemo(() => {
    previous.current = layOut(groups, linkMemories(memories), previous.current);
    return previous.current;
  }, [memories, groups]);
  const groupNames = useMemo(() => groups.map((group) => nameOf(group, grouping, names)), [groups, grouping, names]);
  const related = useResource<RelatedMemory>(selected, async (signal) => {
    const [memory, { data }] = await Promise.all([
      client.memories.get(selected!, { signal }),
      client.memories.neighbors(selected!, { limit: NEIGHBORS }, { signal }),
    ]);
    return { memory, neighbors: data };
  });
  const shown = related.state.value.value;
  const similar = useMemo(
    () => (shown?.neighbors ?? []).filter(({ relation }) => relation === 'similar').map(({ memory }) => memory.id),
    [shown],
  );
  const matching = useMemo(() => matchingIds(memories, query), [memories, query]);
  const bright = useMemo(() => {
    if (matching || !shown || !layout.byId.has(shown.memory.id)) return matching;
    return new Set([shown.memory.id, ...shown.neighbors.map(({ memory }) => memory.id)]);
  }, [matching, shown, layout]);
  const select = (id: string | undefined) => changeParameters({ id });
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key === 'Escape' && !(event.target as Element).closest('dialog, input')) select(undefined);
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, []);
  const count = formatCount(memories.length, 'memory', 'memories');
  return (
    <div class="map-body">
      <div class="map-stage">
        <MapCanvas
          label={`Map of ${count} in ${formatCount(groups.length, 'group', 'groups')}. The list has the same memories.`}
          layout={layout}
          groupNames={groupNames}
          selected={selected}
          bright={bright}
          similar={similar}
          onSelect={select}
        />
        {selected !== undefined && <MapCard related={related} isOnMap={(id) => layout.byId.has(id)} />}
      </div>
      <div class="map-side">
        <h2 class="unseen">Memories on the map</h2>
        <p class="hint" role="status">
          {matching ? `${formatNumber(matching.size)} of ${count} found` : describeCount(memories.length, total)}
        </p>
        <MapList groups={groups} groupNames={groupNames} bright={matching} selected={selected} />
      </div>
    </div>
  );
}

function describeCount(shown: number, total: number): string {
  if (shown === total) return formatCount(total, 'memory', 'memories');
  return `The newest ${formatNumber(shown)} of ${formatCount(total, 'memory', 'memories')}`;
}

const WITHOUT: Record<Grouping, string> = {
  tag: 'No tag',
  project: 'No project',
  conversation: 'No conversation',
};

function nameOf({ kind, key }: MapGroup, grouping: Grouping, names: ReadonlyMap<string, string>): string {
  if (kind === 'rest') return 'Smaller groups';
  if (kind === 'none') return WITHOUT[grouping];
  return grouping === 'conversation' ? (names.get(key) ?? 'An older conversation') : key;
}

function NoMap({ state: { tag, project, source } }: { state: MapState }) {
  if (tag !== undefined || project !== undefined || source !== undefined) {
    return (
      <Empty icon="map" title="No memory passes these filters">
        <a class="button" href={hrefWith({ tag: undefined, project: undefined, source: undefined })}>
          Clear filters
        </a>
      </Empty>
    );
  }
  return (
    <Empty icon="map" title="The map is empty">
      <p>Each memory becomes a dot, near those it shares a tag, a project or a conversation with.</p>
      <div class="buttons">
        {may('memory') && (
          <a class="button primary" href={hrefOf('memories', { add: '1' })}>
            Add a memory
          </a>
        )}
        <a class="button" href={hrefOfConnecting()}>
          Connect an assistant
        </a>
      </div>
    </Empty>
  );
}

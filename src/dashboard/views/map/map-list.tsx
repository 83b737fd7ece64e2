import { useMemo } from 'preact/hooks';
import type { Memory } from '../../../contract/memories.ts';
import { formatNumber } from '../../format.ts';
import { VirtualList } from '../../parts/virtual-list.tsx';
import { changeParameters } from '../../router.ts';
import { coloredCount, type MapGroup } from './map-graph.ts';

type MapRow = { kind: 'heading'; text: string } | { kind: 'memory'; memory: Memory; color: number | undefined };

/** A row shows the beginning of a text. */
const MAX_CHARACTERS = 200;

interface MapListProps {
  groups: readonly MapGroup[];
  groupNames: readonly string[];
  /** The memories to list; all of them if undefined. */
  bright: ReadonlySet<string> | undefined;
  selected: string | undefined;
}

/** The memories of the map in their groups. Moving through it by keyboard selects them on the map. */
export function MapList({ groups, groupNames, bright, selected }: MapListProps) {
  const rows = useMemo(
    () =>
      groups.flatMap(({ memories }, group): MapRow[] => {
        const color = group < coloredCount(groups) ? group + 1 : undefined;
        const shown = memories.filter(({ id }) => bright?.has(id) ?? true);
        if (shown.length === 0) return [];
        return [
          { kind: 'heading', text: `${groupNames[group]!} · ${formatNumber(shown.length)}` },
          ...shown.map((memory): MapRow => ({ kind: 'memory', memory, color })),
        ];
      }),
    [groups, groupNames, bright],
  );
  const keyOf = (row: MapRow) => (row.kind === 'memory' ? row.memory.id : `heading ${row.text}`);
  return (
    <VirtualList<MapRow>
      label="Memories on the map"
      rows={rows}
      total={rows.length}
      keyOf={keyOf}
      activeKey={selected}
      headingOf={(row) => (row.kind === 'heading' ? row.text : undefined)}
      onMore={() => {}}
      onOpen={(row) => row.kind === 'memory' && changeParameters({ id: row.memory.id })}
      onActive={(row) => row.kind === 'memory' && changeParameters({ id: row.memory.id }, 'replace')}
      renderRow={renderRow}
    />
  );
}

function renderRow(row: MapRow) {
  if (row.kind === 'heading') return row.text;
  const { content, validTo } = row.memory;
  return (
    <>
      <GroupDot color={row.color} isPast={validTo !== null} />
      <span class={`row-text${validTo === null ? '' : ' is-past'}`}>{content.slice(0, MAX_CHARACTERS)}</span>
      {validTo !== null && <span class="chip">superseded</span>}
    </>
  );
}

/** A dot in the color of a group. */
function GroupDot({ color, isPast }: { color: number | undefined; isPast: boolean }) {
  return <span class={`map-dot${color ? ` is-${color}` : ''}${isPast ? ' is-past' : ''}`} aria-hidden="true" />;
}

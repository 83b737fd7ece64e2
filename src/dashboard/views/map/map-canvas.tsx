import { useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { Icon } from '../../shell/icon.tsx';
import type { LinkKind } from './map-graph.ts';
import type { MapLayout, MapNode } from './map-layout.ts';
import { MapStage, type StageMarks } from './map-stage.ts';
import type { Point } from './viewport.ts';

interface MapCanvasProps extends StageMarks {
  label: string;
  layout: MapLayout;
  groupNames: readonly string[];
  onSelect(id: string | undefined): void;
}

const ZOOM_STEP = 1.5;
const HOVER_LENGTH = 160;

/** The map itself, for pointers. The list beside it is the way for the keyboard and for assistive technology. */
export function MapCanvas({ label, layout, groupNames, selected, bright, similar, onSelect }: MapCanvasProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const stage = useRef<MapStage | undefined>(undefined);
  const hovered = useSignal<{ node: MapNode; at: Point } | undefined>(undefined);
  const isShown = useSignal(false);
  const select = useRef(onSelect);
  select.current = onSelect;
  useEffect(() => {
    const made = new MapStage(canvas.current!, {
      onHover: (node) => (hovered.value = node),
      onSelect: (node) => select.current(node?.memory.id),
      onShown: () => (isShown.value = true),
    });
    stage.current = made;
    return () => made.close();
  }, []);
  useEffect(() => stage.current!.show(layout, groupNames), [layout, groupNames]);
  const marks = useMemo(() => ({ selected, bright, similar }), [selected, bright, similar]);
  useEffect(() => stage.current!.mark(marks), [marks, layout]);
  return (
    <div class="map-canvas">
      <canvas ref={canvas} role="img" aria-label={label} />
      {!isShown.value && (
        <p class="map-arranging hint" role="status">
          Arranging…
        </p>
      )}
      {hovered.value && <HoverLabel {...hovered.value} />}
      <Legend links={layout.links} hasSimilar={similar.length > 0} />
      <div class="map-zoom">
        <button type="button" class="icon-button" aria-label="Zoom in" onClick={() => stage.current!.zoom(ZOOM_STEP)}>
          <Icon name="plus" size={16} />
        </button>
        <button
          type="button"
          class="icon-button"
          aria-label="Zoom out"
          onClick={() => stage.current!.zoom(1 / ZOOM_STEP)}
        >
          <Icon name="minus" size={16} />
        </button>
        <button type="button" class="icon-button" aria-label="Show everything" onClick={() => stage.current!.fit()}>
          <Icon name="fit" size={16} />
        </button>
      </div>
    </div>
  );
}

/** Explains the lines of the map. */
function Legend({ links, hasSimilar }: { links: MapLayout['links']; hasSimilar: boolean }) {
  const kinds = new Set<LinkKind | 'similar'>(links.map(({ kind }) => kind));
  if (hasSimilar) kinds.add('similar');
  return (
    <ul class="map-legend hint">
      {Object.entries(LINK_TITLES)
        .filter(([kind]) => kinds.has(kind as LinkKind))
        .map(([kind, title]) => (
          <li key={kind} class={`is-${kind}`}>
            {title}
          </li>
        ))}
    </ul>
  );
}

const LINK_TITLES: Record<LinkKind | 'similar', string> = {
  supersedes: 'supersedes',
  source: 'same source',
  episode: 'same episode',
  similar: 'similar',
};

function HoverLabel({ node, at }: { node: MapNode; at: Point }) {
  return (
    <p
      class="map-hover content"
      aria-hidden="true"
      style={{ insetInlineStart: `${at.x}px`, insetBlockStart: `${at.y}px` }}
    >
      {node.memory.content.slice(0, HOVER_LENGTH)}
    </p>
  );
}

import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import type { Bucket } from './buckets.ts';

interface HistogramProps {
  /** Title of the counts, such as `Memories by time`. */
  label: string;
  buckets: readonly Bucket[];
  /** The first and the last selected bucket; undefined while all are. */
  range: readonly [first: number, last: number] | undefined;
  /** Describes a bucket: its time and its count. */
  describe(bucket: Bucket): string;
  /** Formats the time below the first and the last bar. */
  formatTime(epochMs: number): string;
  onSelect(range: readonly [first: number, last: number] | undefined): void;
}

const HEIGHT = 44;
const BAR = 10;
const GAP = 1.5;
/** Buckets that Page Up and Page Down move an end of the range by. */
const PAGE = 10;

/** Bars over time. Dragging over them, or moving the two ends with the arrow keys, selects a range. */
export function Histogram({ label, buckets, range, describe, formatTime, onSelect }: HistogramProps) {
  const plot = useRef<HTMLDivElement>(null);
  const drag = useSignal<readonly [from: number, to: number] | undefined>(undefined);
  const hovered = useSignal<number | undefined>(undefined);
  const most = Math.max(1, ...buckets.map(({ count }) => count));
  const end = buckets.length - 1;
  const shown = drag.value ? ordered(drag.value) : range;
  const [first, last] = shown ?? [0, end];
  const bucketAt = (event: PointerEvent) => {
    const box = plot.current!.getBoundingClientRect();
    const at = Math.floor(((event.clientX - box.left) / box.width) * buckets.length);
    return Math.max(0, Math.min(end, at));
  };
  const select = (from: number, to: number) => onSelect(from === 0 && to === end ? undefined : [from, to]);
  const read = hovered.value === undefined ? undefined : buckets[hovered.value];
  return (
    <figure class="histogram" aria-label={label}>
      <div
        ref={plot}
        class="histogram-plot"
        onPointerDown={(event) => {
          if (event.button !== 0) return;
          event.currentTarget.setPointerCapture(event.pointerId);
          // An end of the range is dragged while the other one stays.
          const name = (event.target as Element).getAttribute('aria-label');
          const fixed = name === 'From' ? last : name === 'To' ? first : bucketAt(event);
          drag.value = [fixed, bucketAt(event)];
        }}
        onPointerMove={(event) => {
          hovered.value = bucketAt(event);
          if (drag.value) drag.value = [drag.value[0], bucketAt(event)];
        }}
        onPointerUp={() => {
          if (drag.value) select(...ordered(drag.value));
          drag.value = undefined;
        }}
        onPointerCancel={() => (drag.value = undefined)}
        onPointerLeave={() => (hovered.value = undefined)}
      >
        <svg viewBox={`0 0 ${buckets.length * BAR} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
          {buckets.map(({ fromMs, count }, index) => {
            const height = count === 0 ? 0 : Math.max(2, (count / most) * HEIGHT);
            const isIn = index >= first && index <= last;
            return (
              <rect
                key={fromMs}
                class={isIn ? 'is-in' : ''}
                x={index * BAR + GAP / 2}
                y={HEIGHT - height}
                width={BAR - GAP}
                height={height}
              />
            );
          })}
        </svg>
        {(['From', 'To'] as const).map((name) => {
          const isFrom = name === 'From';
          const at = isFrom ? first : last;
          return (
            <span
              key={name}
              class={`histogram-end${shown ? ' is-set' : ''}`}
              role="slider"
              tabIndex={0}
              aria-label={name}
              aria-valuemin={0}
              aria-valuemax={end}
              aria-valuenow={at}
              aria-valuetext={describe(buckets[at]!)}
              style={{ insetInlineStart: `${(100 * (isFrom ? at : at + 1)) / buckets.length}%` }}
              onKeyDown={(event) => {
                const next = movedBy(event.key, at, end);
                if (next === undefined) return;
                event.preventDefault();
                event.stopPropagation();
                if (isFrom) select(Math.min(next, last), last);
                else select(first, Math.max(next, first));
              }}
            />
          );
        })}
      </div>
      <figcaption class="histogram-caption" aria-hidden="true">
        <span>{formatTime(buckets[0]!.fromMs)}</span>
        <strong>{read && describe(read)}</strong>
        <span>{formatTime(buckets[end]!.toMs - 1)}</span>
      </figcaption>
    </figure>
  );
}

function ordered([one, other]: readonly [number, number]): [number, number] {
  return one <= other ? [one, other] : [other, one];
}

/** Where a key moves an end of the range to; undefined for other keys. */
function movedBy(key: string, at: number, end: number): number | undefined {
  const targets: Record<string, number> = {
    ArrowLeft: at - 1,
    ArrowDown: at - 1,
    ArrowRight: at + 1,
    ArrowUp: at + 1,
    PageDown: at - PAGE,
    PageUp: at + PAGE,
    Home: 0,
    End: end,
  };
  const target = targets[key];
  return target === undefined ? undefined : Math.max(0, Math.min(end, target));
}

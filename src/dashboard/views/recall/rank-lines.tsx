import { type Signal, useSignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useLayoutEffect } from 'preact/hooks';
import type { SearchResult } from '../../../client/client.ts';
import { formatOrdinal } from '../../format.ts';
import { type RankLine, rankLines } from './rank-movement.ts';

const WIDTH = 88;
/** Length of the line to a place beyond the last one. */
const FAR_LENGTH = 26;
/** The middle of a rank's figure, from the top of its row. */
const RANK_MIDDLE = 22;

interface RankLinesProps {
  results: readonly SearchResult[];
  list: RefObject<HTMLOListElement | null>;
  pointed: Signal<string | undefined>;
}

/** Lines from each result to its place in the default order. Each row says the same in words. */
export function RankLines({ results, list, pointed }: RankLinesProps) {
  const size = useSignal<{ tops: number[]; height: number }>({ tops: [], height: 0 });
  useLayoutEffect(() => {
    const element = list.current!;
    const measure = () => {
      const rows = [...element.children] as HTMLElement[];
      size.value = { tops: rows.map((row) => row.offsetTop + RANK_MIDDLE), height: element.offsetHeight };
    };
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    measure();
    return () => observer.disconnect();
  }, [results]);
  const { tops, height } = size.value;
  const lines = rankLines(results, tops);
  // The pointed line is drawn last, above the others.
  const ordered = lines.toSorted((a, b) => Number(a.id === pointed.value) - Number(b.id === pointed.value));
  return (
    <div class="rank-lines" style={{ gridRow: `2 / span ${results.length}` }} aria-hidden="true">
      <svg width={WIDTH} height={height} viewBox={`0 0 ${WIDTH} ${height}`} aria-hidden="true" focusable="false">
        {ordered.map((line) => (
          <g key={line.id} class={classOf(line, pointed.value)}>
            <path d={pathOf(line)} />
            {line.toY === undefined && (
              <text x={FAR_LENGTH + 5} y={line.fromY + 4}>
                {formatOrdinal(line.defaultRank)}
              </text>
            )}
          </g>
        ))}
      </svg>
    </div>
  );
}

function classOf({ id, movement, toY }: RankLine, pointed: string | undefined): string {
  const direction = movement > 0 ? 'is-up' : movement < 0 ? 'is-down' : 'is-same';
  return `rank-line ${direction}${toY === undefined ? ' is-far' : ''}${id === pointed ? ' is-pointed' : ''}`;
}

function pathOf({ fromY, toY }: RankLine): string {
  const half = WIDTH / 2;
  if (toY === undefined) return `M0,${fromY} H${FAR_LENGTH}`;
  return `M0,${fromY} C${half},${fromY} ${half},${toY} ${WIDTH},${toY}`;
}

import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { formatDay, formatMonthName, formatWeekdayName } from '../format.ts';
import { type CalendarDay, calendarOf } from './calendar.ts';

const CELL = 13;
const LEFT = 30;
const TOP = 18;
const KEY_STEPS: Record<string, number> = { ArrowUp: -1, ArrowDown: 1, ArrowLeft: -7, ArrowRight: 7 };

interface YearHeatmapProps {
  label: string;
  /** Says how many: `2 memories`. */
  describe(count: number): string;
  counts: ReadonlyMap<string, number>;
  nowMs: number;
  hrefOfDay(day: string): string;
}

/** A year of days as squares. The arrow keys move between days; each links to what happened on it. */
export function YearHeatmap({ label, describe, counts, nowMs, hrefOfDay }: YearHeatmapProps) {
  const days = calendarOf(counts, nowMs, 53);
  const focused = useSignal(days.length - 1);
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (box.current) box.current.scrollLeft = box.current.scrollWidth;
  }, []);
  const onKeyDown = (event: KeyboardEvent) => {
    const step = KEY_STEPS[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const next = Math.max(0, Math.min(days.length - 1, focused.value + step));
    focused.value = next;
    box.current?.querySelector<SVGElement>(`[data-day="${days[next]!.day}"]`)?.focus();
  };
  const columns = days.at(-1)!.column + 1;
  const read = days[focused.value]!;
  return (
    <div class="heatmap">
      <div class="heatmap-scroll" ref={box} onKeyDown={onKeyDown}>
        <svg role="group" aria-label={label} viewBox={`0 0 ${LEFT + columns * CELL} ${TOP + 7 * CELL}`}>
          {monthStarts(days).map(({ column, name }) => (
            <text key={column} x={LEFT + column * CELL} y={11} aria-hidden="true">
              {name}
            </text>
          ))}
          {[1, 3, 5].map((weekday) => (
            <text key={weekday} x={0} y={TOP + (weekday - 1) * CELL + 10} aria-hidden="true">
              {formatWeekdayName(weekday)}
            </text>
          ))}
          {days.map((one, index) => (
            <a
              key={one.day}
              href={hrefOfDay(one.day)}
              data-day={one.day}
              tabIndex={index === focused.value ? 0 : -1}
              aria-label={`${formatDay(one.day)}: ${describe(one.count)}`}
              onFocus={() => (focused.value = index)}
              onPointerEnter={() => (focused.value = index)}
            >
              <rect
                x={LEFT + one.column * CELL}
                y={TOP + one.row * CELL}
                width={CELL - 3}
                height={CELL - 3}
                rx={2.5}
                data-level={one.level}
              />
            </a>
          ))}
        </svg>
      </div>
      <div class="heatmap-foot">
        <span>
          {formatDay(read.day)}: {describe(read.count)}
        </span>
        <span class="heatmap-legend" aria-hidden="true">
          Less
          {[0, 1, 2, 3, 4].map((level) => (
            <svg key={level} width={CELL - 3} height={CELL - 3}>
              <rect width={CELL - 3} height={CELL - 3} rx={2.5} data-level={level} />
            </svg>
          ))}
          More
        </span>
      </div>
    </div>
  );
}

/** Months, at the first column that begins in them. Those without room for their name are left out. */
function monthStarts(days: readonly CalendarDay[]): { column: number; name: string }[] {
  const starts: { column: number; name: string }[] = [];
  let month = '';
  for (const { day, column, row } of days) {
    const current = day.slice(0, 7);
    if (row !== 0 || current === month) continue;
    month = current;
    if (starts.at(-1) && column - starts.at(-1)!.column < 3) starts.pop();
    starts.push({ column, name: formatMonthName(day) });
  }
  return starts;
}

import { formatDay, formatNumber } from '../format.ts';

const HEIGHT = 48;
const STEP = 10;

/** A bar for each day. Assistive technology gets the total and the busiest day. */
export function DayBars({ label, days }: { label: string; days: readonly { day: string; value: number }[] }) {
  const most = Math.max(1, ...days.map(({ value }) => value));
  return (
    <svg
      class="day-bars"
      viewBox={`0 0 ${days.length * STEP} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={`${label}: ${describeDays(days)}`}
    >
      {days.map(({ day, value }, index) => {
        const height = value === 0 ? 1 : Math.max(2, (value / most) * HEIGHT);
        return (
          <rect
            key={day}
            class={value === 0 ? 'is-none' : undefined}
            x={index * STEP + 1}
            width={STEP - 2}
            y={HEIGHT - height}
            height={height}
          >
            <title>{`${formatDay(day)}: ${formatNumber(value)}`}</title>
          </rect>
        );
      })}
    </svg>
  );
}

function describeDays(days: readonly { day: string; value: number }[]): string {
  const total = days.reduce((sum, { value }) => sum + value, 0);
  const [first] = days;
  if (total === 0 || !first) return 'none';
  const busiest = days.reduce((best, day) => (day.value > best.value ? day : best), first);
  return `${formatNumber(total)} in total, busiest on ${formatDay(busiest.day)} with ${formatNumber(busiest.value)}`;
}

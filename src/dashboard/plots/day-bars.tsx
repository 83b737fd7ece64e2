import { formatDay, formatNumber } from '../format.ts';
import { Bars } from './bars.tsx';

/** A bar for each day. Assistive technology gets the total and the busiest day. */
export function DayBars({ label, days }: { label: string; days: readonly { day: string; value: number }[] }) {
  const bars = days.map(({ day, value }) => ({
    ...{ key: day, value, title: `${formatDay(day)}: ${formatNumber(value)}` },
  }));
  return <Bars description={`${label}: ${describeDays(days)}`} bars={bars} />;
}

function describeDays(days: readonly { day: string; value: number }[]): string {
  const total = days.reduce((sum, { value }) => sum + value, 0);
  const [first] = days;
  if (total === 0 || !first) return `${formatNumber(0)} in total`;
  const busiest = days.reduce((best, day) => (day.value > best.value ? day : best), first);
  return `${formatNumber(total)} in total, busiest on ${formatDay(busiest.day)} with ${formatNumber(busiest.value)}`;
}

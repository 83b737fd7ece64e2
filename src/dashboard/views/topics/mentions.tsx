import type { MentionsOfMonth } from '../../../client/client.ts';
import { formatBriefMonth, formatCount, formatNumber } from '../../format.ts';
import { Bars } from '../../plots/bars.tsx';
import { type Bucket, bucketsOf } from '../../plots/buckets.ts';

const LEAST_MONTHS = 12;
const MOST_BARS = 48;

/** How many memories mentioned a topic in each month. */
export function Mentions({ mentions }: { mentions: readonly MentionsOfMonth[] }) {
  const buckets = monthsOf(mentions);
  const total = mentions.reduce((sum, { memories }) => sum + memories, 0);
  const most = buckets.reduce((best, bucket) => (bucket.count > best.count ? bucket : best));
  const busiest = `${nameOf(most)} with ${formatNumber(most.count)}`;
  return (
    <section class="card stack" aria-labelledby="topic-mentions">
      <h2 id="topic-mentions">Mentions by month</h2>
      <Bars
        description={`${formatCount(total, 'memory', 'memories')}, most in ${busiest}`}
        bars={buckets.map((bucket) => ({
          ...{ key: bucket.fromMs, value: bucket.count, title: `${nameOf(bucket)}: ${formatNumber(bucket.count)}` },
        }))}
      />
      <p class="topic-axis hint" aria-hidden="true">
        <span>{formatBriefMonth(buckets[0]!.fromMs)}</span>
        <span>at most {formatNumber(most.count)}</span>
        <span>{formatBriefMonth(buckets.at(-1)!.toMs - 1)}</span>
      </p>
    </section>
  );
}

/** The months up to the last mention, with those that have none: at least a year of them. */
function monthsOf(mentions: readonly MentionsOfMonth[]): Bucket[] {
  const counts = mentions.map(({ month, memories }) => ({ day: `${month}-01`, count: memories }));
  const [year, month] = mentions.at(-1)!.month.split('-').map(Number) as [number, number];
  const first = year * 12 + month - LEAST_MONTHS;
  const start = `${String(Math.floor(first / 12)).padStart(4, '0')}-${String((first % 12) + 1).padStart(2, '0')}-01`;
  return bucketsOf(start < counts[0]!.day ? [{ day: start, count: 0 }, ...counts] : counts, 'month', MOST_BARS);
}

/** `Mar 2025`, or `Mar 2025 – May 2025` where a bar is of several months. */
function nameOf({ fromMs, toMs }: Bucket): string {
  const [from, to] = [formatBriefMonth(fromMs), formatBriefMonth(toMs - 1)];
  return from === to ? from : `${from} – ${to}`;
}

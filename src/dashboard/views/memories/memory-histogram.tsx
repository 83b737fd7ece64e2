import type { MemoryStats } from '../../../client/client.ts';
import { toTimestamp } from '../../../lib/clock.ts';
import { formatBriefDay, formatBriefMonth, formatCount } from '../../format.ts';
import { type Bucket, bucketRange, bucketsOf } from '../../plots/buckets.ts';
import { Histogram } from '../../plots/histogram.tsx';
import { changeParameters } from '../../router.ts';
import type { ListState } from './list-state.ts';

const MAX_BARS = 120;

/** When the memories are about: selecting a range filters the list by it. */
export function MemoryHistogram({ state, histogram }: { state: ListState; histogram: MemoryStats['histogram'] }) {
  const buckets = bucketsOf(histogram.days, histogram.unit, MAX_BARS);
  if (buckets.length < 2) return null;
  const format = histogram.unit === 'day' ? formatBriefDay : formatBriefMonth;
  const { afterMs, beforeMs } = state;
  const isAll = afterMs === undefined && beforeMs === undefined;
  const bounds = {
    ...(afterMs !== undefined && { fromMs: afterMs + 1 }),
    ...(beforeMs !== undefined && { toMs: beforeMs }),
  };
  return (
    <Histogram
      label="Memories by the date of what they tell"
      buckets={buckets}
      range={isAll ? undefined : bucketRange(buckets, bounds)}
      describe={(bucket) => `${formatSpan(bucket, format)}: ${formatCount(bucket.count, 'memory', 'memories')}`}
      formatTime={format}
      onSelect={(range) =>
        changeParameters({
          after: range && utcDay(buckets[range[0]]!.fromMs),
          before: range && utcDay(buckets[range[1]]!.toMs),
        })
      }
    />
  );
}

function formatSpan({ fromMs, toMs }: Bucket, format: (epochMs: number) => string): string {
  const first = format(fromMs);
  const last = format(toMs - 1);
  return first === last ? first : `${first} – ${last}`;
}

function utcDay(epochMs: number): string {
  return toTimestamp(epochMs).slice(0, 10);
}

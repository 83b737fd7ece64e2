import type { MemoryStats } from '../../../client/client.ts';
import { toTimestamp } from '../../../lib/clock.ts';
import { formatBriefDay, formatCount } from '../../format.ts';
import { type Bucket, bucketRange, bucketsOf } from '../../plots/buckets.ts';
import { Histogram } from '../../plots/histogram.tsx';
import { changeParameters } from '../../router.ts';
import type { ListState } from './list-state.ts';

const MAX_BARS = 120;

/** When the memories are about: selecting a range filters the list by it. */
export function MemoryHistogram({ state, histogram }: { state: ListState; histogram: MemoryStats['histogram'] }) {
  const buckets = bucketsOf(histogram.days, histogram.unit, MAX_BARS);
  if (buckets.length < 2) return null;
  const { afterMs, beforeMs } = state;
  const isAll = afterMs === undefined && beforeMs === undefined;
  const bounds = {
    ...(afterMs !== undefined && { fromMs: afterMs + 1 }),
    ...(beforeMs !== undefined && { toMs: beforeMs }),
  };
  return (
    <Histogram
      label="Memories by time"
      buckets={buckets}
      range={isAll ? undefined : bucketRange(buckets, bounds)}
      describe={describe}
      formatTime={formatBriefDay}
      onSelect={(range) =>
        changeParameters({
          after: range && utcDay(buckets[range[0]]!.fromMs),
          before: range && utcDay(buckets[range[1]]!.toMs),
        })
      }
    />
  );
}

function describe({ fromMs, toMs, count }: Bucket): string {
  const last = formatBriefDay(toMs - 1);
  const first = formatBriefDay(fromMs);
  return `${first === last ? first : `${first} – ${last}`}: ${formatCount(count, 'memory', 'memories')}`;
}

function utcDay(epochMs: number): string {
  return toTimestamp(epochMs).slice(0, 10);
}

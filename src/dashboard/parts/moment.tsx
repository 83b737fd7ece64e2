import { parseTimestamp } from '../../lib/clock.ts';
import { formatExact, formatPast, formatUpcoming } from '../format.ts';

/** A time relative to now, with the exact one as a tooltip. */
export function Moment({ at, isUpcoming = false }: { at: string; isUpcoming?: boolean }) {
  const epochMs = parseTimestamp(at);
  if (epochMs === undefined) return <span>{at}</span>;
  return (
    <time dateTime={at} title={formatExact(epochMs)}>
      {isUpcoming ? formatUpcoming(epochMs) : formatPast(epochMs)}
    </time>
  );
}

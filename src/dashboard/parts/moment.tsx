import { parseTimestamp } from '../../lib/clock.ts';
import { formatBrief, formatExact, formatPast, formatUpcoming } from '../format.ts';

interface MomentProps {
  at: string;
  isUpcoming?: boolean;
  /** Formats it for a narrow column. */
  isBrief?: boolean;
}

/** A time relative to now, with the exact one as a tooltip. */
export function Moment({ at, isUpcoming = false, isBrief = false }: MomentProps) {
  const epochMs = parseTimestamp(at);
  if (epochMs === undefined) return <span>{at}</span>;
  return (
    <time dateTime={at} title={formatExact(epochMs)}>
      {isBrief ? formatBrief(epochMs) : isUpcoming ? formatUpcoming(epochMs) : formatPast(epochMs)}
    </time>
  );
}

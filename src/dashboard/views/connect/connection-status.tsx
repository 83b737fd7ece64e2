import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { parseTimestamp, systemClock } from '../../../lib/clock.ts';
import { formatPast } from '../../format.ts';

interface ConnectionStatusProps {
  title: string;
  /** When the assistant last sent a request. */
  lastSeenAt: string | undefined;
  /** Looks again whether it has. */
  onLook(): void;
}

const LOOK_INTERVAL_MS = 3000;
const MINUTE_MS = 60_000;

/** Waits for the first request of an assistant, and says when it came. */
export function ConnectionStatus({ title, lastSeenAt, onLook }: ConnectionStatusProps) {
  const nowMs = useSignal(systemClock.nowMs());
  useEffect(() => {
    const look = setInterval(() => !document.hidden && onLook(), LOOK_INTERVAL_MS);
    const tick = setInterval(() => (nowMs.value = systemClock.nowMs()), 1000);
    return () => {
      clearInterval(look);
      clearInterval(tick);
    };
  }, []);
  const seenMs = lastSeenAt === undefined ? undefined : parseTimestamp(lastSeenAt);
  const isConnected = seenMs !== undefined;
  return (
    <p class={`connection-status${isConnected ? ' is-on' : ''}`} role="status" aria-live="polite">
      <span class="connection-dot" aria-hidden="true" />
      <span>{isConnected ? `${title} is connected` : `Waiting for ${title}…`}</span>
      {isConnected && (
        <span class="hint" aria-live="off">
          {describeAge(seenMs, nowMs.value)}
        </span>
      )}
    </p>
  );
}

/** `last request 3 s ago`, or as other times are shown from a minute on. */
function describeAge(seenMs: number, nowMs: number): string {
  const agoMs = Math.max(0, nowMs - seenMs);
  return `last request ${agoMs < MINUTE_MS ? `${Math.floor(agoMs / 1000)} s ago` : formatPast(seenMs, nowMs)}`;
}

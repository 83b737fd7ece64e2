import { formatCount } from '../format.ts';
import { refusedWaits } from '../rate-limit.ts';

/** Says that the page waits for the rate limit, on every screen. */
export function RateLimitNotice() {
  const waits = refusedWaits.value;
  return (
    <div class="rate-limit-notice" role="status">
      {waits.length > 0 && (
        <p class="toast">
          Too many requests. This page continues automatically in {formatCount(Math.max(...waits), 'second', 'seconds')}
          .
        </p>
      )}
    </div>
  );
}

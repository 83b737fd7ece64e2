import { useEffect } from 'preact/hooks';
import { describeError, isTransient, reportUnexpected } from '../errors.ts';
import { Icon } from '../shell/icon.tsx';

/** As often as the page checks a daemon that is not well. */
const RETRY_MS = 4000;

/** Says why something could not be loaded, with a button to try again. If the daemon failed, that happens automatically. */
export function Failure({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  useEffect(() => reportUnexpected(error), [error]);
  const isRetried = isTransient(error);
  useEffect(() => {
    if (!isRetried) return undefined;
    const timer = setTimeout(onRetry, RETRY_MS);
    return () => clearTimeout(timer);
  }, [error]);
  return (
    <div class="failure" role="alert">
      <Icon name="warning" />
      <p>
        {describeError(error)}
        {isRetried && ' This page tries again automatically.'}
      </p>
      <button type="button" class="small" onClick={onRetry}>
        Try again
      </button>
    </div>
  );
}

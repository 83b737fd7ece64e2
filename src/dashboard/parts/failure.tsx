import { useEffect } from 'preact/hooks';
import { describeError, reportUnexpected } from '../errors.ts';
import { Icon } from '../shell/icon.tsx';

/** Says why something could not be loaded, with a button to try again. */
export function Failure({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  useEffect(() => reportUnexpected(error), [error]);
  return (
    <div class="failure" role="alert">
      <Icon name="warning" />
      <p>{describeError(error)}</p>
      <button type="button" class="small" onClick={onRetry}>
        Try again
      </button>
    </div>
  );
}

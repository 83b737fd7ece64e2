import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { describeError } from '../errors.ts';
import { endSessionOn } from '../session.ts';

/** Runs calls with a line that says what came of the last one. Reloads after each: a failed one may have changed something. */
export function useAttempts(reload: () => void) {
  const status = useSignal({ text: '', failed: false });
  const line = useRef<HTMLParagraphElement>(null);
  return {
    /** Runs a call and shows its outcome, and `asking` meanwhile. Returns whether it succeeded. */
    async attempt(work: () => Promise<string>, asking?: string): Promise<boolean> {
      if (asking !== undefined) status.value = { text: asking, failed: false };
      try {
        status.value = { text: await work(), failed: false };
        return true;
      } catch (error) {
        endSessionOn(error);
        status.value = { text: describeError(error), failed: true };
        return false;
      } finally {
        reload();
      }
    },
    focus: () => line.current?.focus(),
    statusLine: (
      <p ref={line} class={`provider-status${status.value.failed ? ' error' : ''}`} role="status" tabIndex={-1}>
        {status.value.text}
      </p>
    ),
  };
}

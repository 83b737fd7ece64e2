import { CommandFailure } from '../failure.ts';

/** The outcome of one check of `svc doctor`. */
export interface Finding {
  /** What was checked, e.g. `Daemon` or the name of an assistant. */
  check: string;
  /** A `warning` is worth knowing, a `problem` keeps something from working. */
  state: 'ok' | 'warning' | 'problem';
  message: string;
  /** The command or the step that fixes it; absent if there is nothing to fix. */
  fix?: string;
}

/** What fixes a full disk. */
export const FREE_SPACE = 'free some space on that disk';

/** Runs one check within `limitMs`. An expected failure becomes a problem; a bug is thrown. */
export async function runCheck(check: string, run: () => Promise<Finding[]>, limitMs: number): Promise<Finding[]> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Finding[]>((resolve) => {
    const message = `not finished within ${limitMs / 1000} s`;
    timer = setTimeout(() => resolve([{ check, state: 'warning', message, fix: 'svc doctor' }]), limitMs);
  });
  try {
    return await Promise.race([run(), late]);
  } catch (error) {
    if (!(error instanceof CommandFailure)) throw error;
    const [message = '', ...advice] = error.message.split('\n');
    return [{ check, state: 'problem', message, ...(advice.length > 0 && { fix: advice.join(' ') }) }];
  } finally {
    clearTimeout(timer);
  }
}

import type { OperatorTask } from '../../contract/operator.ts';
import { type Clock, toTimestamp } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';

/** Passed to a task while it runs. */
export interface TaskRun {
  onProgress(share: number): void;
  signal: AbortSignal;
}

/** Long work that runs once at a time. */
export interface Task {
  /** Starts the work, unless it is running already. */
  start(): OperatorTask;
  /** The latest run; null if there was none since the daemon started. */
  state(): OperatorTask | null;
  /** Cancels the work, and waits until it has ended. */
  stop(): Promise<void>;
}

interface Dependencies {
  clock: Clock;
  log: Log;
  /** Message of the log line when the work fails. */
  failure: string;
}

/** `work` returns the problems that it found. */
export function createTask(work: (run: TaskRun) => Promise<string[]>, { clock, log, failure }: Dependencies): Task {
  let state: OperatorTask | null = null;
  let running: Promise<void> | undefined;
  const stopping = new AbortController();

  async function run(task: OperatorTask): Promise<void> {
    const onProgress = (share: number) => {
      task.share = share;
    };
    try {
      task.problems = await work({ onProgress, signal: stopping.signal });
      task.state = 'done';
    } catch (error) {
      log.warn({ error }, failure);
      task.problems = [(error as Error).message];
      task.state = 'failed';
    }
    task.finishedAt = toTimestamp(clock.nowMs());
    running = undefined;
  }

  return {
    start() {
      if (state && running) return state;
      const startedAt = toTimestamp(clock.nowMs());
      state = { state: 'running', startedAt, finishedAt: null, share: null, problems: [] };
      running = run(state);
      return state;
    },
    state: () => state,
    async stop() {
      stopping.abort(new Error('The daemon stopped.'));
      await running;
    },
  };
}

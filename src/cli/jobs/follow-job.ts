import type { Client } from '../../client/client.ts';
import { isOpen } from '../../contract/job-states.ts';
import type { Job } from '../../contract/jobs.ts';
import type { CommandContext } from '../command-context.ts';
import type { ProgressLine } from '../memory/progress-line.ts';
import { describeError, itemsOf } from './job-lines.ts';

export interface FollowOptions {
  client: Pick<Client, 'jobs'>;
  progress: ProgressLine;
  context: Pick<CommandContext, 'terminal' | 'clock'>;
}

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 2000;
const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Polls a job until it has ended, showing its progress. Each error that delays it is reported once. */
export async function followJob(id: string, { client, progress, context }: FollowOptions): Promise<Job> {
  const { terminal, clock } = context;
  let reported = '';
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 1.5, LONGEST_PAUSE_MS)) {
    const job = await client.jobs.get(id);
    if (!isOpen(job)) {
      progress.clear();
      return job;
    }
    const error = job.error === null ? '' : `${job.error.code} ${job.error.at}`;
    if (error !== '' && error !== reported) {
      progress.clear();
      terminal.error(`${describeError(job, clock.nowMs())} Ctrl-C stops waiting, not the job.\n`);
    }
    reported = error;
    const { done, total } = job.progress;
    progress.show(`${done} of ${itemsOf(job)}`, total === 0 ? undefined : done / total);
    await pause(pauseMs);
  }
}

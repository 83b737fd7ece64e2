import type { Job } from '../../contract/jobs.ts';
import type { CommandContext } from '../command-context.ts';
import { renderOptions } from '../memory/command-options.ts';
import { createRecentIds } from '../memory/recent-ids.ts';
import { describeUsage } from '../providers/settings-lines.ts';
import { describeResult, formatDecisions } from './job-lines.ts';

/** Prints what a job that has ended decided, and a summary. */
export async function printOutcome(job: Job, context: CommandContext): Promise<void> {
  const look = renderOptions(context);
  const decisions = job.result?.decisions ?? [];
  const used = job.used.requests > 0 ? ` (${describeUsage(job.used)})` : '';
  const summary = `${job.dryRun ? 'dry run, nothing stored: ' : ''}${describeResult(job)}${used}.`;
  const head = summary.charAt(0).toUpperCase() + summary.slice(1);
  const shown = decisions.length === 0 ? '' : `${formatDecisions(decisions, look)}\n\n`;
  context.terminal.out(`${shown}${look.style.good('✓')} ${head}\n`);
  const memories = decisions.map(({ memoryId }) => memoryId).filter((id) => id !== null);
  await createRecentIds(context.settingsFolder).remember(memories);
}

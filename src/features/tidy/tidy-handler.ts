import { AppError } from '../../contract/errors.ts';
import type { TidyResult } from '../../contract/jobs.ts';
import type { Connection } from '../../db/connection.ts';
import type { Database } from '../../db/open.ts';
import type { Clock } from '../../lib/clock.ts';
import type { AskModel } from '../extraction/ask-model.ts';
import type { JobHandler } from '../jobs/job-runner.ts';
import { type JobRow, type Jobs, NO_ERROR } from '../jobs/jobs.ts';
import type { Memories } from '../memories/memories.ts';
import { MAX_OPEN } from '../suggestions/suggesting.ts';
import type { Suggestions } from '../suggestions/suggestions.ts';
import { type ModelProposal, promptOf, SYSTEM, suggestionsIn, TIDY_OUTPUT } from './model-output.ts';
import { countToTidy, type TidyOwner, tidyFilterOf, updateTidied } from './tidy-store.ts';
import { type Portion, type ReadPortion, toTidyMemory } from './work-list.ts';

interface Parts {
  db: Database;
  clock: Clock;
  jobs: Jobs;
  memories: Pick<Memories, 'findRowsWithin'>;
  suggestions: Pick<Suggestions, 'suggestWithin' | 'countOpen'>;
  readPortion: ReadPortion;
  askModel: AskModel;
}

/** Its suggestions are about fewer memories than a transaction takes. */
const PORTION = 16;
const MAX_HALVINGS = 3;

/**
 * Suggests how to tidy the memories of a user, portion by portion. What is suggested is stored in the same transaction as
 * the job's progress, so that a crash repeats at most one portion. The model is never called inside a transaction.
 */
export function createTidyHandler(parts: Parts): JobHandler {
  const { db, clock, jobs, memories, suggestions, readPortion, askModel } = parts;

  function portionOf(job: JobRow): Promise<Portion> {
    const { afterId, attempts } = job;
    // The input or the output may have been too long for the model.
    return readPortion(ownerOf(job), { afterId: afterId ?? '', limit: PORTION >> Math.min(attempts, MAX_HALVINGS) });
  }

  async function ask(job: JobRow, portion: Portion, signal: AbortSignal): Promise<[JobRow, ModelProposal[]]> {
    if (portion.clusters.length === 0) return [job, []];
    // Do not pay for suggestions that could not be stored.
    if ((await suggestions.countOpen(job.tenantId)) >= MAX_OPEN) {
      throw new AppError(
        'unprocessable',
        `${MAX_OPEN} suggestions of this account are open: decide some of them first.`,
      );
    }
    const [counted, value] = await askModel(job, { ...TIDY_OUTPUT, system: SYSTEM, prompt: promptOf(portion) }, signal);
    return [counted, (value as { suggestions: ModelProposal[] }).suggestions];
  }

  /** Whether all memories still say what the model was shown: its output may repeat any of it. */
  async function isUnchanged(connection: Connection, tenantId: string, { clusters }: Portion): Promise<boolean> {
    const shown = clusters.flat();
    const ids = shown.map(({ id }) => id);
    const rows = await memories.findRowsWithin(connection, tenantId, ids);
    const contents = new Map(rows.map(toTidyMemory).map(({ id, content }) => [id, content]));
    return shown.every(({ id, content }) => contents.get(id) === content);
  }

  /** Has no effect if anything that the model was shown has changed or been erased: the portion is then read again. */
  async function store(job: JobRow, portion: Portion, proposals: readonly ModelProposal[]): Promise<JobRow> {
    const { tenantId, endUser, project, total } = job;
    const checked = await suggestionsIn(tenantId, proposals, portion);
    return db.writes.write(tenantId, async (connection) => {
      if (!(await isUnchanged(connection, tenantId, portion))) return job;
      const by = { suggester: 'provider', name: job.model } as const;
      const outcome = await suggestions.suggestWithin(connection, tenantId, by, checked.suggestions);
      const result = added(JSON.parse(job.result) as TidyResult, {
        ...outcome,
        refused: outcome.refused + checked.refused,
      });
      const progress = { ...NO_ERROR, result: JSON.stringify(result) };
      if (portion.afterId !== null) {
        const done = Math.min(job.done + portion.read, total);
        return jobs.advance(connection, job, { ...progress, done, afterId: portion.afterId });
      }
      if (project === null) await updateTidied(connection, { tenantId, endUser: endUser!, tidiedAt: job.createdAt });
      return jobs.advance(connection, job, { ...progress, state: 'done', done: total, finishedAt: clock.nowMs() });
    });
  }

  /** Counts what is to be read: memories may have been added since the job was queued or interrupted. */
  async function begin(job: JobRow): Promise<JobRow> {
    const { tenantId } = job;
    const filter = tidyFilterOf(ownerOf(job), clock.nowMs());
    const total = Math.max(job.done, await countToTidy(db.readers.of(tenantId), filter));
    return db.writes.write(tenantId, (connection) => jobs.advance(connection, job, { total }));
  }

  return async (startedJob, signal) => {
    let job = await begin(startedJob);
    while (job.finishedAt === null) {
      const portion = await portionOf(job);
      const [counted, proposals] = await ask(job, portion, signal);
      signal.throwIfAborted();
      job = await store(counted, portion, proposals);
    }
  };
}

function ownerOf({ tenantId, endUser, project, changedAfter }: JobRow): TidyOwner {
  return {
    ...{ tenantId, user: endUser!, project: project ?? undefined },
    changedAfterMs: changedAfter ?? undefined,
  };
}

function added(one: TidyResult, other: TidyResult): TidyResult {
  return {
    suggested: one.suggested + other.suggested,
    known: one.known + other.known,
    refused: one.refused + other.refused,
  };
}

import type { Decision, ExtractionResult } from '../../contract/jobs.ts';
import type { Memory } from '../../contract/memories.ts';
import type { Database } from '../../db/open.ts';
import type { Clock } from '../../lib/clock.ts';
import { runInSlices } from '../../lib/time-slices.ts';
import type { ConversationRow, MessageReading } from '../conversations/conversations.ts';
import type { JobHandler } from '../jobs/job-runner.ts';
import { type JobRow, type Jobs, NO_ERROR } from '../jobs/jobs.ts';
import type { Usage } from '../limits/usage.ts';
import { writeWithTerms } from '../text/prepared-terms.ts';
import { accumulate, type Extractor, withReplaced } from './apply-proposals.ts';
import { type AskModel, MAX_OUTPUT_TOKENS } from './ask-model.ts';
import type { Chunk } from './conversation-chunk.ts';
import { EXTRACTION_OUTPUT, type Extracted, promptOf, SYSTEM } from './prompt.ts';
import { proposalsInSteps } from './proposals.ts';
import { type AddRelated, REPLACED_OUTPUT, REPLACED_SYSTEM, replacedPairsIn, replacedPromptOf } from './replaced.ts';
import type { ChunkRange, Shown, ShownChunks } from './shown-chunk.ts';
import type { Supersede } from './successions.ts';

interface Parts {
  db: Database;
  clock: Clock;
  jobs: Jobs;
  reading: Pick<MessageReading, 'requireConversation'>;
  chunks: ShownChunks;
  addRelated: AddRelated;
  supersede: Supersede;
  askModel: AskModel;
  usage: Usage;
}

/** About what one chunk adds at most. */
const MAX_STORED_BYTES = 4 * MAX_OUTPUT_TOKENS;

/**
 * Extracts memories chunk by chunk. A chunk's memories are stored in the same transaction as the job's progress, so
 * that a crash repeats at most one chunk. The model is never called inside a transaction.
 */
export function createExtractionHandler(parts: Parts): JobHandler {
  const { db, clock, jobs, reading, chunks, addRelated, supersede, askModel, usage } = parts;

  async function extract(
    job: JobRow,
    conversation: ConversationRow,
    chunk: Chunk,
    signal: AbortSignal,
  ): Promise<[JobRow, Memory[], Extracted[]]> {
    if (chunk.messages.length === 0) return [job, [], []];
    const { tenantId } = conversation;
    // Do not pay for memories that could not be stored.
    if (job.dryRun === 0) {
      await usage.requireMemoryQuota(await chunks.tenantOf(db.readers, tenantId));
      await usage.storage.requireRoom(db.readers, tenantId, MAX_STORED_BYTES);
    }
    const known = await chunks.knownOf(conversation, chunk);
    const prompt = promptOf(chunk, known);
    const [counted, value] = await askModel(job, { ...EXTRACTION_OUTPUT, system: SYSTEM, prompt }, signal);
    return [counted, known, (value as { memories: Extracted[] }).memories];
  }

  /** Has no effect if anything that the model was shown has been erased: the chunk is then read again. */
  async function store(
    job: JobRow,
    shown: Shown,
    extracted: readonly Extracted[],
  ): Promise<[JobRow, readonly Decision[]]> {
    const { tenantId } = shown.conversation;
    const { throughOrdinal, partlyRead, seen } = shown.chunk;
    const extractor = extractorOf(job);
    const proposals = await runInSlices(proposalsInSteps(extracted, shown.chunk, shown.known), tenantId);
    return writeWithTerms(tenantId, [], (terms) =>
      db.writes.write(tenantId, async (connection) => {
        const decisions = await chunks.apply(connection, shown, proposals, { extractor, terms });
        if (decisions === undefined) return [job, []];
        // The result may have been redacted in the meantime.
        const fresh = await jobs.advance(connection, job, NO_ERROR);
        const result = accumulate(JSON.parse(fresh.result) as ExtractionResult, decisions);
        const read = { fromOrdinal: throughOrdinal, partlyRead, done: job.done + seen };
        return [await jobs.advance(connection, fresh, { ...read, result: JSON.stringify(result) }), decisions];
      }),
    );
  }

  /** Asks which older memories no longer hold because of those that were stored. What fails here was only not asked. */
  async function supersedeReplaced(
    job: JobRow,
    decisions: readonly Decision[],
    known: readonly Memory[],
    signal: AbortSignal,
  ): Promise<JobRow> {
    if (job.dryRun === 1) return job;
    const stored = await addRelated(job.tenantId, decisions, known);
    const prompt = replacedPromptOf(stored);
    if (prompt === '') return job;
    const [counted, value] = await askModel(job, { ...REPLACED_OUTPUT, system: REPLACED_SYSTEM, prompt }, signal);
    const { replaced } = value as { replaced: Parameters<typeof replacedPairsIn>[0] };
    const outcomes = await supersede(job.tenantId, replacedPairsIn(replaced, stored));
    return db.writes.write(job.tenantId, async (connection) => {
      const fresh = await jobs.advance(connection, counted, NO_ERROR);
      const result = withReplaced(JSON.parse(fresh.result) as ExtractionResult, outcomes);
      return jobs.advance(connection, fresh, { result: JSON.stringify(result) });
    });
  }

  /** Finishes the job, unless messages were added to it in the meantime. */
  async function finish(job: JobRow): Promise<JobRow> {
    return db.writes.write(job.tenantId, async (connection) => {
      const now = await jobs.advance(connection, job, NO_ERROR);
      if (now.toOrdinal > job.toOrdinal) return now;
      const ended = { state: 'done', done: now.total, finishedAt: clock.nowMs() } as const;
      return jobs.advance(connection, now, ended);
    });
  }

  return async (startedJob, signal) => {
    let job = startedJob;
    while (job.finishedAt === null) {
      const conversation = await reading.requireConversation(db.readers, job.tenantId, job.conversationId!);
      const range = rangeOf(job);
      const chunk = await chunks.read(db.readers, conversation, range);
      if (chunk.messages.length === 0 && chunk.seen === 0) {
        job = await finish(job);
        continue;
      }
      const [counted, known, extracted] = await extract(job, conversation, chunk, signal);
      const [advanced, decisions] = await store(counted, { conversation, range, chunk, known }, extracted);
      job = await supersedeReplaced(advanced, decisions, known, signal);
    }
  };
}

function rangeOf({ fromOrdinal, partlyRead, toOrdinal, attempts: failures }: JobRow): ChunkRange {
  return { fromOrdinal, partlyRead, toOrdinal, failures };
}

function extractorOf({ id: jobId, client, author, dryRun, provider, model }: JobRow): Extractor {
  return { client, author, isDryRun: dryRun === 1, source: { jobId, provider, model } };
}

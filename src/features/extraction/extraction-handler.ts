import { AppError } from '../../contract/errors.ts';
import type { ExtractionResult } from '../../contract/jobs.ts';
import type { Tier } from '../../contract/limits.ts';
import type { Memory } from '../../contract/memories.ts';
import type { Connection, Reader } from '../../db/connection.ts';
import type { Database } from '../../db/open.ts';
import type { Clock } from '../../lib/clock.ts';
import type { ConversationRow, MessageReading } from '../conversations/conversations.ts';
import type { JobHandler } from '../jobs/job-runner.ts';
import { type JobRow, type Jobs, NO_ERROR } from '../jobs/jobs.ts';
import type { MeteredTenant, Usage } from '../limits/usage.ts';
import type { Memories } from '../memories/memories.ts';
import type { RelatedMemories } from '../search/related-memories.ts';
import { type PreparedTerms, writeWithTerms } from '../text/prepared-terms.ts';
import { accumulate, applyProposals } from './apply-proposals.ts';
import { type AskModel, MAX_OUTPUT_TOKENS } from './ask-model.ts';
import { type Chunk, isUnchanged, toChunk } from './conversation-chunk.ts';
import { updateThrough } from './extraction-store.ts';
import { EXTRACTION_OUTPUT, type Extracted, promptOf, SYSTEM } from './prompt.ts';
import { toProposals } from './proposals.ts';

interface Parts {
  db: Database;
  clock: Clock;
  jobs: Jobs;
  reading: MessageReading;
  memories: Memories;
  related: RelatedMemories;
  askModel: AskModel;
  usage: Usage;
  /** The tenant's tier, or `undefined` if the tenant does not exist. */
  tierOf(reader: Reader, tenantId: string): Promise<Tier | undefined>;
}

/** Messages scanned for one chunk. */
const CHUNK_PAGE = 100;
const EARLIER_MESSAGES = 12;
/** About what one chunk adds at most. */
const MAX_STORED_BYTES = 4 * MAX_OUTPUT_TOKENS;

/**
 * Extracts memories chunk by chunk. A chunk's memories are stored in the same transaction as the job's progress, so
 * that a crash repeats at most one chunk. The model is never called inside a transaction.
 */
export function createExtractionHandler(parts: Parts): JobHandler {
  const { db, clock, jobs, reading, memories, related, askModel, usage, tierOf } = parts;

  async function chunkAfter(reader: Reader, conversation: ConversationRow, job: JobRow): Promise<Chunk> {
    const { fromOrdinal, toOrdinal, attempts } = job;
    const page = { order: 'oldest', beyond: fromOrdinal, limit: CHUNK_PAGE } as const;
    const messages = (await reading.readMessages(reader, conversation, page)).filter(
      ({ ordinal }) => ordinal <= toOrdinal,
    );
    const earlierPage = { order: 'newest', beyond: fromOrdinal + 1, limit: EARLIER_MESSAGES } as const;
    const earlier = fromOrdinal === 0 ? [] : await reading.readMessages(reader, conversation, earlierPage);
    return toChunk(messages, earlier.toReversed(), attempts);
  }

  async function tenantOf(reader: Reader, tenantId: string): Promise<MeteredTenant> {
    const tier = await tierOf(reader, tenantId);
    if (tier === undefined) throw new AppError('not_found', 'The account does not exist.');
    return { tenantId, tier };
  }

  async function extract(
    job: JobRow,
    conversation: ConversationRow,
    chunk: Chunk,
    signal: AbortSignal,
  ): Promise<[JobRow, Memory[], Extracted[]]> {
    if (chunk.messages.length === 0) return [job, [], []];
    const { tenantId, endUser, project } = conversation;
    // Do not pay for memories that could not be stored.
    if (job.dryRun === 0) {
      await usage.requireMemoryQuota(await tenantOf(db.readers, tenantId));
      await usage.storage.requireRoom(db.readers, tenantId, MAX_STORED_BYTES);
    }
    const texts = chunk.messages.map(({ text }) => text);
    const known = await related({ tenantId, endUser, project }, texts);
    const prompt = promptOf(chunk, known);
    const [counted, value] = await askModel(job, { ...EXTRACTION_OUTPUT, system: SYSTEM, prompt }, signal);
    return [counted, known, (value as { memories: Extracted[] }).memories];
  }

  /** Whether everything that the model was shown still exists: its output may repeat any of it. */
  async function isUnchangedSince(
    connection: Connection,
    {
      conversation,
      job,
      chunk,
      known,
    }: { conversation: ConversationRow; job: JobRow; chunk: Chunk; known: readonly Memory[] },
  ): Promise<boolean> {
    for (const { id } of known) {
      if ((await memories.findWithin(connection, conversation.tenantId, id)) === undefined) return false;
    }
    return isUnchanged(chunk, await chunkAfter(connection, conversation, job));
  }

  /**
   * Stores the extracted memories. Has no effect if anything that the model was shown has been erased: the chunk is
   * then read again.
   */
  async function store(
    job: JobRow,
    conversation: ConversationRow,
    chunk: Chunk,
    known: readonly Memory[],
    extracted: readonly Extracted[],
  ): Promise<JobRow> {
    const proposals = toProposals(extracted, chunk, known);
    const write = async (connection: Connection, terms: PreparedTerms): Promise<JobRow> => {
      const now = await reading.requireConversation(connection, conversation.tenantId, conversation.id);
      const { tenantId, endUser, project, id: conversationId } = now;
      if (!(await isUnchangedSince(connection, { conversation: now, job, chunk, known }))) return job;
      const applying = { tenant: await tenantOf(connection, tenantId), endUser, project, job, terms };
      const decisions = await applyProposals(connection, memories, proposals, applying);
      // The result may have been redacted in the meantime.
      const fresh = await jobs.advance(connection, job, NO_ERROR);
      const result = accumulate(JSON.parse(fresh.result) as ExtractionResult, decisions);
      if (job.dryRun === 0) await updateThrough(connection, { tenantId, conversationId }, chunk.throughOrdinal);
      return jobs.advance(connection, fresh, {
        fromOrdinal: chunk.throughOrdinal,
        done: job.done + chunk.seen,
        result: JSON.stringify(result),
      });
    };
    return writeWithTerms(conversation.tenantId, [], (terms) =>
      db.writes.write(conversation.tenantId, (connection) => write(connection, terms)),
    );
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
      const chunk = await chunkAfter(db.readers, conversation, job);
      if (chunk.seen === 0) {
        job = await finish(job);
        continue;
      }
      const [counted, known, extracted] = await extract(job, conversation, chunk, signal);
      job = await store(counted, conversation, chunk, known, extracted);
    }
  };
}

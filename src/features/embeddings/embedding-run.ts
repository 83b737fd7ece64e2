import type { Connection } from '../../db/connection.ts';
import type { Database } from '../../db/open.ts';
import { backoffMs } from '../../lib/backoff.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { chanceOf, type Random } from '../../lib/random.ts';
import { EmbedderFault } from '../../outside/models/embedder.ts';
import type { Lease, Leases } from '../leases/leases.ts';
import { backfillBatch, typeToBackfill } from './backfill-store.ts';
import type { Backoffs } from './backoff.ts';
import { type BatchLimits, batchesOf } from './batches.ts';
import { probeEmbedder } from './embedder-probe.ts';
import {
  deleteJobs,
  type EmbeddingJob,
  hasJobs,
  hasUnattemptedJobs,
  listDueJobs,
  storeVectors,
  updateAfterRejection,
} from './embedding-jobs-store.ts';
import { deleteModelBatch, type EmbeddingModel, OPERATOR, promoteModel } from './models-store.ts';
import { quantize } from './quantize.ts';

/** How stored texts are sent to models. */
export interface EmbeddingRequests {
  /** Throws `EmbedderFault`. */
  embed(model: EmbeddingModel, texts: readonly string[]): Promise<{ vectors: Float32Array[]; tokens: number }>;
  limitsOf(model: EmbeddingModel): BatchLimits;
  /** Counts what a request used, in the transaction that stores its result. */
  count(connection: Connection, model: EmbeddingModel, tokens: number): Promise<void>;
}

interface Parts {
  db: Database;
  clock: Clock;
  random: Random;
  log: Log;
  leases: Leases;
  requests: EmbeddingRequests;
  backoffs: Backoffs;
  /** Ends the run. The caller also uses it to abort requests in flight. */
  signal: AbortSignal;
}

/** Works through the queue, one model per step. Of several daemons, one at a time works for a model. */
export interface EmbeddingRun {
  /**
   * Runs the next step for a model: embeds some jobs, backfills some rows or deletes some vectors. `switched`: searches
   * now use this model. `done`: there is nothing to do at the moment, or another daemon does it.
   */
  step(model: EmbeddingModel): Promise<'more' | 'switched' | 'done'>;
}

type TextJob = EmbeddingJob & { text: string };

/** A model that no other daemon works for at the moment. */
type HeldModel = EmbeddingModel & { lease: Lease };

const CONCURRENT_REQUESTS = 2;
const BACKFILL_ROWS = 500;
const DELETE_ROWS = 500;
/** A text rejected this often, truncated further each time, stays without a vector; the other signals still find it. */
const MAX_ATTEMPTS = 5;
const REJECTED_BACKOFF = { firstMs: 60_000, maxMs: 3_600_000 };

/** Remembers the position in the round-robin over tenants between steps. */
export function createEmbeddingRun(parts: Parts): EmbeddingRun {
  const { db, clock, random, log, leases, requests, backoffs, signal } = parts;
  let lastTenant = '';

  /** Throws `conflict`, and writes nothing, if another daemon has taken the model over. */
  function write<T>({ lease }: HeldModel, work: (connection: Connection) => Promise<T>): Promise<T> {
    return db.writes.write('daemon', async (connection) => {
      await leases.confirm(connection, lease);
      return work(connection);
    });
  }

  /** Never called inside a transaction: texts are read before, vectors are written after. */
  async function embedAll(model: HeldModel, jobs: readonly TextJob[]): Promise<void> {
    const texts = [...new Set(jobs.map(({ text }) => text))];
    let answer: Awaited<ReturnType<EmbeddingRequests['embed']>>;
    try {
      answer = await requests.embed(model, texts);
    } catch (error) {
      if (!(error instanceof EmbedderFault && error.maybeTexts)) throw error;
      if (jobs.length === 1) return handleRejected(model, jobs[0]!);
      const half = Math.ceil(jobs.length / 2);
      await embedAll(model, jobs.slice(0, half));
      return embedAll(model, jobs.slice(half));
    }
    const embeddings = new Map(answer.vectors.map((vector, index) => [texts[index]!, quantize(vector)]));
    const rows = jobs.map((job) => ({ job, embedding: embeddings.get(job.text)! }));
    const dimensions = answer.vectors[0]!.length;
    const stored = await write(model, async (connection) => {
      await requests.count(connection, model, answer.tokens);
      return storeVectors(connection, model.id, rows, dimensions);
    });
    if (stored !== 'other dimensions') return;
    throw new EmbedderFault(
      'answer',
      `The embedder returned vectors with ${dimensions} dimensions, which differs from before.`,
    );
  }

  /**
   * Handles a rejected text. A model that rejects everything is misconfigured or down; one that rejects only this text
   * may accept a shorter version.
   */
  async function handleRejected(model: HeldModel, job: EmbeddingJob): Promise<void> {
    const { tokens } = await probeEmbedder((text) => requests.embed(model, [text]));
    const isLast = job.attempts + 1 >= MAX_ATTEMPTS;
    const dueAt = clock.nowMs() + backoffMs(job.attempts + 1, REJECTED_BACKOFF, chanceOf(random));
    await write(model, async (connection) => {
      await requests.count(connection, model, tokens);
      await (isLast ? deleteJobs(connection, [job]) : updateAfterRejection(connection, job, dueAt));
    });
    if (!isLast) return;
    log.warn(
      { model: logName(model), attempts: MAX_ATTEMPTS },
      'a text rejected by the embedder stays without a vector',
    );
  }

  async function embedDue(model: HeldModel): Promise<boolean> {
    const backoff = backoffs.with(model);
    if (!backoff.isReady() || signal.aborted) return false;
    const limits = requests.limitsOf(model);
    const limit = limits.texts * CONCURRENT_REQUESTS;
    const due = await listDueJobs(db.readers, model.id, { afterTenant: lastTenant, nowMs: clock.nowMs(), limit });
    if (due.length === 0) return false;
    const empty = due.filter((job) => !hasText(job));
    if (empty.length > 0) await write(model, (connection) => deleteJobs(connection, empty));
    lastTenant = due.at(-1)!.tenantId;
    const batches = batchesOf(due.filter(hasText), limits, CONCURRENT_REQUESTS);
    const outcomes = await Promise.allSettled(batches.map((batch) => embedAll(model, batch)));
    const failed = outcomes.find((outcome) => outcome.status === 'rejected');
    if (failed === undefined) backoff.reset();
    else if (!signal.aborted) backoff.recordFailure(failed.reason);
    return failed === undefined;
  }

  async function backfill(model: HeldModel): Promise<boolean> {
    if (typeToBackfill(model) === undefined || (await hasJobs(db.readers, model.id, BACKFILL_ROWS))) return false;
    await write(model, (connection) => backfillBatch(connection, model, BACKFILL_ROWS));
    return true;
  }

  async function stepHeld(model: HeldModel): Promise<'more' | 'switched' | 'done'> {
    if (model.state === 'retiring') {
      const more = await write(model, (connection) => deleteModelBatch(connection, model.id, DELETE_ROWS));
      return more ? 'more' : 'done';
    }
    if (await embedDue(model)) return 'more';
    if (await backfill(model)) return 'more';
    if (typeToBackfill(model) !== undefined) return 'done';
    if (model.state === 'serving' || (await hasUnattemptedJobs(db.readers, model.id))) return 'done';
    await write(model, (connection) => promoteModel(connection, model));
    log.info({ model: logName(model) }, 'searches now use the new embedding model');
    return 'switched';
  }

  return {
    async step(model) {
      const outcome = await leases.hold(`embedding model ${model.id}`, (lease) => stepHeld({ ...model, lease }));
      // Whether the model fails is now for the daemon that works for it to say.
      if (outcome === undefined) backoffs.forget(model.id);
      return outcome ?? 'done';
    },
  };
}

/** The log contains no tenant data, and that includes the names of their models. */
function logName({ id, tenantId, name }: EmbeddingModel): string | number {
  return tenantId === OPERATOR ? name : id;
}

function hasText(job: EmbeddingJob): job is TextJob {
  return (job.text ?? '').trim() !== '';
}

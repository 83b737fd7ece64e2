import { ITEM_TYPES } from '../../contract/search.ts';
import type { Database } from '../../db/open.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { type Embedder, EmbedderFault } from '../../outside/embedder.ts';
import {
  deleteJobs,
  fillSome,
  hasJobs,
  hasUnasked,
  type Job,
  keepVectors,
  listDueJobs,
  updateRefused,
} from './jobs-sqlite.ts';
import { deleteSomeOfModel, type EmbeddingModel, switchTo } from './models-sqlite.ts';
import { createPatience, type Patience, type Watch } from './patience.ts';
import { quantised } from './quantised.ts';

interface Parts {
  db: Database;
  clock: Clock;
  log: Log;
  embedder: Embedder;
  watch: Watch;
  /** Fails the requests on their way. */
  signal: AbortSignal;
}

/** Works off what waits, for one model at a time. */
export interface EmbeddingRun {
  /**
   * The next step for a model: a portion of its jobs, of its filling or of its end. `switched`: it serves from now on.
   * `done`: nothing is to do now.
   */
  step(model: EmbeddingModel): Promise<'more' | 'switched' | 'done'>;
}

/** Texts in one request: an answer of so many vectors is read in some milliseconds. */
const BATCH = 32;
const REQUESTS_AT_ONCE = 2;
const FILLED_ROWS = 500;
const RETIRED_ROWS = 500;
const LONGEST_PAUSE_MS = 300_000;
/** A text that was refused so often, each time shorter, gets no vector: the other signals find it. */
const MOST_ATTEMPTS = 5;
const REFUSED_PAUSE_MS = 60_000;
/** A text that no embedder refuses. */
const PROBE = 'hello';

/** Keeps the order of tenants and the patience with each model from one step to the next. */
export function createEmbeddingRun(parts: Parts): EmbeddingRun {
  const { db, clock, log, embedder, watch, signal } = parts;
  const patienceOf = new Map<number, Patience>();
  let lastTenant = '';

  function patienceFor({ id }: EmbeddingModel): Patience {
    const message = 'the embedder gives no vectors for what is stored';
    const patience = patienceOf.get(id) ?? createPatience(parts, { longestMs: LONGEST_PAUSE_MS, watch, message });
    patienceOf.set(id, patience);
    return patience;
  }

  /** Never inside a transaction: texts were read before, vectors are written after. */
  async function embedAll(model: EmbeddingModel, jobs: readonly Job[]): Promise<void> {
    const texts = jobs.map(({ text }) => text!);
    let vectors: Float32Array[];
    try {
      vectors = await embedder.embed(model.name, texts, signal);
    } catch (error) {
      if (!(error instanceof EmbedderFault && error.maybeTexts)) throw error;
      if (jobs.length === 1) return refuse(model, jobs[0]!);
      const half = Math.ceil(jobs.length / 2);
      await embedAll(model, jobs.slice(0, half));
      return embedAll(model, jobs.slice(half));
    }
    const rows = vectors.map((vector, index) => ({ job: jobs[index]!.id, embedding: quantised(vector) }));
    const dimensions = vectors[0]!.length;
    const kept = await db.writes.write((connection) => keepVectors(connection, model.id, rows, dimensions));
    if (kept === 'kept') return;
    throw new EmbedderFault(
      'answer',
      `it answers with vectors of ${dimensions} dimensions, not of those it had before`,
    );
  }

  /** A model that refuses everything is wrongly set or down; one that refuses this text alone may take less of it. */
  async function refuse(model: EmbeddingModel, { id, attempts }: Job): Promise<void> {
    await embedder.embed(model.name, [PROBE], signal).catch((error) => {
      const refusesAll = error instanceof EmbedderFault && error.reason === 'texts';
      throw refusesAll ? new EmbedderFault('settings', error.message) : error;
    });
    if (attempts + 1 < MOST_ATTEMPTS) {
      const dueAt = clock.nowMs() + REFUSED_PAUSE_MS * 2 ** attempts;
      await db.writes.write((connection) => updateRefused(connection, id, dueAt));
      return;
    }
    await db.writes.write((connection) => deleteJobs(connection, [id]));
    log.warn({ model: model.name, attempts: MOST_ATTEMPTS }, 'a text that the embedder refuses stays without a vector');
  }

  async function embedDue(model: EmbeddingModel): Promise<boolean> {
    const patience = patienceFor(model);
    if (!patience.mayAsk() || signal.aborted) return false;
    const limit = BATCH * REQUESTS_AT_ONCE;
    const due = await listDueJobs(db.readers, model.id, { afterTenant: lastTenant, nowMs: clock.nowMs(), limit });
    if (due.length === 0) return false;
    lastTenant = due.at(-1)!.tenantId;
    const empty = due.filter(({ text }) => (text ?? '').trim() === '').map(({ id }) => id);
    if (empty.length > 0) await db.writes.write((connection) => deleteJobs(connection, empty));
    const jobs = due.filter(({ id }) => !empty.includes(id));
    const requests = [jobs.slice(0, BATCH), jobs.slice(BATCH)].filter(({ length }) => length > 0);
    const outcomes = await Promise.allSettled(requests.map((part) => embedAll(model, part)));
    const failed = outcomes.find((outcome) => outcome.status === 'rejected');
    if (failed === undefined) patience.reset();
    else if (!signal.aborted) patience.note(failed.reason);
    return failed === undefined;
  }

  async function fill(model: EmbeddingModel): Promise<boolean> {
    const type = ITEM_TYPES.find((one) => model[`${one}Fill`] !== null);
    if (type === undefined || (await hasJobs(db.readers, model.id, FILLED_ROWS))) return false;
    await db.writes.write((connection) => fillSome(connection, model, type, FILLED_ROWS));
    return true;
  }

  return {
    async step(model) {
      if (model.state === 'retiring') {
        const more = await db.writes.write((connection) => deleteSomeOfModel(connection, model.id, RETIRED_ROWS));
        return more ? 'more' : 'done';
      }
      if (await embedDue(model)) return 'more';
      if (await fill(model)) return 'more';
      if (ITEM_TYPES.some((type) => model[`${type}Fill`] !== null)) return 'done';
      if (model.state === 'serving' || (await hasUnasked(db.readers, model.id))) return 'done';
      await db.writes.write((connection) => switchTo(connection, model.id));
      log.info({ model: model.name }, 'searches ask the new embedding model from now on');
      return 'switched';
    },
  };
}

import { createHash } from 'node:crypto';
import { AppError } from '../../contract/errors.ts';
import { parseJsonInSteps } from '../../contract/storable-steps.ts';
import type { Connection, Reader } from '../../db/connection.ts';
import type { Outcome } from '../../db/group-commit.ts';
import type { Database } from '../../db/open.ts';
import type { Clock } from '../../lib/clock.ts';
import { piecesOfJson, stringifyInSteps } from '../../lib/json-in-steps.ts';
import { runInSlices } from '../../lib/time-slices.ts';
import {
  deleteAnswersOf,
  deleteSomeAnswersBefore,
  findAnswers,
  insertAnswers,
  redactAnswersAbout,
  redactAnswersNaming,
  type StoredAnswer,
} from './idempotency-store.ts';

const RETENTION_MS = 24 * 3_600_000;
/** What the answers to streamed requests quote, as a whole: reports of imports name attachments of messages. */
export const STREAMED = 'streamed';
/** Deleted in one transaction. */
const SWEEP_ROWS = 200;

/** A request that carries an `Idempotency-Key`. */
export interface Claim {
  tenantId: string;
  key: string;
  requestHash: string;
}

/** Response of a create request. `replayed` if it repeats an earlier response. */
export interface Created<T> {
  status: number;
  body: T;
  replayed: boolean;
}

export interface AnswerToStore {
  claim: Claim;
  status: number;
  body: unknown;
  /** The created resources. Erasing one of them redacts the stored answer. */
  resourceIds: readonly string[];
}

/**
 * `Idempotency-Key` as in draft-ietf-httpapi-idempotency-key-header. The answer is stored for 24 hours, in the same
 * transaction as its effect, so that a crash leaves both or neither.
 */
export interface Idempotency {
  /**
   * Runs `work` with the claim of this request, or without one if no key was sent. Throws `conflict` while the first
   * request with this key is in progress. In a space, each `member` (the tenant of an account) has its own keys.
   */
  once<T>(
    request: {
      tenantId: string;
      member?: string | undefined;
      key: string | undefined;
      operation: string;
      body: unknown;
    },
    work: (claim: Claim | undefined) => Promise<T>,
  ): Promise<T>;
  /**
   * For a request whose body is a stream, compared by the hash of its bytes: replays the stored answer when the body has
   * arrived completely, or runs `run` and stores its result. Throws like `once` and `replayOrRun`. The answer is stored
   * after the effects of `run`, not with them, so `run` must be safe to repeat.
   */
  onceStreamed<T>(
    request: {
      tenantId: string;
      member?: string | undefined;
      key: string | undefined;
      operation: string;
      body: AsyncIterable<Uint8Array>;
    },
    work: {
      run(body: AsyncIterable<Uint8Array>): Promise<T>;
      /** Throws if the tenant was erased in the meantime. */
      requireTenant(connection: Connection): Promise<void>;
    },
  ): Promise<Created<T>>;
  /**
   * For a single write, in the caller's transaction: replays the stored answer, or runs `work` and stores its answer.
   * Throws if the key was used for a different request or its answer was redacted.
   */
  replayOrRun<T>(
    connection: Connection,
    claim: Claim | undefined,
    work: () => Promise<{ status: number; body: T; resourceIds: readonly string[] }>,
  ): Promise<Created<T>>;
  /**
   * Like `replayOrRun`, for an answer that must not be stored, because it holds a secret or what may be erased elsewhere: stores
   * the id of what `create` made or changed, and answers with what `find` finds of it now, and 201 unless `status` is given.
   * Throws `gone` once that is nothing.
   */
  createOrFind<T>(
    connection: Connection,
    claim: Claim | undefined,
    work: { create(): Promise<string>; find(id: string): Promise<T | undefined>; status?: number },
  ): Promise<Created<T>>;
  /**
   * Like `replayOrRun`, for effects in several transactions: the answer is stored after them, so `run` must be safe to repeat.
   */
  replayOrRunAll<T>(
    claim: Claim | undefined,
    work: {
      run(): Promise<T>;
      resourceIds: readonly string[];
      /** Throws if the tenant was erased in the meantime. */
      requireTenant(connection: Connection): Promise<void>;
    },
  ): Promise<Created<T>>;
  /** Returns the stored answer, if any. Throws like `replayOrRun`. */
  findReplay(reader: Reader, claim: Claim | undefined): Promise<Created<never> | undefined>;
  /** For grouped writes: the outcome of each claim that has a stored answer. */
  findReplays(reader: Reader, claims: readonly Claim[]): Promise<Map<Claim, Outcome<Created<never>>>>;
  /** Stores answers, in the caller's transaction. */
  store(connection: Connection, created: readonly AnswerToStore[]): Promise<void>;
  /** Redacts the stored answers that contain any of these resources. */
  redact(connection: Connection, tenantId: string, resourceIds: readonly string[]): Promise<void>;
  /** Redacts the stored answers that contain a text as a whole value, such as an address. */
  redactNaming(connection: Connection, tenantId: string, value: string): Promise<void>;
  /** Deletes expired answers, in portions so that other writes are not held up. */
  sweep(): Promise<void>;
  erase(connection: Connection, tenantId: string): Promise<void>;
}

export function createIdempotency({ db, clock }: { db: Database; clock: Clock }): Idempotency {
  /** Requests in progress here. If another daemon stores the answer first, it is replayed when this one writes. */
  const inFlight = new Set<string>();

  async function findReplays(reader: Reader, claims: readonly Claim[]) {
    const stored = await findAnswers(reader, claims, clock.nowMs() - RETENTION_MS);
    const byScopedKey = new Map(stored.map((row) => [`${row.tenantId} ${row.idempotencyKey}`, row]));
    const outcomes = new Map<Claim, Outcome<Created<never>>>();
    for (const claim of claims) {
      const row = byScopedKey.get(`${claim.tenantId} ${claim.key}`);
      if (row) outcomes.set(claim, await replay(claim, row));
    }
    return outcomes;
  }

  async function findReplay(reader: Reader, claim: Claim | undefined): Promise<Created<never> | undefined> {
    const before = claim && (await findReplays(reader, [claim])).get(claim);
    if (before && 'refused' in before) throw before.refused;
    return before?.ok;
  }

  async function store(connection: Connection, created: readonly AnswerToStore[]): Promise<void> {
    const createdAt = clock.nowMs();
    const answers: Parameters<typeof insertAnswers>[1][number][] = [];
    for (const { claim, status, body, resourceIds } of created) {
      const answer = await runInSlices(stringifyInSteps(body), 'urgent');
      const { tenantId, key: idempotencyKey, requestHash } = claim;
      answers.push({ tenantId, idempotencyKey, requestHash, status, answer, createdAt, resourceIds });
    }
    await insertAnswers(connection, answers);
  }

  /** Runs `work` with the key as it is stored, unless another request with this key is in progress. */
  async function alone<T>(
    { tenantId, member, key: given }: { tenantId: string; member?: string | undefined; key: string },
    work: (key: string) => Promise<T>,
  ): Promise<T> {
    requireKey(given);
    const key = member === undefined ? given : `${member} ${given}`;
    const scopedKey = `${tenantId} ${key}`;
    if (inFlight.has(scopedKey)) {
      const detail = 'The first request with this Idempotency-Key is still in progress. Try again in a moment.';
      throw new AppError('conflict', detail, { retryAfterSeconds: 1 });
    }
    inFlight.add(scopedKey);
    try {
      return await work(key);
    } finally {
      inFlight.delete(scopedKey);
    }
  }

  const replayOrRun: Idempotency['replayOrRun'] = async (connection, claim, work) => {
    const before = await findReplay(connection, claim);
    if (before) return before;
    const { status, body, resourceIds } = await work();
    if (claim) await store(connection, [{ claim, status, body, resourceIds }]);
    return { status, body, replayed: false };
  };

  return {
    async once({ tenantId, member, key: given, operation, body }, work) {
      if (given === undefined) return work(undefined);
      return alone({ tenantId, member, key: given }, async (key) => {
        const requestHash = await runInSlices(hashInSteps(operation, body), tenantId);
        return work({ tenantId, key, requestHash });
      });
    },
    async onceStreamed({ tenantId, member, key: given, operation, body }, { run, requireTenant }) {
      if (given === undefined) return { status: 200, body: await run(body), replayed: false };
      return alone({ tenantId, member, key: given }, async (key) => {
        const hashed = createHashedStream(body, `${operation}\n`);
        try {
          const [isStored] = await findAnswers(db.readers, [{ tenantId, key }], clock.nowMs() - RETENTION_MS);
          const answer = isStored ? undefined : await run(hashed.stream);
          const claim = { tenantId, key, requestHash: await hashed.finish() };
          return await db.writes.write(tenantId, async (connection) => {
            await requireTenant(connection);
            return replayOrRun(connection, claim, async () => {
              if (answer === undefined) throw expired();
              return { status: 200, body: answer, resourceIds: [STREAMED] };
            });
          });
        } finally {
          await hashed.close();
        }
      });
    },
    replayOrRun,
    async createOrFind(connection, claim, { create, find, status = 201 }) {
      const { body: made, ...created } = await replayOrRun(connection, claim, async () => {
        const id = await create();
        return { status, body: { id }, resourceIds: [id] };
      });
      const body = await find(made.id);
      if (body === undefined) throw gone();
      return { ...created, body };
    },
    async replayOrRunAll(claim, { run, resourceIds, requireTenant }) {
      const before = await findReplay(db.lookups, claim);
      if (before) return before;
      const body = await run();
      if (!claim) return { status: 200, body, replayed: false };
      return db.writes.write(claim.tenantId, async (connection) => {
        await requireTenant(connection);
        return replayOrRun(connection, claim, async () => ({ status: 200, body, resourceIds }));
      });
    },
    findReplay,
    findReplays,
    store,
    redact: redactAnswersAbout,
    redactNaming: redactAnswersNaming,
    async sweep() {
      const beforeMs = clock.nowMs() - RETENTION_MS;
      const deleteSome = (connection: Connection) => deleteSomeAnswersBefore(connection, beforeMs, SWEEP_ROWS);
      while ((await db.writes.write('daemon', deleteSome)) === SWEEP_ROWS);
    },
    erase: deleteAnswersOf,
  };
}

function requireKey(key: string): void {
  if (key.length > 0 && key.length <= 255 && /^[\x20-\x7e]+$/.test(key)) return;
  throw new AppError('invalid_request', 'Idempotency-Key must be 1 to 255 printable ASCII characters.');
}

function gone(): AppError {
  return new AppError('gone', 'What this Idempotency-Key created has since been erased or changed.');
}

function expired(): AppError {
  return new AppError('conflict', 'The answer to this Idempotency-Key has just expired. Send the request again.');
}

function* hashInSteps(operation: string, body: unknown): Generator<void, string> {
  const hash = createHash('sha256').update(`${operation}\n`);
  for (const piece of piecesOfJson(body)) {
    hash.update(piece);
    yield;
  }
  return hash.digest('hex');
}

/** Others may wait for the transaction that an answer is read in. */
async function replay(claim: Claim, row: StoredAnswer): Promise<Outcome<Created<never>>> {
  if (row.requestHash !== claim.requestHash) {
    const detail = 'This Idempotency-Key was already used for a different request. Use a new key for each request.';
    return { refused: new AppError('unprocessable', detail) };
  }
  if (row.answer === null) return { refused: gone() };
  const body = await runInSlices(parseJsonInSteps(Buffer.from(row.answer)), 'urgent');
  return { ok: { status: row.status, body: body as never, replayed: true } };
}

/** A stream of bytes that is hashed while it is read. */
interface HashedStream {
  /** Reading it may end early: `finish` reads the rest. */
  stream: AsyncIterable<Uint8Array>;
  /** Reads what is left and returns the hash of all bytes. */
  finish(): Promise<string>;
  close(): Promise<void>;
}

/** Hashes `prefix`, then the bytes of the body. */
function createHashedStream(body: AsyncIterable<Uint8Array>, prefix: string): HashedStream {
  const hash = createHash('sha256').update(prefix);
  const bytes = body[Symbol.asyncIterator]();
  async function next(): Promise<IteratorResult<Uint8Array>> {
    const result = await bytes.next();
    if (!result.done) hash.update(result.value);
    return result;
  }
  return {
    stream: { [Symbol.asyncIterator]: () => ({ next }) },
    async finish() {
      while (!(await next()).done);
      return hash.digest('hex');
    },
    async close() {
      await bytes.return?.();
    },
  };
}

import { createHash } from 'node:crypto';
import { AppError } from '../../contract/errors.ts';
import type { Connection, Reader } from '../../db/connection.ts';
import type { Outcome } from '../../db/group-commit.ts';
import type { Database } from '../../db/open.ts';
import type { Clock } from '../../lib/clock.ts';
import {
  deleteAnswersBefore,
  deleteAnswersOf,
  findAnswers,
  insertAnswers,
  redactAnswersAbout,
  type StoredAnswer,
} from './idempotency-store.ts';

const RETENTION_MS = 24 * 3_600_000;

/** One request that carries an `Idempotency-Key`. */
export interface Claim {
  tenantId: string;
  key: string;
  requestHash: string;
}

/** What a creating request answered: the body and its status; `replayed` where it was answered before. */
export interface Created<T> {
  status: number;
  body: T;
  replayed: boolean;
}

export interface AnswerToStore {
  claim: Claim;
  status: number;
  body: unknown;
  /** What was created: erasing one of them blanks the kept answer. */
  resourceIds: readonly string[];
}

/**
 * `Idempotency-Key` after draft-ietf-httpapi-idempotency-key-header: the answer is kept for 24 hours in the very
 * transaction of its effect, so that after any crash there is both or neither.
 */
export interface Idempotency {
  /**
   * Runs `work` with the claim of this request, or without one where no key was sent. Throws `conflict` while the first
   * request with this key is still under way.
   */
  once<T>(
    request: { tenantId: string; key: string | undefined; operation: string; body: unknown },
    work: (claim: Claim | undefined) => Promise<T>,
  ): Promise<T>;
  /**
   * For one write of its own, in the caller's transaction: answers again what was answered before, or runs `work` and
   * keeps its answer. Throws the refusal of a key that cannot be used again.
   */
  replayOrRun<T>(
    connection: Connection,
    claim: Claim | undefined,
    work: () => Promise<{ status: number; body: T; resourceIds: readonly string[] }>,
  ): Promise<Created<T>>;
  /** What was answered before, if anything. Throws the refusal of a key that cannot be used again. */
  findReplay(reader: Reader, claim: Claim | undefined): Promise<Created<never> | undefined>;
  /** For a grouped write: the outcome of each claim that was answered before, by `claim`. */
  findReplays(reader: Reader, claims: readonly Claim[]): Promise<Map<Claim, Outcome<Created<never>>>>;
  /** Keeps the answers, in the same transaction. */
  store(connection: Connection, created: readonly AnswerToStore[]): Promise<void>;
  /** Blanks the kept answers that hold this resource. */
  redact(connection: Connection, tenantId: string, resourceId: string): Promise<void>;
  sweep(): Promise<void>;
  erase(connection: Connection, tenantId: string): Promise<void>;
}

export function createIdempotency({ db, clock }: { db: Database; clock: Clock }): Idempotency {
  const inFlight = new Set<string>();

  async function findReplays(reader: Reader, claims: readonly Claim[]) {
    const stored = await findAnswers(reader, claims, clock.nowMs() - RETENTION_MS);
    const byScopedKey = new Map(stored.map((row) => [`${row.tenantId} ${row.idempotencyKey}`, row]));
    const outcomes = new Map<Claim, Outcome<Created<never>>>();
    for (const claim of claims) {
      const row = byScopedKey.get(`${claim.tenantId} ${claim.key}`);
      if (row) outcomes.set(claim, replay(claim, row));
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
    await insertAnswers(
      connection,
      created.map(({ claim, status, body, resourceIds }) => ({
        tenantId: claim.tenantId,
        idempotencyKey: claim.key,
        requestHash: claim.requestHash,
        status,
        answer: JSON.stringify(body),
        createdAt,
        resourceIds,
      })),
    );
  }

  return {
    async once({ tenantId, key, operation, body }, work) {
      if (key === undefined) return work(undefined);
      if (key.length === 0 || key.length > 255 || !/^[\x20-\x7e]+$/.test(key)) {
        throw new AppError('invalid_request', 'Idempotency-Key must be 1 to 255 printable ASCII characters.');
      }
      const scopedKey = `${tenantId} ${key}`;
      if (inFlight.has(scopedKey)) {
        const detail = 'The first request with this Idempotency-Key is still under way. Try again in a moment.';
        throw new AppError('conflict', detail, { retryAfterSeconds: 1 });
      }
      inFlight.add(scopedKey);
      try {
        const requestHash = createHash('sha256')
          .update(`${operation}\n${JSON.stringify(body)}`)
          .digest('hex');
        return await work({ tenantId, key, requestHash });
      } finally {
        inFlight.delete(scopedKey);
      }
    },
    async replayOrRun(connection, claim, work) {
      const before = await findReplay(connection, claim);
      if (before) return before;
      const { status, body, resourceIds } = await work();
      if (claim) await store(connection, [{ claim, status, body, resourceIds }]);
      return { status, body, replayed: false };
    },
    findReplay,
    findReplays,
    store,
    redact: redactAnswersAbout,
    sweep: () => db.writes.write((connection) => deleteAnswersBefore(connection, clock.nowMs() - RETENTION_MS)),
    erase: deleteAnswersOf,
  };
}

function replay(claim: Claim, row: StoredAnswer): Outcome<Created<never>> {
  if (row.requestHash !== claim.requestHash) {
    const detail = 'This Idempotency-Key was used with another request. Send a new key for a new request.';
    return { refused: new AppError('unprocessable', detail) };
  }
  if (row.answer === null) {
    return { refused: new AppError('gone', 'What this Idempotency-Key created has been erased since.') };
  }
  return { ok: { status: row.status, body: JSON.parse(row.answer) as never, replayed: true } };
}

import type { Memory } from '../../contract/memories.ts';
import type { NewSuggestion } from '../../contract/suggestions.ts';
import type { Database } from '../../db/open.ts';
import type { Clock } from '../../lib/clock.ts';
import { toTimestamp } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { Memories } from '../memories/memories.ts';
import { deletePassing, findPassing, listPassed, type PassingMemory, savePassing } from './passing-memories-store.ts';
import { type Passing, passingOf } from './passing-rules.ts';

/** Suggests that memories expire once the time that they state has passed. */
export interface PassedTimes {
  /** Suggests that a memory expires if its time has passed, and otherwise stores when to look at it again. */
  lookAt(tenantId: string, memory: Memory): Promise<void>;
  /** Looks again at memories of all accounts whose time has passed meanwhile, for about a second. */
  followPassed(): Promise<void>;
}

interface Parts {
  db: Database;
  clock: Clock;
  log: Log;
  memories: Pick<Memories, 'findWithin'>;
  suggest(tenantId: string, found: readonly NewSuggestion[]): Promise<void>;
}

/** A day ends up to half a day later elsewhere, and what was said may be a day off as well. */
const MARGIN_MS = 24 * 3_600_000;
const PORTION = 100;
const RUN_MS = 1000;

/** Times are stored with what they are of, so that what is due is found by an index and never by reading memories. */
export function createPassedTimes({ db, clock, log, memories, suggest }: Parts): PassedTimes {
  async function lookAt(tenantId: string, memory: Memory): Promise<void> {
    const passing = passingIn(memory);
    const dueAt = passing && passing.endsMs + MARGIN_MS;
    const isDue = dueAt !== undefined && dueAt <= clock.nowMs();
    if (isDue) await suggest(tenantId, [expireOf(memory, passing!)]);
    const next = isDue ? undefined : dueAt;
    const stored = await findPassing(db.readers.of(tenantId), tenantId, memory.id);
    if (stored?.dueAt === next) return;
    await db.writes.write(tenantId, (connection) =>
      next === undefined
        ? deletePassing(connection, tenantId, memory.id)
        : savePassing(connection, { tenantId, memoryId: memory.id, dueAt: next }),
    );
  }

  async function lookAgain({ tenantId, memoryId }: PassingMemory): Promise<void> {
    const memory = await memories.findWithin(db.readers.of(tenantId), tenantId, memoryId);
    if (memory) await lookAt(tenantId, memory);
  }

  return {
    lookAt,
    async followPassed() {
      const untilMs = clock.monotonicMs() + RUN_MS;
      const failed = new Set<string>();
      let after: PassingMemory | undefined;
      do {
        const due = await listPassed(db.readers, clock.nowMs(), after, PORTION);
        for (const one of due) {
          if (failed.has(one.tenantId)) continue;
          await lookAgain(one).catch((error: unknown) => {
            failed.add(one.tenantId);
            log.warn({ error, tenantId: one.tenantId }, 'could not look at memories whose time has passed');
          });
        }
        after = due.at(-1);
      } while (after !== undefined && clock.monotonicMs() < untilMs);
    },
  };
}

/** When a memory ceases to hold. One that is pinned is to stay, and one with an expiry needs no suggestion. */
function passingIn({ content, validTo, expiresAt, pinned, ...memory }: Memory): Passing | undefined {
  if (validTo !== null || expiresAt !== null || pinned) return undefined;
  return passingOf(content, saidAtMs(memory));
}

/** When the text was written; an edit has its own time, unless the memory says when it happened. */
function saidAtMs({
  saidAt,
  occurredAt,
  createdAt,
  updatedAt,
  version,
}: Pick<Memory, 'saidAt' | 'occurredAt' | 'createdAt' | 'updatedAt' | 'version'>): number {
  return Date.parse(saidAt ?? occurredAt ?? (version > 1 ? updatedAt : createdAt));
}

function expireOf({ id, content }: Memory, { endsMs, confidence }: Passing): NewSuggestion {
  const reason = `The time that it names ended on ${toTimestamp(endsMs - 1).slice(0, 10)}.`;
  const evidence = [{ id, text: content }];
  return { kind: 'expire', memoryIds: [id], validFrom: toTimestamp(endsMs), evidence, reason, confidence };
}

import sqlite3 from 'sqlite3';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { LEDGER_CONTENTS, LEDGER_REQUESTS, type LedgerAccount, teachWords } from '../../bench/ledger-requests.ts';
import { conversing } from '../features/conversations/conversation-caller.ts';
import { type Caller, type MemoryDaemon, startMemoryDaemon } from '../features/memories/memory-daemon.ts';
import { WITHOUT_TIMERS } from '../helpers/daemon.ts';

/** What a request costs the database. */
interface Cost {
  statements: number;
  /** Read by SELECT and RETURNING. */
  rows: number;
}

/** Of so many repetitions the cheapest counts: background work adds to others. */
const REPETITIONS = 6;

const total: Cost = { statements: 0, rows: 0 };
const { all, run } = sqlite3.Statement.prototype;
let daemon: MemoryDaemon;
let caller: Caller;
let account: LedgerAccount;

beforeAll(async () => {
  countStatements();
  // The statements of timers would count.
  daemon = await startMemoryDaemon(WITHOUT_TIMERS);
  caller = await daemon.account();
  const { memories, messages } = LEDGER_CONTENTS;
  const added = await caller.addAll(
    Array.from({ length: memories }, (_, index) => ({ content: `Ada has cup ${index} in the kitchen` })),
  );
  const chat = conversing(caller);
  const { id } = await chat.begin();
  await chat.say(id, ...Array.from({ length: messages }, (_, index) => `Cup ${index} is mine`));
  account = { memoryId: added[0]!.id, conversationId: id };
  await teachWords(async (path, body) => (await caller.call(path, { body })).body);
  // Until then an appended answer is compared in the background with what the search showed.
  daemon.clock.advance(2 * 3_600_000);
});
afterAll(async () => {
  Object.assign(sqlite3.Statement.prototype, { all, run });
  await daemon.close();
});

/** Counts the statements of all connections of this process, and the rows that they return. */
function countStatements(): void {
  Object.assign(sqlite3.Statement.prototype, {
    all(this: sqlite3.Statement, values: unknown, done: (error: Error | null, rows: unknown[]) => void) {
      total.statements += 1;
      return all.call(this, values, (error: Error | null, rows: unknown[]) => {
        total.rows += rows?.length ?? 0;
        done(error, rows);
      });
    },
    run(this: sqlite3.Statement, values: unknown, done: (this: sqlite3.RunResult, error: Error | null) => void) {
      total.statements += 1;
      return run.call(this, values, done);
    },
  });
}

async function costOf(request: (typeof LEDGER_REQUESTS)[string]): Promise<Cost> {
  const costs: Cost[] = [];
  for (let round = 0; round <= REPETITIONS; round += 1) {
    const before = { ...total };
    const { path, ...options } = request(account, round);
    const { status, text } = await caller.call(path, options);
    expect(status, text).toBeLessThan(300);
    // The first one fills caches.
    if (round > 0) costs.push({ statements: total.statements - before.statements, rows: total.rows - before.rows });
  }
  return {
    statements: Math.min(...costs.map(({ statements }) => statements)),
    rows: Math.min(...costs.map(({ rows }) => rows)),
  };
}

test.skipIf(process.env.TEST_ENGINE === 'postgres')(
  'a request costs the statements and rows of the ledger; accept others with -u, and say why',
  async () => {
    const costs: Record<string, Cost> = {};
    for (const [name, request] of Object.entries(LEDGER_REQUESTS)) costs[name] = await costOf(request);
    await expect(`${JSON.stringify(costs, null, 2)}\n`).toMatchFileSnapshot('../../bench/ledger.json');
  },
);

import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { textIndices } from '../../../src/features/text/text-indices.ts';
import { type MemoryDaemon, startMemoryDaemon } from '../memories/memory-daemon.ts';
import { newAccount, portable } from '../portability/portable-account.ts';
import { expectIndexEqualsRows } from './index-rows.ts';
import { indexStep, takeStep } from './index-steps.ts';

let daemon: MemoryDaemon;

beforeAll(async () => {
  daemon = await startMemoryDaemon();
  daemon.clock.freeze();
});
afterAll(() => daemon.close());

test('totals equal a recount after each write, after an import and after an erasure', {
  timeout: 120_000,
}, async () => {
  const isWhole = () => expectIndexEqualsRows(daemon);
  await fc.assert(
    fc.asyncProperty(fc.array(indexStep, { minLength: 5, maxLength: 12 }), async (steps) => {
      const caller = await newAccount(daemon);
      for (const each of steps) await takeStep(daemon, caller, each);
      await isWhole();
      const other = await newAccount(daemon);
      await portable(other).importFile(await portable(caller).text());
      await isWhole();
      for (const { call } of [caller, other]) await call('/v1/account', { method: 'DELETE' });
      await isWhole();
    }),
    { numRuns: 3 },
  );
});

test('problems names totals that are wrong or missing', async () => {
  const caller = await newAccount(daemon);
  await caller.add('My kayak is red');
  const { memory } = textIndices;
  /** The problems after a statement, which is rolled back. */
  async function problemsAfter(sql: string): Promise<string[]> {
    let problems: string[] = [];
    const spoiling = daemon.db.writes.write('daemon', async (connection) => {
      await connection.run(sql, [caller.tenantId]);
      problems = await memory.problems(connection);
      throw new Error('Rolled back.');
    });
    await expect(spoiling).rejects.toThrow('Rolled back.');
    return problems;
  }
  expect(await daemon.db.writes.write('daemon', memory.problems)).toEqual([]);
  expect(await problemsAfter('UPDATE wordTotals SET words = words + 1 WHERE tenantId = ?')).toEqual([
    expect.stringMatching(/^the memory totals of ten_\w+, user \d+ are 1 documents, 7 words/),
  ]);
  expect(await problemsAfter('DELETE FROM wordTotals WHERE tenantId = ?')).toEqual([
    expect.stringContaining('are 0 documents, 0 words, 0 passages, and should be 1'),
  ]);
});

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
    { numRuns: 5 },
  );
});

test('problems names totals that are wrong or missing', async () => {
  const caller = await newAccount(daemon);
  await caller.add('My kayak is red');
  const { memory } = textIndices;
  const spoil = (sql: string) =>
    daemon.db.writes.write('daemon', (connection) => connection.run(sql, [caller.tenantId]));
  const problems = () => daemon.db.writes.write('daemon', memory.problems);
  expect(await problems()).toEqual([]);
  await spoil('UPDATE wordTotals SET words = words + 1 WHERE tenantId = ?');
  expect(await problems()).toEqual([
    expect.stringMatching(/^the memory totals of ten_\w+, user \d+ are 1 documents, 7 words/),
  ]);
  await spoil('DELETE FROM wordTotals WHERE tenantId = ?');
  expect(await problems()).toEqual([expect.stringContaining('are 0 documents, 0 words, 0 passages, and should be 1')]);
  await caller.call('/v1/account', { method: 'DELETE' });
});

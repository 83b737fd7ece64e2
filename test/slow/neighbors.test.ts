import { expect, test } from 'vitest';
import { benchFairness } from '../../bench/fairness.ts';

/** Far more than `npm run bench -- fairness` aims for: a busy machine stays below, a neighbor that stalls others does not. */
const MAX_MS = { GET: 1000, POST: 3000, search: 3000, '/healthz': 1000 };

test('no load of one tenant inside its limit stalls another (row 63)', async () => {
  const { rows } = await benchFairness({ rounds: 1, seconds: 0.5, nodeOptions: [], progress: () => {} });
  expect(rows).toHaveLength(8 * 4);
  console.info(rows.map(({ load, request, p50, p95 }) => `${load} ${request} ${p50} ${p95}`).join('; '));
  const stalled = rows.filter(({ request, p95 }) => Number(p95) > MAX_MS[request as keyof typeof MAX_MS]);
  expect(stalled).toEqual([]);
});

import { expect, test } from 'vitest';
import { benchFairness } from '../../bench/fairness.ts';

/** Share of the tenants and loads of `npm run bench -- fairness`. */
const SCALE = 0.2;
/** Far more than that benchmark aims for: a busy machine stays below, a neighbor that stalls others does not. */
const MAX_P95_MS = { GET: 500, POST: 1500, search: 1500, '/healthz': 500 };
const MAX_STOP_MS = 500;
/** Most requests wait only for what is proportional to the load. */
const MAX_P50_MS = { GET: 200, POST: 600, search: 600, '/healthz': 200 };

test('no load of one tenant inside its limit stalls another (row 63)', async () => {
  const options = { rounds: 1, seconds: 0.25, nodeOptions: [], progress: () => {}, scale: SCALE };
  const { rows } = await benchFairness(options);
  expect(rows).toHaveLength(8 * 4);
  console.info(rows.map(({ load, request, p50, p95, stop }) => [load, request, p50, p95, stop].join(' ')).join('; '));
  const stalled = rows.filter((row) => {
    const request = row.request as keyof typeof MAX_P95_MS;
    const isLate = Number(row.p50) > MAX_P50_MS[request] || Number(row.p95) > MAX_P95_MS[request];
    return isLate || Number(row.stop ?? 0) > MAX_STOP_MS;
  });
  expect(stalled).toEqual([]);
});

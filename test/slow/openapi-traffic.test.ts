import { expect, test } from 'vitest';
import { sendTraffic } from '../helpers/openapi-traffic.ts';

/** `OPENAPI_REQUESTS=30000` takes five minutes. */
const REQUESTS = Number(process.env.OPENAPI_REQUESTS ?? 10_000);

test(`${REQUESTS} generated requests are answered as the OpenAPI document declares, and none with 5xx (row 78)`, {
  timeout: 900_000,
}, async () => {
  const { faults, unsuccessful } = await sendTraffic({ requests: REQUESTS, tenants: 8, triesEach: true });
  expect(faults).toEqual([]);
  expect(unsuccessful, 'each operation succeeds at least once').toEqual([]);
});

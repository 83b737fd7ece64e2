import { expect, test } from 'vitest';
import { sendTraffic } from '../helpers/openapi-traffic.ts';

test('30,000 generated requests are answered as the OpenAPI document declares, and none with 5xx', {
  timeout: 600_000,
}, async () => {
  const { faults, unsuccessful } = await sendTraffic({ requests: 30_000, tenants: 8 });
  expect(faults).toEqual([]);
  expect(unsuccessful, 'each operation succeeds at least once').toEqual([]);
});

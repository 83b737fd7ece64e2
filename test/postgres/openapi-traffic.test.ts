import { expect, test } from 'vitest';
import { sendTraffic } from '../helpers/openapi-traffic.ts';

test('answers to generated requests are as the OpenAPI document declares them', { timeout: 60_000 }, async () => {
  const { faults } = await sendTraffic({ requests: 500, tenants: 8 });
  expect(faults).toEqual([]);
});

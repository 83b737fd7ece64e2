import fc from 'fast-check';
import { afterAll, beforeAll, test } from 'vitest';
import { startTestDaemon, type TestDaemon } from '../../helpers/daemon.ts';
import { runSteps, steps } from './sync-model.ts';

/** `svc sync` under random edits on both sides and crashes at any step. A longer run is in the slow suite. */

let daemon: TestDaemon;
let place: { baseUrl: string; apiKey: string; tenantId: string };
let users = 0;

beforeAll(async () => {
  daemon = await startTestDaemon();
  const { apiKey, account } = await daemon.signIn('sync@example.com');
  await daemon.accounts.setTier(account.tenantId, 'Enterprise');
  place = { baseUrl: daemon.baseUrl, apiKey, tenantId: account.tenantId };
});

afterAll(() => daemon.close());

test('loses and doubles nothing, whatever either side changes and wherever it crashes', async () => {
  await fc.assert(
    fc.asyncProperty(steps(6), async (all) => {
      users += 1;
      daemon.clock.advance(60_000);
      await runSteps(all, { ...place, user: `user-${users}` });
    }),
    { numRuns: 10 },
  );
});

import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestDaemon, type TestDaemon } from '../../helpers/daemon.ts';
import { type Operation, runSteps, type Step, steps } from './sync-model.ts';

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

async function run(all: readonly Step[]): Promise<number> {
  users += 1;
  daemon.clock.advance(60_000);
  return runSteps(all, { ...place, user: `user-${users}` });
}

const step = (operations: Operation[], more: Partial<Step> = {}): Step => {
  return {
    edits: operations.map((operation) => ({ operation, pick: 0 })),
    crash: undefined,
    meanwhile: undefined,
    ...more,
  };
};

test('loses and doubles nothing, whatever either side changes and wherever it crashes', async () => {
  await fc.assert(
    fc.asyncProperty(steps(6), async (all) => void (await run(all))),
    { numRuns: 5, seed: 20261126 },
  );
});

test('makes one memory of a new file that is edited after a crash, wherever that was', async () => {
  for (let at = 0; at < 14; at += 1) {
    const crash = { at, takesEffect: true };
    expect(await run([step(['file new'], { crash }), step(['file edit'])])).toBe(1);
  }
});

test('keeps what is saved while a sync runs', async () => {
  for (let at = 0; at < 6; at += 1) {
    const meanwhile = { at, operation: 'file edit', pick: 0 } as const;
    expect(await run([step(['memory new']), step(['memory edit', 'file new'], { meanwhile })])).toBe(2);
  }
});

test('settles a copy whose memory is erased when another file has its text', async () => {
  const steps = [step(['memory new']), step(['file copy']), step(['file same text']), step(['memory edit'])];
  expect(await run([...steps, step(['memory erase'])])).toBe(1);
});

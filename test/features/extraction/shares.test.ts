import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { Job } from '../../../src/contract/jobs.ts';
import { type ProviderServer, startProviderServer } from '../../helpers/providers/server.ts';
import type { Caller, MemoryDaemon } from '../memories/memory-daemon.ts';
import { putKey, startProviderDaemon } from '../providers/provider-daemon.ts';
import { converse, extract } from './extraction-daemon.ts';

let daemon: MemoryDaemon;
let server: ProviderServer;

beforeAll(async () => {
  daemon = await startProviderDaemon();
  server = await startProviderServer('openai');
});
afterAll(async () => {
  await daemon.close();
  await server.close();
});

/** Callers of the model, in order. */
const askers = () =>
  server.requests.filter(({ method }) => method === 'POST').map(({ headers }) => headers.authorization);

/** Completes one of a caller's running jobs. */
async function endOne(caller: Caller): Promise<void> {
  const { data } = (await caller.call<{ data: Job[] }>('/v1/jobs?state=running')).body;
  await caller.call(`/v1/jobs/${data[0]!.id}`, { method: 'DELETE' });
}

/** The same, and waits until the next job has taken the slot. */
async function makeRoom(caller: Caller): Promise<void> {
  const before = askers().length;
  await endOne(caller);
  await vi.waitFor(() => expect(askers()).toHaveLength(before + 1), { timeout: 10_000 });
}

test('a tenant without running jobs gets a slot though eight hang; each tenant gets one of the slots that become free', async () => {
  const callers = [await daemon.account(), await daemon.account(), await daemon.account()];
  const [first, second, third] = callers.toSorted((a, b) => (a.tenantId < b.tenantId ? -1 : 1)) as [
    Caller,
    Caller,
    Caller,
  ];
  const keyOf = ({ tenantId }: Caller) => `sk-of-${tenantId}`;
  for (const caller of callers) await putKey(caller, server, keyOf(caller));
  server.next(...Array<'hang'>(100).fill('hang'));
  const queue = async (caller: Caller, jobs: number) => {
    for (let job = 0; job < jobs; job += 1) await extract(caller, await converse(caller, ['I drink green tea.']));
  };
  await queue(first, 10);
  await queue(second, 10);
  await vi.waitFor(() => expect(askers()).toHaveLength(8), { timeout: 10_000 });
  await queue(third, 3);
  await vi.waitFor(() => expect(askers()).toHaveLength(9), { timeout: 10_000 });
  expect(askers().at(-1)).toBe(`Bearer ${keyOf(third)}`);
  await endOne(first);
  await makeRoom(second);
  await makeRoom(first);
  await makeRoom(second);
  expect(new Set(askers().slice(9))).toEqual(new Set(callers.map((caller) => `Bearer ${keyOf(caller)}`)));
}, 20_000);

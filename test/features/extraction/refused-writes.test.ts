import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { refuseWrites } from '../../helpers/broken-tables.ts';
import { type ProviderServer, PUBLISHED, startProviderServer } from '../../helpers/providers/server.ts';
import type { Caller, MemoryDaemon } from '../memories/memory-daemon.ts';
import { putKey, startProviderDaemon } from '../providers/provider-daemon.ts';
import { converse, extract, extracted, jobOf, untilEnded, untilJob } from './extraction-daemon.ts';

let daemon: MemoryDaemon;
let server: ProviderServer;
let caller: Caller;

beforeAll(async () => {
  daemon = await startProviderDaemon();
  server = await startProviderServer('openai', {
    answer: () => ({ memories: [extracted('Ada drinks green tea.', [1])] }),
  });
});
afterAll(async () => {
  await daemon.close();
  await server.close();
});
beforeEach(async () => {
  caller = await daemon.account();
  await putKey(caller, server, 'sk-test-0123456789abcdef');
  daemon.logLines.length = 0;
});
afterEach(() => server.reset());

const refuse = (state: 'queued' | 'running') =>
  refuseWrites(daemon, { event: 'UPDATE', table: 'jobs', when: `NEW.state = '${state}' AND OLD.state <> NEW.state` });
const refusals = () => daemon.logLines.filter((line) => line.includes('cannot write the failure of a job')).length;

test('a job whose failure cannot be written is shown as failed once it can, and is retried', async () => {
  const refuseNoMore = await refuse('queued');
  server.next(PUBLISHED.openai.broken);
  const jobId = await extract(caller, await converse(caller, ['I drink green tea.']));
  await vi.waitFor(() => expect(refusals()).toBeGreaterThan(0), { timeout: 10_000 });
  expect((await jobOf(caller, jobId)).state).toBe('running');
  await refuseNoMore();
  await daemon.jobRunner.follow();
  expect(await jobOf(caller, jobId)).toMatchObject({ state: 'queued', attempts: 1, error: { code: 'failed' } });
  daemon.clock.advance(10_000);
  await daemon.jobRunner.follow();
  expect(await untilEnded(caller, jobId)).toMatchObject({ state: 'done', attempts: 0, result: { added: 1 } });
});

test('a job that cannot be claimed waits for the timer instead of being retried in a loop', async () => {
  const refuseNoMore = await refuse('running');
  const jobId = await extract(caller, await converse(caller, ['I drink green tea.']));
  await vi.waitFor(() => expect(refusals()).toBeGreaterThan(0), { timeout: 10_000 });
  for (let call = 0; call < 50; call += 1) expect((await jobOf(caller, jobId)).state).toBe('queued');
  // Without a pause there would be hundreds.
  expect(refusals()).toBeLessThan(100);
  await refuseNoMore();
  await daemon.jobRunner.follow();
  expect(await untilJob(caller, jobId, ({ state }) => state === 'done')).toMatchObject({ result: { added: 1 } });
});

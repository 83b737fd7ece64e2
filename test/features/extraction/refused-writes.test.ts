import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import type { Job } from '../../../src/contract/jobs.ts';
import { QUIET_MS } from '../../../src/features/extraction/extraction-observer.ts';
import { refuseWrites } from '../../helpers/broken-tables.ts';
import { WITHOUT_TIMERS } from '../../helpers/daemon.ts';
import { type ProviderServer, PUBLISHED, startProviderServer } from '../../helpers/providers/server.ts';
import type { Caller, MemoryDaemon } from '../memories/memory-daemon.ts';
import { putKey, startProviderDaemon } from '../providers/provider-daemon.ts';
import { converse, extract, extracted, jobOf, untilEnded, untilJob } from './extraction-daemon.ts';

let daemon: MemoryDaemon;
/** Its timers queue nothing while a test looks. */
let untimed: MemoryDaemon;
let server: ProviderServer;
let caller: Caller;

beforeAll(async () => {
  [daemon, untimed] = await Promise.all([startProviderDaemon(), startProviderDaemon(WITHOUT_TIMERS)]);
});
afterAll(() => Promise.all([daemon.close(), untimed.close()]));
beforeEach(async () => {
  // Each test has its own: a job that another one left would take an answer of this one.
  server = await startProviderServer('openai', {
    answer: () => ({ memories: [extracted('Ada drinks green tea.', [1])] }),
  });
  caller = await daemon.account();
  await putKey(caller, server, 'sk-test-0123456789abcdef');
  daemon.logLines.length = 0;
});
afterEach(() => server.close());

const refuse = (state: 'queued' | 'running') =>
  refuseWrites(daemon, { event: 'UPDATE', table: 'jobs', when: `NEW.state = '${state}' AND OLD.state <> NEW.state` });
/** How often the failure of this job could not be written: jobs of other tests may go on. */
const refusals = (jobId: string) =>
  daemon.logLines.filter((line) => line.includes('cannot write the failure of a job') && line.includes(jobId)).length;

test('a job whose failure cannot be written is shown as failed once it can, and is retried', async () => {
  const refuseNoMore = await refuse('queued');
  server.next(PUBLISHED.openai.broken);
  const jobId = await extract(caller, await converse(caller, ['I drink green tea.']));
  await vi.waitFor(() => expect(refusals(jobId)).toBeGreaterThan(0), { timeout: 10_000 });
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
  await vi.waitFor(() => expect(refusals(jobId)).toBeGreaterThan(0), { timeout: 10_000 });
  for (let call = 0; call < 50; call += 1) expect((await jobOf(caller, jobId)).state).toBe('queued');
  // Without a pause there would be hundreds.
  expect(refusals(jobId)).toBeLessThan(100);
  await refuseNoMore();
  await daemon.jobRunner.follow();
  expect(await untilJob(caller, jobId, ({ state }) => state === 'done')).toMatchObject({ result: { added: 1 } });
});

test('an account whose jobs cannot be queued delays no other one', async () => {
  const callers = [await untimed.account(), await untimed.account()].toSorted((a, b) =>
    a.tenantId < b.tenantId ? -1 : 1,
  );
  for (const one of callers) {
    await putKey(one, server, 'sk-test-0123456789abcdef');
    const body = { extraction: { onAppend: true }, tidySchedule: 'daily' };
    expect((await one.call('/v1/provider-settings', { method: 'PATCH', body })).status).toBe(200);
    await one.add('Ada drinks green tea.');
    await converse(one, ['I drink green tea.']);
  }
  const [first, second] = callers as [Caller, Caller];
  untimed.clock.advance(QUIET_MS);
  const when = `NEW."tenantId" = '${first.tenantId}'`;
  const refuseNoMore = await refuseWrites(untimed, { event: 'INSERT', table: 'jobs', when });
  await untimed.extraction.follow();
  await untimed.tidyJobs.follow();
  await refuseNoMore();
  const kinds = async (one: Caller) =>
    (await one.call<{ data: Job[] }>('/v1/jobs')).body.data.map(({ kind }) => kind).toSorted();
  expect(await kinds(second)).toEqual(['extract', 'tidy']);
  expect(await kinds(first)).toEqual([]);
  const logged = (text: string) => untimed.logLines.filter((line) => line.includes(text)).length;
  expect([logged('cannot queue extraction jobs'), logged('cannot queue jobs to tidy memories')]).toEqual([1, 1]);
  await untimed.extraction.follow();
  expect(await kinds(first)).toEqual(['extract']);
});

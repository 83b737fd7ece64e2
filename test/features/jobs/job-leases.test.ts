import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createJobRunner, type JobHandler, type JobRunner } from '../../../src/features/jobs/job-runner.ts';
import { createJobs, type JobRow, type Jobs } from '../../../src/features/jobs/jobs.ts';
import { createCursors } from '../../../src/features/text/page-cursor.ts';
import { createIds } from '../../../src/lib/ids.ts';
import { systemRandom } from '../../../src/lib/random.ts';
import { createSealer } from '../../../src/lib/seal.ts';
import { createTestClock, type TestClock } from '../../helpers/clock.ts';
import { createGate, createTestLog, type LeaseDatabase, openLeaseDatabase } from '../leases/lease-database.ts';

/** The jobs of two daemons on one database. Each job's effect is a row, written with its progress. */

const tenantId = 'ten_a';
let database: LeaseDatabase;
let clock: TestClock;
const started: string[] = [];
const aborted: string[] = [];

interface TestDaemon {
  jobs: Jobs;
  runner: JobRunner;
}

function daemonOf(name: string, pause: Promise<void> = Promise.resolve()): TestDaemon {
  const db = database.next();
  const ids = createIds({ clock, random: systemRandom });
  const sealer = createSealer({ key: Buffer.alloc(32), random: systemRandom });
  const jobs = createJobs({ db, clock, ids, cursors: createCursors({ sealer }) });
  const work: JobHandler = async (job, signal) => {
    started.push(name);
    signal.addEventListener('abort', () => aborted.push(name));
    await Promise.race([
      pause,
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    ]);
    await db.writes.write(tenantId, async (connection) => {
      await connection.run('INSERT INTO extractions (tenantId, conversationId, throughOrdinal) VALUES (?, ?, 0)', [
        tenantId,
        `${job.id} by ${name}`,
      ]);
      await jobs.advance(connection, job, { state: 'done', finishedAt: clock.nowMs() });
    });
  };
  const runner = createJobRunner({ db, clock, random: systemRandom, log: createTestLog(), jobs, work });
  return { jobs, runner };
}

const enqueue = ({ jobs }: TestDaemon, conversationId = 'conv_a'): Promise<JobRow> =>
  database.db.writes.write(tenantId, (connection) =>
    jobs.enqueue(connection, {
      ...{ tenantId, conversationId, provider: 'openai', model: 'small', dryRun: 0 },
      ...{ fromOrdinal: 0, toOrdinal: 1, total: 1, result: '{}', client: null },
    }),
  );

async function effects(): Promise<string[]> {
  const rows = await database.db.readers.all<{ name: string }>('SELECT conversationId AS name FROM extractions');
  return rows.map(({ name }) => name.split(' ').at(-1)!);
}

const untilStarted = (names: string[]) => vi.waitFor(() => expect(started).toEqual(names), 10_000);
const untilState = async ({ jobs }: TestDaemon, { id }: JobRow, state: string) =>
  vi.waitFor(async () => expect((await jobs.get({ tenantId } as never, id)).state).toBe(state), 10_000);

beforeEach(async () => {
  database = await openLeaseDatabase();
  clock = createTestClock();
  clock.freeze();
  started.length = 0;
  aborted.length = 0;
});
afterEach(() => database.end());

test('of two daemons, one runs each of twenty jobs', async () => {
  const daemons = [daemonOf('a'), daemonOf('b')] as const;
  for (let index = 0; index < 20; index += 1) await enqueue(daemons[0], `conv_${index}`);
  await vi.waitFor(async () => {
    await Promise.all(daemons.map(({ runner }) => runner.follow()));
    expect(await effects()).toHaveLength(20);
  }, 15_000);
  expect(started).toHaveLength(20);
  await Promise.all(daemons.map(({ runner }) => runner.stop()));
});

test('a job of a paused daemon is taken over after a minute, and the paused one writes nothing', async () => {
  const gate = createGate();
  const paused = daemonOf('paused', gate.opened);
  const other = daemonOf('other');
  const job = await enqueue(paused);
  await paused.runner.follow();
  await untilStarted(['paused']);
  clock.advance(59_000);
  await other.runner.follow();
  expect(started).toEqual(['paused']);
  clock.advance(1000);
  await other.runner.follow();
  await untilState(other, job, 'done');
  gate.open();
  await paused.runner.stop();
  expect(started).toEqual(['paused', 'other']);
  expect(await effects()).toEqual(['other']);
  expect(await other.jobs.get({ tenantId } as never, job.id)).toMatchObject({
    state: 'done',
    attempts: 0,
    error: null,
  });
});

test('the failure of a paused daemon does not touch a job that was taken over', async () => {
  const [first, second] = [createGate(), createGate()];
  const paused = daemonOf(
    'paused',
    first.opened.then(() => Promise.reject(new Error('late'))),
  );
  const other = daemonOf('other', second.opened);
  const job = await enqueue(paused);
  await paused.runner.follow();
  await untilStarted(['paused']);
  clock.advance(60_000);
  await other.runner.follow();
  await untilStarted(['paused', 'other']);
  first.open();
  await paused.runner.stop();
  expect(await other.jobs.get({ tenantId } as never, job.id)).toMatchObject({ state: 'running', attempts: 0 });
  second.open();
  await untilState(other, job, 'done');
  await other.runner.stop();
});

test('a job that runs for minutes stays with its daemon', async () => {
  const gate = createGate();
  const daemon = daemonOf('a', gate.opened);
  const other = daemonOf('b');
  const job = await enqueue(daemon);
  await daemon.runner.follow();
  await untilStarted(['a']);
  for (let seconds = 0; seconds < 300; seconds += 10) {
    clock.advance(10_000);
    await daemon.runner.follow();
    await other.runner.follow();
  }
  gate.open();
  await untilState(daemon, job, 'done');
  expect(started).toEqual(['a']);
  await Promise.all([daemon.runner.stop(), other.runner.stop()]);
});

test('a daemon stops working on a job that another daemon cancelled', async () => {
  const daemon = daemonOf('a', createGate().opened);
  const other = daemonOf('b');
  const job = await enqueue(daemon);
  await daemon.runner.follow();
  await untilStarted(['a']);
  await other.jobs.remove({ tenantId } as never, job.id);
  clock.advance(20_000);
  await daemon.runner.follow();
  await vi.waitFor(() => expect(aborted).toEqual(['a']), 10_000);
  await untilState(other, job, 'cancelled');
  expect(await effects()).toEqual([]);
  await daemon.runner.stop();
});

test('another daemon continues at once with the jobs of one that stops', async () => {
  const stopping = daemonOf('stopping', createGate().opened);
  const other = daemonOf('other');
  const job = await enqueue(stopping);
  await stopping.runner.follow();
  await untilStarted(['stopping']);
  await stopping.runner.stop();
  await other.runner.follow();
  await untilState(other, job, 'done');
  expect(await effects()).toEqual(['other']);
  await other.runner.stop();
});

describe('jobs from when the clock was ahead, once it was set back', () => {
  const DAY_MS = 24 * 3_600_000;
  const setClock = (byMs: number) => clock.setWall(clock.nowMs() + byMs);

  test('are started by the daemon that queued them', async () => {
    const daemon = daemonOf('a');
    setClock(DAY_MS);
    await daemon.runner.follow();
    const job = await enqueue(daemon);
    setClock(-DAY_MS);
    await daemon.runner.follow();
    await untilState(daemon, job, 'done');
    await daemon.runner.stop();
  });

  test('are started by a daemon that starts afterwards', async () => {
    setClock(DAY_MS);
    const before = daemonOf('before', createGate().opened);
    const running = await enqueue(before);
    await before.runner.follow();
    await untilStarted(['before']);
    await before.runner.stop();
    const waiting = await enqueue(before, 'conv_b');
    setClock(-DAY_MS);
    const after = daemonOf('after');
    await after.runner.follow();
    for (const job of [running, waiting]) await untilState(after, job, 'done');
    await after.runner.stop();
  });

  test('are tried again if they failed, and wait again if they fail again', async () => {
    const broken = Promise.reject(new Error('broken'));
    broken.catch(() => {});
    const untilAttempts = ({ jobs }: TestDaemon, { id }: JobRow, attempts: number) =>
      vi.waitFor(async () => expect(await jobs.get({ tenantId } as never, id)).toMatchObject({ attempts }), 10_000);
    setClock(DAY_MS);
    const before = daemonOf('before', broken);
    const job = await enqueue(before);
    await before.runner.follow();
    await untilAttempts(before, job, 1);
    await before.runner.stop();
    setClock(-DAY_MS);
    const after = daemonOf('after', broken);
    await after.runner.follow();
    await untilAttempts(after, job, 2);
    await after.runner.stop();
    const last = daemonOf('last');
    await last.runner.follow();
    await last.runner.stop();
    expect(started).toEqual(['before', 'after']);
  });
});

import { afterEach, beforeEach, expect, test } from 'vitest';
import { createLeases } from '../../../src/features/leases/leases.ts';
import { systemRandom } from '../../../src/lib/random.ts';
import { createTestClock, type TestClock } from '../../helpers/clock.ts';
import { createGate, type LeaseDatabase, openLeaseDatabase } from './lease-database.ts';

let database: LeaseDatabase;
let clock: TestClock;
const leasesOfDaemon = () => createLeases({ db: database.next(), clock, random: systemRandom });

beforeEach(async () => {
  database = await openLeaseDatabase();
  clock = createTestClock();
  clock.freeze();
});
afterEach(() => database.end());

test('one daemon at a time runs the work, and another takes over once the lease has run out', async () => {
  const [one, other] = [leasesOfDaemon(), leasesOfDaemon()];
  expect(await one.hold('work', async ({ fence }) => fence)).toBe(1);
  expect(await other.hold('work', async () => 'done')).toBeUndefined();
  expect(await other.hold('other work', async () => 'done')).toBe('done');
  clock.advance(59_000);
  expect(await other.hold('work', async () => 'done')).toBeUndefined();
  clock.advance(6000);
  expect(await other.hold('work', async ({ fence }) => fence)).toBe(2);
  expect(await one.hold('work', async () => 'done')).toBeUndefined();
});

test('only one of ten daemons that ask at once gets the lease', async () => {
  const outcomes = await Promise.all(
    Array.from({ length: 10 }, () => leasesOfDaemon().hold('work', async () => 'done')),
  );
  expect(outcomes.filter((outcome) => outcome === 'done')).toHaveLength(1);
});

test('a daemon that was paused for longer than its lease writes nothing', async () => {
  const [paused, other] = [leasesOfDaemon(), leasesOfDaemon()];
  const gate = createGate();
  const write = (name: string, leases: typeof paused, fence: number) =>
    database.db.writes.write('daemon', async (connection) => {
      await leases.confirm(connection, { name: 'work', fence });
      await connection.run('INSERT INTO extractions (tenantId, conversationId, throughOrdinal) VALUES (?, ?, 0)', [
        'ten_a',
        name,
      ]);
    });
  const started = createGate();
  const late = paused.hold('work', async ({ fence }) => {
    started.open();
    await gate.opened;
    await write('paused', paused, fence);
  });
  await started.opened;
  clock.advance(60_000);
  await other.hold('work', ({ fence }) => write('other', other, fence));
  gate.open();
  await expect(late).rejects.toMatchObject({ code: 'conflict' });
  const written = await database.db.readers.all('SELECT conversationId AS name FROM extractions');
  expect(written).toEqual([{ name: 'other' }]);
});

test('the lease of work that takes minutes is renewed', async () => {
  const [one, other] = [leasesOfDaemon(), leasesOfDaemon()];
  const [started, gate] = [createGate(), createGate()];
  const long = one.hold('work', () => {
    started.open();
    return gate.opened;
  });
  await started.opened;
  for (let seconds = 0; seconds < 300; seconds += 5) {
    clock.advance(5000);
    await one.renew();
    expect(await other.hold('work', async () => 'done')).toBeUndefined();
  }
  gate.open();
  await long;
});

test('a daemon that stops gives its leases back', async () => {
  const [one, other] = [leasesOfDaemon(), leasesOfDaemon()];
  await one.hold('work', async () => {});
  await one.release();
  expect(await other.hold('work', async () => 'done')).toBe('done');
});

test('leases that nobody has used for a day are deleted', async () => {
  const leases = leasesOfDaemon();
  await leases.hold('work', async () => {});
  clock.advance(25 * 3_600_000);
  await leases.renew();
  expect(await database.db.readers.all('SELECT name FROM leases')).toEqual([]);
});

test('work on request waits for no lease that other work has given back', async () => {
  const [one, other] = [leasesOfDaemon(), leasesOfDaemon()];
  const [started, gate] = [createGate(), createGate()];
  const first = one.once('request', () => {
    started.open();
    return gate.opened.then(() => 'first');
  });
  await started.opened;
  expect(await other.once('request', async () => 'second')).toBeUndefined();
  gate.open();
  expect(await first).toBe('first');
  expect(await other.once('request', async () => 'second')).toBe('second');
});

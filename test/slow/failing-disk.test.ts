import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { callAt, createWorkplaces, type DaemonProcess, runCommand, signInAt } from '../helpers/process.ts';
import { canMount, mountSmallDisk, type SmallDisk } from '../helpers/small-disk.ts';

const SHIM = fileURLToPath(new URL('faults/failing-disk.c', import.meta.url));
const WRITERS = 4;

const places = createWorkplaces();
let tools: string;
beforeAll(async () => {
  tools = await mkdtemp(join(tmpdir(), 'svc-failing-disk-'));
});
afterEach(places.clean);
afterAll(() => rm(tools, { recursive: true, force: true }));

const canCompile = (await execa('cc', ['--version'], { reject: false })).exitCode === 0;
const mayMount = await canMount();
if (!canCompile) console.warn('No C compiler: skipped what needs failing system calls.');
if (!mayMount)
  console.warn('No right to mount: skipped what needs a full file system; operations.test.ts limits pages.');

/** Of one writer. All writes and the reads that look for them stay below the limit of 3,000 requests a minute. */
const BETWEEN_WRITES_MS = 50;

/** Writes continuously until `stop`. */
function startWriters({ url }: DaemonProcess, apiKey: string) {
  const acknowledged: { id: string; content: string }[] = [];
  const refused: number[] = [];
  let stopped = false;
  const write = async (writer: number) => {
    for (let count = 0; !stopped; count += 1) {
      const content = `${writer} writes ${count} ${'at length '.repeat(100)}`;
      const { status, body } = await callAt(url, apiKey, '/v1/memories', { body: { content } });
      if (status === 201) acknowledged.push({ id: String(body.id), content });
      else refused.push(status);
      await sleep(BETWEEN_WRITES_MS);
    }
  };
  const writing = Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer)));
  return {
    acknowledged,
    refused,
    async stop() {
      stopped = true;
      await writing;
    },
  };
}

const readiness = ({ url }: DaemonProcess) => callAt(url, '', '/readyz');

async function expectStored(
  daemon: DaemonProcess,
  apiKey: string,
  acknowledged: readonly { id: string; content: string }[],
): Promise<void> {
  for (const { id, content } of acknowledged) {
    const { status, body } = await callAt(daemon.url, apiKey, `/v1/memories/${id}`);
    expect([status, body.content]).toEqual([200, content]);
  }
}

/** Everything acknowledged is there after a kill, too, and the database is sound. */
async function expectDurable(
  daemon: DaemonProcess,
  dataDir: string,
  apiKey: string,
  acknowledged: readonly { id: string; content: string }[],
): Promise<void> {
  await daemon.end();
  const check = await runCommand({ dataDir, args: ['admin', 'check', '--json'] });
  expect(JSON.parse(check.stdout)).toEqual({ sound: true, problems: [] });
  const again = await places.start({ dataDir, env: { SVC_DEFAULT_TIER: 'Enterprise' } });
  await expectStored(again, apiKey, acknowledged);
}

describe.skipIf(!canCompile)('EIO (rows 53, 70)', () => {
  beforeAll(async () => {
    await execa('cc', ['-shared', '-fPIC', '-O1', '-o', join(tools, 'failing-disk.so'), SHIM, '-ldl']);
  });

  test.each([
    // The log takes every write, the database only what a checkpoint copies there.
    ['pwrite', 'svc.db-wal', 'refused'],
    ['fsync', 'svc.db-wal', 'refused'],
    ['pwrite', 'svc.db', 'stored'],
    ['fsync', 'svc.db', 'stored'],
  ] as const)(
    'on %s of %s: writes are %s, /readyz says so, reads go on, and it recovers',
    async (call, file, outcome) => {
      const dataDir = await places.folder();
      const control = join(dataDir, 'control');
      const env = {
        SVC_DEFAULT_TIER: 'Enterprise',
        LD_PRELOAD: join(tools, 'failing-disk.so'),
        FAILING_DISK_CONTROL: control,
      };
      const daemon = await places.start({ dataDir, env });
      const apiKey = await signInAt(daemon, 'ada@example.com');
      const writers = startWriters(daemon, apiKey);
      await vi.waitFor(() => expect(writers.acknowledged.length).toBeGreaterThan(20), 20_000);
      expect((await readiness(daemon)).status).toBe(200);

      await writeFile(control, `${call} ${file}`);
      await vi.waitFor(async () => {
        const { status, body } = await readiness(daemon);
        expect([status, body.checks]).toEqual([503, expect.objectContaining({ database: 'not writable' })]);
      }, 20_000);
      const [before, refused] = [writers.acknowledged.length, writers.refused.length];
      await sleep(1000);
      if (outcome === 'refused') {
        expect(writers.refused.length).toBeGreaterThan(refused);
        expect(writers.acknowledged.length).toBe(before);
        expect(new Set(writers.refused)).toEqual(new Set([503]));
      } else expect(writers.refused).toEqual([]);
      await expectStored(daemon, apiKey, writers.acknowledged.slice(0, 5));

      await rm(control);
      const during = writers.acknowledged.length;
      await vi.waitFor(async () => expect((await readiness(daemon)).status).toBe(200), 20_000);
      await vi.waitFor(() => expect(writers.acknowledged.length).toBeGreaterThan(during + 20), 20_000);
      await writers.stop();
      console.info(`${call} ${file}: ${writers.acknowledged.length} acknowledged, ${writers.refused.length} refused`);
      await expectDurable(daemon, dataDir, apiKey, writers.acknowledged);
    },
  );
});

describe.skipIf(!mayMount)('a full file system (rows 54, 70)', () => {
  let disk: SmallDisk;
  beforeAll(async () => {
    // The daemon wants 64 MiB free to be ready.
    disk = await mountSmallDisk(96);
  });
  afterAll(() => disk.unmount());

  test('refuses writes with 507, /readyz says so, reads go on, and writes resume once space is freed', async () => {
    const dataDir = disk.folder;
    const env = { SVC_DEFAULT_TIER: 'Enterprise' };
    const daemon = await places.start({ dataDir, env });
    const apiKey = await signInAt(daemon, 'ada@example.com');
    const writers = startWriters(daemon, apiKey);
    await vi.waitFor(() => expect(writers.acknowledged.length).toBeGreaterThan(20), 20_000);
    expect((await readiness(daemon)).status).toBe(200);

    await disk.fill();
    await vi.waitFor(() => expect(writers.refused.length).toBeGreaterThan(20), 30_000);
    await vi.waitFor(async () => {
      const { status, body } = await readiness(daemon);
      expect([status, (body.checks as Record<string, string>).disk]).toEqual([503, '0 MiB free']);
    }, 20_000);
    expect(new Set(writers.refused)).toEqual(new Set([507]));
    await expectStored(daemon, apiKey, writers.acknowledged.slice(0, 5));

    await disk.free();
    const during = writers.acknowledged.length;
    await vi.waitFor(() => expect(writers.acknowledged.length).toBeGreaterThan(during + 20), 20_000);
    await vi.waitFor(async () => expect((await readiness(daemon)).status).toBe(200), 20_000);
    await writers.stop();
    console.info(`full disk: ${writers.acknowledged.length} acknowledged, ${writers.refused.length} refused`);
    await expectDurable(daemon, dataDir, apiKey, writers.acknowledged);
    await places.clean();
  });
});

import { mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { runProgram } from '../../src/cli/program.ts';
import { backupName } from '../../src/daemon/backup-folder.ts';
import { readConfig } from '../../src/daemon/config.ts';
import type { Config } from '../../src/daemon/config-settings.ts';
import { createReadiness } from '../../src/daemon/health.ts';
import { createLog } from '../../src/daemon/log.ts';
import { createScheduledBackups } from '../../src/daemon/scheduled-backup.ts';
import { draftOf } from '../../src/db/backup.ts';
import { createTestClock, type TestClock } from '../helpers/clock.ts';
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.ts';
import { onPostgres } from '../helpers/postgres/folder-databases.ts';

const HOUR_MS = 3_600_000;
let daemon: TestDaemon;
let clock: TestClock;

beforeAll(async () => {
  daemon = await startTestDaemon();
});
afterAll(() => daemon.close());
beforeEach(() => {
  clock = createTestClock();
  return () => rm(folder(), { recursive: true, force: true });
});

const folder = () => join(daemon.folder, 'backups');
const backups = async () => (await readdir(folder()).catch(() => [])).sort();

/** The scheduled backups of a daemon with these settings, and what it logs. */
function open(settings: Partial<Config>) {
  const lines: string[] = [];
  const log = createLog('info', (line) => lines.push(line));
  const scheduled = createScheduledBackups({ config: { ...daemon.config, ...settings }, clock, log });
  return { ...scheduled, lines };
}

/** Follows the schedule once, and waits for the backup if there is one. */
async function follow({ follow, task }: ReturnType<typeof open>): Promise<void> {
  await follow();
  await vi.waitFor(() => expect(task.state()?.state).not.toBe('running'), 10_000);
}

async function svc(...words: string[]) {
  const said = { out: '', error: '' };
  const terminal = {
    out(text: string) {
      said.out += text;
    },
    error(text: string) {
      said.error += text;
    },
  };
  const code = await runProgram([...words, '--data-dir', daemon.folder], '0', terminal, () => new Promise(() => {}));
  return { code, ...said };
}

describe.skipIf(onPostgres)('scheduled backups', () => {
  const hourly = { backupSchedule: { every: 'hour' }, backupKeep: 2 } as const;

  test('are made once each time, and only the newest stay', async () => {
    const scheduled = open(hourly);
    await follow(scheduled);
    await follow(scheduled);
    expect(await backups()).toHaveLength(1);
    const [first] = await backups();
    for (let hours = 0; hours < 2; hours += 1) {
      clock.advance(HOUR_MS);
      await follow(scheduled);
    }
    const left = await backups();
    expect(left).toHaveLength(2);
    expect(left).not.toContain(first);
    expect(scheduled.state()).toBe('ok');
    expect(await readFile(join(daemon.folder, 'last-backup'), 'utf8')).not.toBe('');
  });

  test('delete what killed ones left, and nothing that is written at the moment or not theirs', async () => {
    clock.freeze();
    const [recent, old] = [1, 25].map((hours) => backupName(clock.nowMs() - hours * HOUR_MS)) as [string, string];
    // Linux gives no process so great an id.
    const killed = [draftOf(recent, 2 ** 30), draftOf(recent, process.pid), draftOf(old, process.ppid)];
    const others = [draftOf(recent, process.ppid), draftOf('notes', 7)];
    await mkdir(folder());
    for (const name of [...killed, `${killed[0]}-wal`, ...others]) await writeFile(join(folder(), name), 'a copy');
    await follow(open(hourly));
    expect(await backups()).toEqual([backupName(clock.nowMs()), ...others].sort());
  });

  test('are not made without a schedule', async () => {
    const scheduled = open({});
    await follow(scheduled);
    expect({ names: await backups(), state: scheduled.state() }).toEqual({ names: [], state: undefined });
  });

  test('that fail are logged and reported by /readyz, and tried again after a quarter of an hour', async () => {
    const scheduled = open(hourly);
    const readiness = createReadiness({
      ...{ db: daemon.db, clock, dataDir: daemon.folder },
      embedder: () => undefined,
      backup: scheduled.state,
    });
    await writeFile(folder(), 'not a folder');
    await expect(scheduled.follow()).rejects.toThrow();
    expect(await readiness.check()).toMatchObject({ ready: true, backup: 'failing' });
    await rm(folder());
    await follow(scheduled);
    expect(scheduled.state()).toBe('ok');

    const failing = open({ ...hourly, backupDir: join(daemon.folder, 'none') });
    await symlink(join(daemon.folder, 'nowhere', 'at', 'all'), join(daemon.folder, 'none'));
    await follow(failing);
    expect({ state: failing.state(), log: failing.lines.join() }).toMatchObject({
      state: 'failing',
      log: expect.stringContaining('"msg":"backup failed"'),
    });
    await rm(join(daemon.folder, 'none'));
    await follow(failing);
    expect(failing.state()).toBe('failing');
    clock.advance(15 * 60_000);
    await follow(failing);
    expect(failing.state()).toBe('ok');
  });

  test('that failed before the clock was set back are tried again at once', async () => {
    const link = join(daemon.folder, 'set-back');
    const failing = open({ ...hourly, backupDir: link });
    await symlink(join(daemon.folder, 'nowhere', 'at', 'all'), link);
    await follow(failing);
    expect(failing.state()).toBe('failing');
    await rm(link);
    clock.setWall(clock.nowMs() - 24 * HOUR_MS);
    await follow(failing);
    expect(failing.state()).toBe('ok');
  });

  test('follow the schedule that svc backup --schedule stored, unless a setting overrides it', async () => {
    const set = await svc('backup', '--schedule', 'weekly friday 04:00', '--keep', '3', '--json');
    expect(JSON.parse(set.out)).toMatchObject({ schedule: 'weekly friday 04:00', keep: 3, folder: folder() });
    expect(await open({}).plan()).toMatchObject({ schedule: { every: 'week', weekday: 5 }, keep: 3 });
    expect((await open({ backupSchedule: 'off' }).plan()).schedule).toBe('off');
    const shown = await svc('admin', 'backup', '--schedule');
    expect(shown.out).toContain(`weekly friday 04:00 into ${folder()} and keeps the newest 3`);
    await svc('backup', '--schedule', 'off');
    expect((await open({}).plan()).schedule).toBe('off');
  });

  test('refuse a schedule that they would not follow', async () => {
    expect(await svc('backup', '--schedule', 'nightly')).toMatchObject({
      code: 2,
      error: expect.stringContaining('nightly'),
    });
    expect(await svc('backup', '--schedule', 'daily', 'x.db')).toMatchObject({ code: 2 });
    expect(await svc('backup', '--keep', '3')).toMatchObject({ code: 2 });
    const environment = {
      SVC_DATABASE_URL: 'postgres://db.example.com/svc',
      SVC_MASTER_KEY: Buffer.alloc(32).toString('base64'),
      SVC_BACKUP_SCHEDULE: 'daily',
    };
    expect(() => readConfig({}, environment, '')).toThrow('back up PostgreSQL with its own tools');
  });

  test('are a backup like any other, which svc backup without a file makes at once', async () => {
    expect(await svc('backup')).toMatchObject({ code: 0, out: expect.stringContaining('Backed up to') });
    expect(await backups()).toEqual([expect.stringMatching(/^svc-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ\.db$/)]);
  });
});

import { cp, mkdir, mkdtemp, readdir, readFile, readlink, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { daemonBuild, root } from '../../scripts/build-options.mjs';
import { checksumOf } from '../../scripts/release/archive.ts';
import { callAt, createWorkplaces, signInAt } from '../helpers/process.ts';
import { canMount, mountSmallDisk } from '../helpers/small-disk.ts';

const KILL_AT = fileURLToPath(new URL('kill-at.mjs', import.meta.url));
const PLATFORM = `${process.platform}-${process.arch}`;
/** Fails and, with `FILL_DISK`, fills the disk first. */
const BROKEN = `{ name: 'broken', up: async (knex) => {
  const numbers = 'WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 64)';
  if (process.env.FILL_DISK) await knex.raw('CREATE TABLE huge AS ' + numbers + ' SELECT randomblob(1000000) FROM numbers');
  throw new Error('this step is broken');
} }`;
const ONE_MORE = `{ name: 'oneMore', up: (knex) => knex.schema.alterTable('changes', (table) => table.integer('extra')) }`;

/** The manifest of svc, from which the build takes the version. */
const MANIFEST = new RegExp(`^${join(root, 'package.json').replaceAll(/\W/g, '\\$&')}$`);

const workplaces = createWorkplaces();
let folder: string;
/** A release that works, and one whose second migration fails after the first has run. */
let good: string;
let bad: string;
/** An installation of the present version, and data with one memory. */
let installed: string;
let data: string;
let key: string;

/** Writes a program of another version with more migrations than this source. */
async function writeProgram(target: string, version: string, migrations: string[] = []): Promise<void> {
  await mkdir(join(target, 'bin'), { recursive: true });
  await cp(join(root, 'dist'), join(target, 'dist'), { recursive: true });
  if (migrations.length > 0) {
    await build({
      ...daemonBuild,
      outdir: join(target, 'dist'),
      plugins: [
        {
          name: 'newer',
          setup({ onLoad }) {
            const load = async (path: string) => String(await readFile(path));
            onLoad({ filter: /migrations\/index\.ts$/ }, async ({ path }) => ({
              contents: (await load(path)).replace(/\];\s*$/, () => `${migrations.join(',')}];`),
              loader: 'ts',
            }));
            onLoad({ filter: MANIFEST }, async ({ path }) => ({
              contents: JSON.stringify({ ...JSON.parse(await load(path)), version }),
              loader: 'json',
            }));
          },
        },
      ],
    });
  }
  for (const name of ['svc', 'package.json']) await cp(join(root, 'bin', name), join(target, 'bin', name));
  await cp(join(root, 'package.json'), join(target, 'package.json'));
  await symlink(join(root, 'node_modules'), join(target, 'node_modules'));
  await symlink('bin/svc', join(target, 'svc'));
}

async function writeRelease(version: string, migrations: string[]): Promise<string> {
  const release = join(folder, `release-${version}`);
  const name = `svc-${version}-${PLATFORM}`;
  await writeProgram(join(release, name), version, migrations);
  const archive = join(release, `${name}.tar.gz`);
  await execa('tar', ['-I', 'gzip -1', '-cf', archive, '-C', release, name]);
  await rm(join(release, name), { recursive: true });
  await writeFile(join(release, 'SHA256SUMS'), `${await checksumOf(archive)}  ${name}.tar.gz\n`);
  return release;
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-upgrade-'));
  installed = join(folder, 'installed');
  await writeProgram(join(installed, '0.1.0'), '0.1.0');
  await symlink('0.1.0', join(installed, 'current'));
  [good, bad] = [await writeRelease('9.0.0', [ONE_MORE]), await writeRelease('9.1.0', [ONE_MORE, BROKEN])];
  data = join(folder, 'data');
  await mkdir(data);
  const daemon = await workplaces.start({ dataDir: data, bin: join(installed, 'current/svc') });
  key = await signInAt(daemon, 'ada@example.com');
  await callAt(daemon.url, key, '/v1/memories', { body: { content: 'Ada prefers oolong tea' } });
  daemon.kill('SIGTERM');
  await daemon.exited;
});
afterAll(async () => {
  await workplaces.clean();
  await rm(folder, { recursive: true, force: true });
});

interface Machine {
  lib: string;
  dataDir: string;
  env: Record<string, string>;
}

/** A copy of the installation and its data. */
async function createMachine(): Promise<Machine> {
  const own = await mkdtemp(join(folder, 'machine-'));
  await execa('cp', ['-al', installed, join(own, 'lib')]);
  await cp(data, join(own, 'data'), { recursive: true });
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: own,
    SVC_DATA_DIR: join(own, 'data'),
    SVC_MAIL_DIR: join(own, 'mail'),
  };
  return { lib: join(own, 'lib'), dataDir: join(own, 'data'), env };
}

async function upgrade({ lib, dataDir, env }: Machine, words: string[], more: Record<string, string> = {}) {
  const options = { cwd: dataDir, extendEnv: false, env: { ...env, ...more }, reject: false } as const;
  const { exitCode, signal, stdout, stderr } = await execa(join(lib, 'current/svc'), ['upgrade', ...words], options);
  return { exitCode, signal, stdout, stderr };
}

/** Starts the installed version and returns its number and the memories that it finds. */
async function served({ lib, dataDir, env }: Machine) {
  const daemon = await workplaces.start({ dataDir, env, bin: join(lib, 'current/svc') });
  const { body } = await callAt(daemon.url, key, '/v1/memories');
  await daemon.end();
  const memories = (body.data as { content: string }[]).map(({ content }) => content);
  return { version: (await readlink(join(lib, 'current'))).replace(/\++$/, ''), memories };
}

const TEA = ['Ada prefers oolong tea'];

test('upgrades, migrates and keeps the way back to the former version with its data', async () => {
  const machine = await createMachine();
  const planned = await upgrade(machine, [good, '--dry-run', '--json']);
  expect(JSON.parse(planned.stdout)).toMatchObject({ outcome: 'planned', version: '9.0.0', former: '0.1.0' });
  expect(await readdir(machine.lib)).toEqual(['0.1.0', 'current']);
  const { exitCode, stdout, stderr } = await upgrade(machine, [good, '--json']);
  expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 });
  expect(JSON.parse(stdout)).toMatchObject({ outcome: 'upgraded', version: '9.0.0', former: '0.1.0', service: null });
  expect(await served(machine)).toEqual({ version: '9.0.0', memories: TEA });
  expect(await upgrade(machine, [good])).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining('nothing to upgrade'),
  });
  expect(await upgrade(machine, ['--rollback'])).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('Pass --yes'),
  });
  expect((await upgrade(machine, ['--rollback', '--yes'])).exitCode).toBe(0);
  expect(await served(machine)).toEqual({ version: '0.1.0', memories: TEA });
});

test('goes back, program and database, if the new daemon does not become ready', async () => {
  const machine = await createMachine();
  const { exitCode, stderr } = await upgrade(machine, [bad]);
  expect(exitCode).toBe(1);
  expect(stderr).toMatch(/svc 9\.1\.0 did not become ready: svc serve ended: .*this step is broken/);
  expect(stderr).toContain('svc 0.1.0 is installed again, with its data');
  expect(await served(machine)).toEqual({ version: '0.1.0', memories: TEA });
});

describe.skipIf(!(await canMount()))('on a full disk (row 101)', () => {
  async function onSmallDisk(sizeMib: number, what: 'lib' | 'dataDir', act: (machine: Machine) => Promise<void>) {
    const machine = await createMachine();
    const disk = await mountSmallDisk(sizeMib);
    try {
      await cp(machine[what], join(disk.folder, 'here'), { recursive: true, verbatimSymlinks: true });
      const moved = { ...machine, [what]: join(disk.folder, 'here') };
      await act({ ...moved, env: { ...machine.env, SVC_DATA_DIR: moved.dataDir } });
    } finally {
      await disk.unmount();
    }
  }

  test('of the program, changes nothing and says so', () =>
    onSmallDisk(24, 'lib', async (machine) => {
      const { exitCode, stderr } = await upgrade(machine, [good]);
      expect({ exitCode, stderr }).toMatchObject({
        exitCode: 1,
        stderr: expect.stringContaining('is full. Nothing was'),
      });
      expect(await served(machine)).toEqual({ version: '0.1.0', memories: TEA });
    }));

  test('of the data, goes back when the migration filled it', () =>
    onSmallDisk(24, 'dataDir', async (machine) => {
      const { exitCode, stderr } = await upgrade(machine, [bad], { FILL_DISK: '1' });
      expect({ exitCode, stderr }).toMatchObject({
        exitCode: 1,
        stderr: expect.stringContaining('is installed again'),
      });
      // The first migration had run, so the backup was put back.
      expect(stderr).toContain('The database of svc 9.1.0 is kept as');
      expect(await served(machine)).toEqual({ version: '0.1.0', memories: TEA });
    }));
});

/** Changes of the installation that begin a step, as `kill-at.mjs` writes them. */
const STEPS =
  /^(rename .*svc-9[^/ ]* .*|symlink .*|rename .*current\.new .*|rename .*upgrade\.json|rm .*upgrade\.json)$/;

/** Kills upgrades before their steps, calls `check` with each machine, and returns how many kills there were. */
async function killEverywhere(
  release: string,
  isChosen: (index: number, changes: readonly string[]) => boolean,
  check: (machine: Machine, change: string) => Promise<void>,
): Promise<number> {
  const counted = join(folder, `changes-${release.slice(-5)}`);
  const hook = { NODE_OPTIONS: `--import ${KILL_AT}` };
  await upgrade(await createMachine(), [release], { ...hook, KILL_COUNT: counted });
  const changes = (await readFile(counted, 'utf8')).trim().split('\n');
  const chosen = [...changes.entries()].filter(([index, change]) => STEPS.test(change) && isChosen(index, changes));
  const left = chosen.values();
  const kill = async () => {
    for (const [index, change] of left) {
      const machine = await createMachine();
      const { signal } = await upgrade(machine, [release], { ...hook, KILL_AT: `${index + 1}` });
      expect(signal, change).toBe('SIGKILL');
      await check(machine, change);
      await rm(join(machine.lib, '..'), { recursive: true });
    }
  };
  await Promise.all([kill(), kill()]);
  return chosen.length;
}

test('killed before any step (row 101), leaves one version that serves all data, and the next call upgrades', async () => {
  const kills = await killEverywhere(
    good,
    () => true,
    async (machine, change) => {
      expect(await served(machine), change).toMatchObject({ memories: TEA });
      const { exitCode, stdout, stderr } = await upgrade(machine, [good, '--json']);
      expect({ exitCode, stderr }, change).toMatchObject({ exitCode: 0 });
      expect(JSON.parse(stdout), change).toMatchObject({ outcome: 'upgraded', version: '9.0.0', former: '0.1.0' });
    },
  );
  expect(kills).toBe(5);
});

test('killed while it goes back from a daemon that is never ready, the next call puts everything back', async () => {
  const isAfterSwitch = (index: number, changes: readonly string[]) =>
    index > changes.findIndex((change) => /^rename .*current\.new /.test(change));
  const kills = await killEverywhere(bad, isAfterSwitch, async (machine, change) => {
    await upgrade(machine, [bad]);
    expect(await served(machine), change).toEqual({ version: '0.1.0', memories: TEA });
  });
  expect(kills).toBe(4);
});

import { createHash } from 'node:crypto';
import { chmod, mkdir, readdir, readFile, readlink, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { linkPrograms } from '../helpers/link-programs.ts';
import { createWorkplaces } from '../helpers/process.ts';

const INSTALL = fileURLToPath(new URL('../../scripts/install.sh', import.meta.url));
const PLATFORM = `${process.platform}-${process.arch}`;

const workplaces = createWorkplaces();
let home: string;
let releases: string;
let server: Server;

beforeEach(async () => {
  [home, releases] = await Promise.all([workplaces.folder(), workplaces.folder()]);
  server = createServer(async ({ url }, response) => {
    const file = await readFile(join(releases, url!)).catch(() => undefined);
    response.writeHead(file === undefined ? 404 : 200).end(file);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});

afterEach(async () => {
  await new Promise((resolve) => server.close(resolve));
  await workplaces.clean();
});

/** Publishes an archive whose program says its version, and with which exit code `svc service status` ends. */
async function publish(
  version: string,
  {
    serviceStatus = 1,
    compression = 'gz',
    owner = 0,
  }: { serviceStatus?: number; compression?: 'gz' | 'xz'; owner?: number } = {},
): Promise<string> {
  const name = `svc-${version}-${PLATFORM}`;
  const program = join(releases, name, 'svc');
  await mkdir(join(releases, name));
  await writeFile(program, `#!/bin/sh\n[ "$1" != service ] || exit ${serviceStatus}\necho ${version}\n`);
  await chmod(program, 0o755);
  const archive = join(releases, `${name}.tar.${compression}`);
  await execa('tar', ['--auto-compress', `--owner=${owner}`, '-cf', archive, '-C', releases, name]);
  await rm(join(releases, name), { recursive: true });
  const hash = createHash('sha256').update(await readFile(archive));
  await writeFile(`${archive}.sha256`, `${hash.digest('hex')}  ${basename(archive)}\n`);
  return archive;
}

/** A folder for `PATH` with what install.sh calls, but xz. */
async function pathWithoutXz(): Promise<string> {
  const folder = await workplaces.folder();
  const names = 'sh uname id mktemp rm curl wget sha256sum cut tar gzip mkdir readlink mv ln rmdir';
  await linkPrograms(folder, names.split(' '));
  return folder;
}

/** Runs install.sh as a person without root would, into `home`. */
async function run(args: string[] = [], env: Record<string, string> = {}) {
  const { port } = server.address() as { port: number };
  const { exitCode, stdout, stderr } = await execa('sh', [INSTALL, ...args], {
    extendEnv: false,
    env: {
      PATH: process.env.PATH ?? '',
      HOME: home,
      SVC_INSTALL_DIR: join(home, 'lib/svc'),
      SVC_BIN_DIR: join(home, 'bin'),
      SVC_DOWNLOAD_URL: `http://127.0.0.1:${port}`,
      ...env,
    },
    reject: false,
  });
  return { exitCode, stdout, stderr };
}

const installed = async () => (await execa(join(home, 'bin/svc'))).stdout;

test('downloads, verifies and installs a version, and says how to start it', async () => {
  await publish('1.2.3');
  const { exitCode, stdout } = await run([], { SVC_VERSION: '1.2.3' });
  expect(exitCode).toBe(0);
  expect(stdout).toContain(`Downloading http://127.0.0.1`);
  expect(stdout).toContain('svc 1.2.3 is installed.');
  expect(stdout).toContain(`${home}/bin is not on your PATH`);
  expect(stdout).toContain(`${home}/bin/svc serve`);
  expect(await installed()).toBe('1.2.3');
});

test('installs the archive at an address, and verifies it too', async () => {
  const archive = await publish('1.2.3');
  const { port } = server.address() as { port: number };
  const address = `http://127.0.0.1:${port}/svc-1.2.3-${PLATFORM}.tar.gz`;
  expect(await run([address])).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining(`Downloading ${address}`),
  });
  expect(await installed()).toBe('1.2.3');
  await writeFile(`${archive}.sha256`, `${'0'.repeat(64)}  svc.tar.gz\n`);
  expect((await run([address])).stderr).toContain('is damaged or was changed');
  expect(await installed()).toBe('1.2.3');
});

test('downloads the smaller archive where xz is installed, and the other one elsewhere', async () => {
  await publish('1.2.3');
  const small = await publish('1.2.3', { compression: 'xz' });
  const first = await run([], { SVC_VERSION: '1.2.3' });
  expect(first).toMatchObject({ exitCode: 0, stdout: expect.stringContaining(`svc-1.2.3-${PLATFORM}.tar.xz\n`) });
  expect(await installed()).toBe('1.2.3');
  const without = { PATH: await pathWithoutXz() };
  const second = await run([], { SVC_VERSION: '1.2.3', ...without });
  expect(second).toMatchObject({ exitCode: 0, stdout: expect.stringContaining(`svc-1.2.3-${PLATFORM}.tar.gz\n`) });
  expect(await installed()).toBe('1.2.3');
  const given = await run([small], without);
  expect(given).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('needs xz. Install xz-utils') });
  expect(await installed()).toBe('1.2.3');
});

test('an upgrade switches a link, and keeps the version that a daemon may still run', async () => {
  for (const version of ['1.0.0', '1.1.0', '1.2.0']) expect((await run([await publish(version)])).exitCode).toBe(0);
  expect(await installed()).toBe('1.2.0');
  expect(await readlink(join(home, 'lib/svc/current'))).toBe('1.2.0');
  expect((await readdir(join(home, 'lib/svc'))).sort()).toEqual(['1.1.0', '1.2.0', 'current']);
  const again = await run([join(releases, `svc-1.2.0-${PLATFORM}.tar.gz`)]);
  expect(again.stdout).toContain('svc 1.2.0 is installed; before it was 1.2.0.');
});

test('refuses a changed archive, one without a checksum and one that cannot be downloaded, and keeps what is installed', async () => {
  await run([await publish('1.0.0')]);
  const changed = await publish('2.0.0');
  await writeFile(`${changed}.sha256`, `${'0'.repeat(64)}  svc.tar.gz\n`);
  expect(await run([], { SVC_VERSION: '2.0.0' })).toMatchObject({
    exitCode: 1,
    stderr: expect.stringMatching(/is damaged or was changed: its SHA-256 is [0-9a-f]{64}, not 0+\. Download it again/),
  });
  await rm(`${changed}.sha256`);
  expect((await run([changed])).stderr).toContain(`there is no checksum ${changed}.sha256`);
  expect((await run([], { SVC_VERSION: '3.0.0' })).stderr).toContain('cannot download http://127.0.0.1');
  expect(await installed()).toBe('1.0.0');
  expect((await readdir(join(home, 'lib/svc'))).sort()).toEqual(['1.0.0', 'current']);
});

test('owns the files that it unpacks, whoever the archive names', async () => {
  expect((await run([await publish('1.0.0', { owner: 4711 })])).exitCode).toBe(0);
  expect((await stat(join(home, 'lib/svc/1.0.0/svc'))).uid).toBe(process.getuid!());
});

test('does not replace a program that it did not install', async () => {
  await mkdir(join(home, 'bin'));
  await writeFile(join(home, 'bin/svc'), 'mine');
  const { exitCode, stderr } = await run([await publish('1.0.0')]);
  expect(exitCode).toBe(1);
  expect(stderr).toContain(`${home}/bin/svc is another program`);
  expect(await readFile(join(home, 'bin/svc'), 'utf8')).toBe('mine');
});

test('--uninstall removes the program, keeps data and settings, and says where they are', async () => {
  const database = join(home, '.local/share/svc/svc.db');
  await mkdir(join(home, '.local/share/svc'), { recursive: true });
  await writeFile(database, 'memories');
  await run([await publish('1.0.0')]);
  const { exitCode, stdout } = await run(['--uninstall']);
  expect(exitCode).toBe(0);
  if (process.platform === 'linux') expect(stdout).toContain(`${home}/.local/share/svc\n`);
  expect(await readdir(join(home, 'bin'))).toEqual([]);
  expect(await readdir(join(home, 'lib'))).toEqual([]);
  expect(await readFile(database, 'utf8')).toBe('memories');
  expect((await run(['--uninstall'])).stdout).toContain('is not installed');
});

test('--uninstall is refused while a service runs the program', async () => {
  await run([await publish('1.0.0', { serviceStatus: 4 })]);
  const { exitCode, stderr } = await run(['--uninstall']);
  expect(exitCode).toBe(1);
  expect(stderr).toContain(`a service runs svc. Remove it first: ${home}/bin/svc service uninstall`);
  expect(await installed()).toBe('1.0.0');
});

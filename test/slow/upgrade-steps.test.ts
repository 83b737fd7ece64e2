import { existsSync, readlinkSync } from 'node:fs';
import {
  chmod,
  cp,
  type FileHandle,
  mkdir,
  mkdtemp,
  open,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { execa } from 'execa';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { checksumOf } from '../../scripts/release/archive.ts';
import { upgradeCommand } from '../../src/cli/commands/upgrade.ts';
import { createRunProgram } from '../../src/cli/service/run-program.ts';
import type { Fetch } from '../../src/client/client.ts';
import { lockFolder } from '../../src/db/folder-lock.ts';
import { SYSTEMCTL } from '../cli/service/fake-systemctl.ts';
import { createCommandLine, type TestCommandLine } from '../helpers/command-line.ts';
import { freePort } from '../helpers/free-port.ts';
import { linkPrograms } from '../helpers/link-programs.ts';

/** An installation with a service, of which systemctl and the programs are scripts. upgrade.test.ts beside has real ones. */

/** Releases by their version and options, each of which is packed once. */
const packed = new Map<string, string>();
let releases: string;
let fake: string;
let line: TestCommandLine;
/** Folders where `svc upgrade` looks for programs. */
let path: string;
const inFake = (...names: string[]) => join(fake, ...names);
const unitFile = () => inFake('config/systemd/user/svc.service');
const current = () => readlinkSync(inFake('lib/current'));
const versions = async () => (await readdir(inFake('lib'))).filter((name) => /^\d/.test(name)).sort();
const calls = async () =>
  (await readFile(inFake('calls'), 'utf8')).split('\n').filter((call) => /stop|restart/.test(call));

beforeAll(async () => {
  releases = await mkdtemp(join(tmpdir(), 'svc-releases-'));
});
afterAll(() => rm(releases, { recursive: true }));
beforeEach(async () => {
  fake = await mkdtemp(join(tmpdir(), 'svc-fake-'));
  await writeFile(inFake('inactive'), 'inactive\n');
  await writeFile(inFake('systemctl'), SYSTEMCTL, { mode: 0o755 });
  await mkdir(inFake('config/systemd/user'), { recursive: true });
  await writeFile(
    unitFile(),
    `ExecStart=${inFake('lib/current/runtime/node')} ${inFake('lib/current/bin/svc')} serve\n`,
  );
  for (const name of ['enabled', 'active']) await writeFile(inFake(name), '');
  await writeProgram(inFake('lib/0.1.0'), '0.1.0');
  await symlink('0.1.0', inFake('lib/current'));
  const places = { UNIT: unitFile(), XDG_CONFIG_HOME: inFake('config') };
  path = `${fake}:${process.env.PATH}`;
  line = await createCommandLine({ env: { FAKE: fake, ...places } });
});
afterEach(async () => {
  await line.close();
  await rm(fake, { recursive: true });
});

async function writeProgram(folder: string, version: string): Promise<void> {
  await mkdir(join(folder, 'bin'), { recursive: true });
  await writeFile(join(folder, 'bin/svc'), '');
  await writeFile(join(folder, 'svc'), `#!/bin/sh\necho ${version}\n`);
  await chmod(join(folder, 'svc'), 0o755);
}

interface PublishOptions {
  /** What the program says when asked for its version. */
  says?: string;
  compressions?: readonly ('gz' | 'xz')[];
}

/** Writes a release with an archive for each compression. */
async function publish(version: string, options: PublishOptions = {}): Promise<string> {
  const release = inFake(`release-${version}`);
  const kind = JSON.stringify([version, options]);
  if (!packed.has(kind)) packed.set(kind, await pack(version, options));
  await cp(packed.get(kind)!, release, { recursive: true });
  return release;
}

async function pack(version: string, { says = version, compressions = ['gz'] }: PublishOptions): Promise<string> {
  const name = `svc-${version}-linux-${process.arch}`;
  const release = join(releases, String(packed.size));
  await writeProgram(join(release, name), says);
  const sums: string[] = [];
  for (const compression of compressions) {
    const archive = join(release, `${name}.tar.${compression}`);
    await execa('tar', ['--auto-compress', '-cf', archive, '-C', release, name]);
    sums.push(`${await checksumOf(archive)}  ${name}.tar.${compression}\n`);
  }
  await writeFile(join(release, 'SHA256SUMS'), sums.join(''));
  return release;
}

/** Writes a release whose one archive `pack` makes. */
async function publishPacked(
  pack: (archive: string, name: string, release: string) => Promise<unknown>,
): Promise<string> {
  const name = `svc-0.2.0-linux-${process.arch}`;
  const release = await publish('0.2.0');
  const archive = join(release, `${name}.tar.gz`);
  await pack(archive, name, release);
  await writeFile(join(release, 'SHA256SUMS'), `${await checksumOf(archive)}  ${name}.tar.gz\n`);
  return release;
}

/** A daemon that answers while the service is active, but not the versions in the file `never-ready`. */
const daemon: Fetch = async () => {
  const never = await readFile(inFake('never-ready'), 'utf8').catch(() => '');
  if (!existsSync(inFake('active')) || never.split(' ').includes(current())) throw new Error('connection refused');
  const text = async () => '{"status":"ready"}';
  return { ok: true, status: 200, headers: { get: () => null }, text, body: null };
};

async function upgrade(...words: string[]) {
  const { exitCode, out, error } = await line.run(
    ({ environment: { env, ...environment }, ...context }) =>
      upgradeCommand({
        ...context,
        environment: { ...environment, env: { ...env, PATH: path }, platform: 'linux' },
        settingsFolder: line.folder,
        session: () => Promise.reject(new Error('not used')),
        program: { node: '/usr/bin/node', script: inFake('lib/current/bin/svc') },
        run: createRunProgram({ env: { ...env, PATH: path } }),
        fetch: daemon,
        uid: 1000,
        dataFolder: inFake('data'),
      }),
    ...words,
  );
  return { exitCode, out, error };
}

describe('svc upgrade', () => {
  test('stops the service, switches and starts it, and keeps the former version', async () => {
    const { exitCode, out, error } = await upgrade(await publish('0.2.0'), '--json');
    expect({ exitCode, error }).toMatchObject({ exitCode: 0 });
    expect(JSON.parse(out)).toEqual({
      outcome: 'upgraded',
      version: '0.2.0',
      former: '0.1.0',
      folder: inFake('lib'),
      service: 'systemd user unit svc.service',
      dataDir: inFake('data'),
      backup: null,
    });
    expect(await calls()).toEqual(['--user stop svc.service', '--user restart svc.service']);
    expect([current(), await versions()]).toEqual(['0.2.0', ['0.1.0', '0.2.0']]);
    for (const step of ['Downloading svc-0.2.0', 'Unpacking', 'Stopping the systemd', 'Starting svc 0.2.0'])
      expect(error).toContain(step);
    await upgrade(await publish('0.3.0'));
    expect([current(), await versions()]).toEqual(['0.3.0', ['0.2.0', '0.3.0']]);
  });

  test('finds the checksum beside an archive, where npm run archive writes it', async () => {
    const release = await publish('0.2.0');
    const beside = join(release, `svc-0.2.0-linux-${process.arch}.tar.gz.sha256`);
    await rename(join(release, 'SHA256SUMS'), beside);
    expect(await upgrade(release, '--dry-run')).toMatchObject({
      exitCode: 0,
      out: expect.stringContaining((await readFile(beside, 'utf8')).slice(0, 64)),
    });
    await rm(beside);
    expect(await upgrade(release)).toMatchObject({
      exitCode: 1,
      error: expect.stringContaining('SHA256SUMS cannot be read (ENOENT)'),
    });
  });

  test('goes back by --rollback, once', async () => {
    await upgrade(await publish('0.2.0'));
    const { exitCode, out } = await upgrade('--rollback');
    expect({ exitCode, out }).toMatchObject({ exitCode: 0, out: expect.stringContaining('svc 0.1.0 is running') });
    expect([current(), existsSync(inFake('active'))]).toEqual(['0.1.0', true]);
    expect(await upgrade('--rollback')).toMatchObject({ exitCode: 1, error: expect.stringContaining('no way back') });
  });

  test('goes back on its own if the service does not become ready, and can be tried again', async () => {
    const release = await publish('0.2.0');
    await writeFile(inFake('never-ready'), '0.2.0');
    const failed = await upgrade(release, '--timeout', '1');
    expect(failed.exitCode).toBe(1);
    expect(failed.error).toContain('svc 0.2.0 did not become ready');
    expect(failed.error).toContain('svc 0.1.0 is installed again');
    expect([current(), existsSync(inFake('active'))]).toEqual(['0.1.0', true]);
    await rm(inFake('never-ready'));
    expect((await upgrade(release)).exitCode).toBe(0);
    expect([current(), await versions()]).toEqual(['0.2.0', ['0.1.0', '0.2.0']]);
  });

  test.each([
    ['changed', async (release: string) => appendTo(release), 'is damaged or was changed: its SHA-256 is'],
    [
      'missing',
      async (release: string) => rm(join(release, `svc-0.2.0-linux-${process.arch}.tar.gz`)),
      'cannot be read',
    ],
    [
      'without checksums',
      async (release: string) => rm(join(release, 'SHA256SUMS')),
      'SHA256SUMS cannot be read (ENOENT)',
    ],
  ])('changes nothing, and does not stop the service, for an archive that is %s', async (_, spoil, message) => {
    const release = await publish('0.2.0');
    await spoil(release);
    expect(await upgrade(release)).toMatchObject({ exitCode: 1, error: expect.stringContaining(message) });
    expect([current(), await readdir(inFake('lib'))]).toEqual([
      '0.1.0',
      expect.not.arrayContaining(['.upgrade', '0.2.0']),
    ]);
    expect(await calls()).toEqual([]);
  });

  test.each([
    [
      'a file outside of its folder',
      async (archive: string, name: string, release: string) => {
        await writeFile(join(release, 'outside'), 'evil');
        const rename = '--transform=s,^outside$,../../outside,';
        await execa('tar', ['-czPf', archive, rename, '-C', release, name, 'outside']);
      },
      "Member name contains '..'",
    ],
    [
      'a file behind a link that leads out',
      async (archive: string, name: string, release: string) => {
        const [plain, other] = [join(release, 'plain.tar'), join(release, 'other', name, 'link')];
        await symlink(fake, join(release, name, 'link'));
        await execa('tar', ['-cf', plain, '-C', release, name]);
        await mkdir(other, { recursive: true });
        await writeFile(join(other, 'outside'), 'evil');
        await execa('tar', ['-rf', plain, '-C', join(release, 'other'), `${name}/link/outside`]);
        await execa('sh', ['-c', 'gzip -c "$0" >"$1"', plain, archive]);
      },
      'link/outside',
    ],
    [
      'a link in place of its folder',
      async (archive: string, name: string, release: string) => {
        await execa('mv', [join(release, name), inFake('elsewhere')]);
        await symlink(inFake('elsewhere'), join(release, name));
        await execa('tar', ['-czf', archive, '-C', release, name]);
      },
      'has no folder svc-0.2.0',
    ],
  ])('changes nothing, and writes nothing elsewhere, for an archive with %s', async (_, pack, message) => {
    const { exitCode, error } = await upgrade(await publishPacked(pack));
    expect({ exitCode, error }).toMatchObject({ exitCode: 1, error: expect.stringContaining(message) });
    expect([existsSync(inFake('outside')), existsSync(inFake('lib/outside'))]).toEqual([false, false]);
    expect([current(), await readdir(inFake('lib'))]).toEqual([
      '0.1.0',
      expect.not.arrayContaining(['.upgrade', '0.2.0']),
    ]);
    expect(await calls()).toEqual([]);
  });

  test('owns the files that it unpacks, whoever the archive names', async () => {
    const foreign = ['--owner=4711', '--group=4711'];
    const release = await publishPacked((archive, name, folder) =>
      execa('tar', ['-czf', archive, ...foreign, '-C', folder, name]),
    );
    expect((await upgrade(release)).exitCode).toBe(0);
    expect((await stat(inFake('lib/0.2.0/svc'))).uid).toBe(process.getuid!());
  });

  test.skipIf(process.platform !== 'linux')('has the program on disk before it becomes the current one', async () => {
    const handle = await open(fake);
    const flushed: string[] = [];
    const prototype: FileHandle = Object.getPrototypeOf(handle);
    const sync = prototype.sync;
    vi.spyOn(prototype, 'sync').mockImplementation(async function (this: FileHandle) {
      await sync.call(this);
      if (current() === '0.1.0') flushed.push(readlinkSync(`/proc/self/fd/${this.fd}`));
    });
    await handle.close();
    expect((await upgrade(await publish('0.2.0'))).exitCode).toBe(0);
    vi.restoreAllMocks();
    const program = inFake('lib/.upgrade', `svc-0.2.0-linux-${process.arch}`);
    const files = ['', '/svc', '/bin', '/bin/svc'].map((name) => program + name);
    expect(flushed).toEqual(expect.arrayContaining([...files, inFake('lib')]));
  });

  test('starts the service again if it could not be stopped', async () => {
    await writeFile(inFake('stop-canceled'), '');
    const { exitCode, error } = await upgrade(await publish('0.2.0'));
    expect({ exitCode, error }).toMatchObject({
      exitCode: 1,
      error: expect.stringContaining('Job for svc.service canceled'),
    });
    expect([current(), existsSync(inFake('active'))]).toEqual(['0.1.0', true]);
  });

  test('says why it went back also if the former version does not start either', async () => {
    await writeFile(inFake('never-ready'), '0.1.0 0.2.0');
    const { exitCode, error } = await upgrade(await publish('0.2.0'), '--timeout', '1');
    expect(exitCode).toBe(1);
    expect(error).toMatch(
      /svc 0\.2\.0 did not become ready: .*\nsvc 0\.1\.0 is installed again.*\nIt does not start either: /,
    );
    expect(current()).toBe('0.1.0');
  });

  test('replaces, and can go back to, the version that another upgrade has switched to since it began', async () => {
    await writeProgram(inFake('lib/0.1.5'), '0.1.5');
    // When it asks for the service, it has found the installation and has no lock yet.
    const once = '[ -e "$FAKE/switched" ] || { touch "$FAKE/switched"; ln -sfn 0.1.5 "$FAKE/lib/current"; }';
    await writeFile(inFake('systemctl'), SYSTEMCTL.replace('#!/bin/sh', `#!/bin/sh\n${once}`), { mode: 0o755 });
    const { out } = await upgrade(await publish('0.2.0'), '--json');
    expect(JSON.parse(out)).toMatchObject({ outcome: 'upgraded', former: '0.1.5' });
    expect(await versions()).toEqual(['0.1.5', '0.2.0']);
    expect((await upgrade('--rollback')).exitCode).toBe(0);
    expect(current()).toBe('0.1.5');
  });

  test('takes an upgrade back, and finishes it, only for the data that it was made for', async () => {
    await upgrade(await publish('0.2.0'));
    const settings = await readFile(join(line.folder, 'service.env'), 'utf8').catch(() => '');
    await writeFile(join(line.folder, 'service.env'), `${settings}SVC_DATA_DIR=${inFake('other')}\n`);
    const before = await calls();
    const { exitCode, error } = await upgrade('--rollback');
    const message = `was that of the data in ${inFake('data')}, not in ${inFake('other')}. Run svc service install`;
    expect({ exitCode, error }).toMatchObject({ exitCode: 2, error: expect.stringContaining(message) });
    const record = JSON.parse(await readFile(inFake('lib/upgrade.json'), 'utf8'));
    await writeFile(inFake('lib/upgrade.json'), JSON.stringify({ ...record, state: 'switching' }));
    expect(await upgrade()).toMatchObject({ exitCode: 2, error: expect.stringContaining(message) });
    expect([current(), await calls()]).toEqual(['0.2.0', before]);
  });

  test('upgrades although the record of the last upgrade is damaged', async () => {
    await upgrade(await publish('0.2.0'));
    await writeFile(inFake('lib/upgrade.json'), '{"state":');
    expect((await upgrade(await publish('0.3.0'))).exitCode).toBe(0);
    expect(current()).toBe('0.3.0');
  });

  test('changes nothing for a program that does not run here', async () => {
    const { exitCode, error } = await upgrade(await publish('0.2.0', { says: 'Exec format error' }));
    expect({ exitCode, error }).toMatchObject({ exitCode: 1, error: expect.stringContaining('does not run on this') });
    expect([current(), await versions()]).toEqual(['0.1.0', ['0.1.0']]);
  });

  test('takes the smaller archive where xz is installed, and the other one elsewhere', async () => {
    const release = await publish('0.2.0', { compressions: ['gz', 'xz'] });
    const small = await upgrade(release);
    expect(small.error).toContain(`Downloading svc-0.2.0-linux-${process.arch}.tar.xz from`);
    expect([small.exitCode, current()]).toEqual([0, '0.2.0']);
    await leaveOutXz();
    const large = await upgrade(await publish('0.3.0', { compressions: ['xz', 'gz'] }));
    expect(large.error).toContain(`Downloading svc-0.3.0-linux-${process.arch}.tar.gz from`);
    expect([large.exitCode, current()]).toEqual([0, '0.3.0']);
  });

  test('changes nothing where the only archive needs xz, and says so', async () => {
    await leaveOutXz();
    const { exitCode, error } = await upgrade(await publish('0.2.0', { compressions: ['xz'] }));
    expect({ exitCode, error }).toMatchObject({
      exitCode: 1,
      error: expect.stringContaining('needs xz. Install xz-utils'),
    });
    expect([current(), await versions()]).toEqual(['0.1.0', ['0.1.0']]);
    expect(await calls()).toEqual([]);
  });

  test('says that there is nothing newer, what it would do, and who is upgrading already', async () => {
    const older = await upgrade(await publish('0.0.9'));
    expect(older).toMatchObject({ exitCode: 0, out: expect.stringContaining('there is nothing to upgrade') });
    const release = await publish('0.2.0');
    const planned = await upgrade(release, '--dry-run');
    expect(planned).toMatchObject({ exitCode: 0, out: expect.stringContaining('Would upgrade svc 0.1.0 to 0.2.0') });
    const lock = await lockFolder(inFake('lib'), 4711, 'upgrade');
    const busy = await upgrade(release);
    expect(busy).toMatchObject({ exitCode: 1, error: expect.stringContaining('Process 4711 is upgrading') });
    await lock.release();
    expect([current(), await versions()]).toEqual(['0.1.0', ['0.1.0']]);
  });

  test('does not touch a PostgreSQL database that nobody has backed up', async () => {
    const settings = ['SVC_DATABASE_URL=postgres://db.example.com/svc', `SVC_MASTER_KEY=${'A'.repeat(43)}=`];
    await writeFile(join(line.folder, 'service.env'), settings.join('\n'));
    const release = await publish('0.2.0');
    expect(await upgrade(release)).toMatchObject({ exitCode: 1, error: expect.stringContaining('pg_dump') });
    expect(await calls()).toEqual([]);
    expect((await upgrade(release, '--no-backup')).exitCode).toBe(0);
  });
});

/** Hides xz from `svc upgrade`. */
async function leaveOutXz(): Promise<void> {
  await mkdir(inFake('bin'));
  await linkPrograms(inFake('bin'), ['tar', 'gzip', 'cat', 'touch', 'rm']);
  path = `${fake}:${inFake('bin')}`;
}

async function appendTo(release: string): Promise<void> {
  await writeFile(join(release, `svc-0.2.0-linux-${process.arch}.tar.gz`), 'more', { flag: 'a' });
}

test('every option of svc upgrade is described, and in docs/cli.md', async () => {
  const { exitCode, out } = await upgrade('--help');
  expect(exitCode).toBe(0);
  const guide = await readFile(new URL('../../docs/cli.md', import.meta.url), 'utf8');
  const row = guide.split('\n').find((text) => text.startsWith('| `svc upgrade '))!;
  const options = [...out.matchAll(/^ {2}(--[\w-]+)(?: <\w+>)? {2,}\w/gm)].map(([, option]) => option!);
  expect(options).toHaveLength(8);
  expect(options.filter((option) => !row.includes(option))).toEqual([]);
});

/** A body that never ends. */
const endless = () =>
  new Readable({
    read() {
      this.push(Buffer.alloc(65_536, 'a'));
    },
  });

describe('svc upgrade from an address', () => {
  let server: Server;
  let url: string;
  beforeEach(async () => {
    server = createServer(async (request, response) => {
      if (request.url!.startsWith('/unencrypted/'))
        return response.writeHead(302, { location: 'http://releases.svc.invalid/SHA256SUMS' }).end();
      if (request.url!.startsWith('/latest/'))
        return response.writeHead(302, { location: request.url!.replace('/latest/', '/release-0.2.0/') }).end();
      if (request.url!.startsWith('/endless/')) return void endless().pipe(response);
      const file = await readFile(inFake(request.url!.replace('cut/', '').slice(1))).catch(() => undefined);
      if (request.url!.endsWith('.tar.gz') && request.url!.startsWith('/cut/')) {
        response.writeHead(200, { 'content-length': file!.length }).write(file!.subarray(0, file!.length / 2));
        return void setImmediate(() => response.destroy());
      }
      response.writeHead(file === undefined ? 404 : 200).end(file);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterEach(() => new Promise((resolve) => server.close(resolve)));

  test('follows a redirect to the latest release, as GitHub has it', async () => {
    await publish('0.2.0');
    const { exitCode, error } = await upgrade(`${url}/latest/`);
    expect({ exitCode, error }).toMatchObject({ exitCode: 0 });
    expect(current()).toBe('0.2.0');
  });

  test('downloads the smaller archive where xz is installed, and the other one elsewhere', async () => {
    await publish('0.2.0', { compressions: ['gz', 'xz'] });
    const planned = await upgrade(`${url}/release-0.2.0`, '--dry-run');
    expect(planned.out).toContain(`download svc-0.2.0-linux-${process.arch}.tar.xz from ${url}`);
    expect((await upgrade(`${url}/release-0.2.0`)).exitCode).toBe(0);
    expect(current()).toBe('0.2.0');
    await publish('0.3.0', { compressions: ['gz', 'xz'] });
    await leaveOutXz();
    const large = await upgrade(`${url}/release-0.3.0`);
    expect(large.error).toContain(`Downloading svc-0.3.0-linux-${process.arch}.tar.gz from`);
    expect([large.exitCode, current()]).toEqual([0, '0.3.0']);
  });

  test('follows no redirect to an address that is not encrypted', async () => {
    const { exitCode, error } = await upgrade(`${url}/unencrypted`);
    expect(exitCode).toBe(2);
    expect(error).toContain('http://releases.svc.invalid/SHA256SUMS is not encrypted');
  });

  test('changes nothing if the connection ends within the archive', async () => {
    await publish('0.2.0');
    const { exitCode, error } = await upgrade(`${url}/cut/release-0.2.0`);
    expect(exitCode).toBe(1);
    expect(error).toMatch(/svc-0\.2\.0-linux-\w+\.tar\.gz cannot be read \(\w+\)\. Check the address/);
    expect([current(), await readdir(inFake('lib'))]).toEqual([
      '0.1.0',
      expect.not.arrayContaining(['.upgrade', '0.2.0']),
    ]);
    expect(await calls()).toEqual([]);
  });

  test('reads no more than a release can have', async () => {
    const { exitCode, error } = await upgrade(`${url}/endless`);
    expect({ exitCode, error }).toMatchObject({
      exitCode: 1,
      error: expect.stringContaining('it has more than 1 MiB'),
    });
  });

  test('says which address cannot be read, and why', async () => {
    const { exitCode, error } = await upgrade(`${url}/elsewhere`);
    expect(exitCode).toBe(1);
    expect(error).toContain(`${url}/elsewhere/SHA256SUMS cannot be read (status 404). Check the address`);
    const nowhere = await upgrade(`http://127.0.0.1:${await freePort()}`);
    expect(nowhere.error).toContain('SHA256SUMS cannot be read (ECONNREFUSED)');
  });
});

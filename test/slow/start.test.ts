import { chmod, cp, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { afterEach, describe, expect, test } from 'vitest';
import { BIN, createWorkplaces, runCommand } from '../helpers/process.ts';

const workplaces = createWorkplaces();
afterEach(workplaces.clean);

const ROOT = dirname(dirname(BIN));
/** Far more than a failing start takes; a start that hangs is killed and has no exit code. */
const HANG_MS = 30_000;

/** Runs an executable as a shell would, after `setup`, and kills it if it hangs. */
async function runShell(command: string, dataDir: string, bin = BIN) {
  const { exitCode, stdout, stderr } = await execa('sh', ['-c', command], {
    cwd: dataDir,
    extendEnv: false,
    env: { PATH: process.env.PATH ?? '', HOME: dataDir, SVC_DATA_DIR: dataDir, SVC_PORT: '0', BIN: bin },
    reject: false,
    stdin: 'ignore',
    stripFinalNewline: false,
    timeout: HANG_MS,
    killSignal: 'SIGKILL',
  });
  return { exitCode, stdout, stderr };
}

/** Expects a start that failed with one line of advice, no stack trace and nothing on standard output. */
function expectOneLine({ exitCode, stdout, stderr }: Awaited<ReturnType<typeof runShell>>, line: RegExp, code = 1) {
  expect({ exitCode, stdout }).toEqual({ exitCode: code, stdout: '' });
  expect(stderr).toMatch(/^svc: [^\n]+\n$/);
  expect(stderr).toMatch(line);
}

/** A copy of the built program that shares all packages but sqlite3, which the test provides. */
async function installWithoutSqlite(): Promise<{ bin: string; sqlite: string }> {
  const folder = await workplaces.folder();
  for (const name of ['bin', 'dist', 'package.json'])
    await cp(join(ROOT, name), join(folder, name), { recursive: true });
  const packages = join(folder, 'node_modules');
  await mkdir(packages);
  for (const name of await readdir(join(ROOT, 'node_modules'))) {
    if (name !== 'sqlite3') await symlink(join(ROOT, 'node_modules', name), join(packages, name));
  }
  return { bin: join(folder, 'bin', 'svc'), sqlite: join(packages, 'sqlite3') };
}

async function copySqliteWithoutBinary(target: string): Promise<void> {
  for (const name of ['lib', 'package.json']) {
    await cp(join(ROOT, 'node_modules', 'sqlite3', name), join(target, name), { recursive: true });
  }
}

describe('a start that cannot succeed says what to do in one line (row 74)', () => {
  test.each([20, 64, 150])('with at most %i open files', async (limit) => {
    const dataDir = await workplaces.folder();
    const refused = await runShell(`ulimit -n ${limit}; exec "$BIN" serve`, dataDir);
    expectOneLine(refused, /(too many open files|may open only \d+ files)[^\n]*ulimit -n 1024/);
    expect(await readdir(dataDir)).toEqual([]);
  });

  test('with 256 open files, a daemon runs and serves connections', async () => {
    const dataDir = await workplaces.folder();
    const script = `ulimit -n 256; "$BIN" serve > out & pid=$!
      for i in $(seq 200); do grep -q 'svc is running' out && break; sleep 0.1; done
      url=$(sed -n 's/^svc is running at //p' out)
      "${process.execPath}" -e 'Promise.all(Array.from({length: 50}, () => fetch(process.argv[1] + "/readyz"))).then((all) => console.log(all.filter(({status}) => status === 200).length))' "$url"
      kill $pid; wait $pid`;
    expect(await runShell(script, dataDir)).toMatchObject({ exitCode: 0, stdout: '50\n' });
  });

  test.each(['/proc/svc', '/proc/svc/deep', '/dev/null/svc'])('with the data folder %s', async (dataDir) => {
    const home = await workplaces.folder();
    expectOneLine(
      await runShell(`exec "$BIN" serve --data-dir ${dataDir}`, home),
      /SVC_DATA_DIR \S+ cannot be created \((ENO\w+|it, or a folder above it, is a file)\)/,
      2,
    );
  });

  test('on a port that is taken', async () => {
    const dataDir = await workplaces.folder();
    const server = createServer();
    const port = await new Promise<number>((resolve) => {
      server.listen(0, '127.0.0.1', () => resolve((server.address() as { port: number }).port));
    });
    expectOneLine(
      await runShell(`exec "$BIN" serve --port ${port}`, dataDir),
      /Port \d+ on 127\.0\.0\.1 is already in use\. Choose another with --port\./,
    );
    server.close();
  });

  test.each(['18.19.1', '12.0.0', '20.16.0'])('under Node %s, before anything is imported', async (version) => {
    const dataDir = await workplaces.folder();
    const preload = join(dataDir, 'old-node.cjs');
    await writeFile(preload, `Object.defineProperty(process.versions, 'node', { value: '${version}' });`);
    // Without the packages and the program, which an old Node could not load.
    await mkdir(join(dataDir, 'bin'));
    for (const name of ['bin/svc', 'bin/package.json', 'package.json']) await cp(join(ROOT, name), join(dataDir, name));
    const command = `exec "${process.execPath}" -r ${preload} "$BIN" serve`;
    expectOneLine(
      await runShell(command, dataDir, join(dataDir, 'bin', 'svc')),
      new RegExp(`needs Node\\.js 20\\.17 or newer, and this is ${version.replaceAll('.', '\\.')}`),
    );
  });

  test('without the sqlite3 package, without its binary, and with the binary of another system', async () => {
    const dataDir = await workplaces.folder();
    const { bin, sqlite } = await installWithoutSqlite();
    for (const command of ['exec "$BIN" serve', 'exec "$BIN" admin tenants']) {
      await writeFile(join(dataDir, 'svc.db'), '');
      expectOneLine(
        await runShell(command, dataDir, bin),
        /installation is incomplete [^\n]*sqlite3[^\n]*Reinstall svc/,
      );
    }
    await copySqliteWithoutBinary(sqlite);
    expectOneLine(
      await runShell('exec "$BIN" serve', dataDir, bin),
      /sqlite3 package cannot be loaded \(its binary is missing\)[^\n]*npm_config_build_from_source=true set/,
    );
    const binary = join(sqlite, 'build', 'Release', 'node_sqlite3.node');
    await mkdir(dirname(binary), { recursive: true });
    await writeFile(binary, 'the machine code of another system');
    await chmod(binary, 0o755);
    expectOneLine(
      await runShell('exec "$BIN" serve', dataDir, bin),
      /sqlite3 package cannot be loaded \([^\n]*node_sqlite3\.node[^\n]*\)[^\n]*npm_config_build_from_source=true set/,
    );
  });

  test('with all packages, the same copy starts', async () => {
    const dataDir = await workplaces.folder();
    const { bin, sqlite } = await installWithoutSqlite();
    await symlink(join(ROOT, 'node_modules', 'sqlite3'), sqlite);
    const script = `"$BIN" serve > out & pid=$!
      for i in $(seq 200); do grep -q 'svc is running' out && break; sleep 0.1; done
      kill $pid; wait $pid`;
    expect(await runShell(script, dataDir, bin)).toMatchObject({ exitCode: 0 });
    expect(await readFile(join(dataDir, 'out'), 'utf8')).toContain('svc is running at');
  });
});

describe('the data folder of a process (row 73)', () => {
  test('is never written through links, and a lock that is one is refused in one line', async () => {
    const dataDir = await workplaces.folder();
    const foreign = join(await workplaces.folder(), 'foreign');
    await writeFile(foreign, 'foreign\n', { mode: 0o644 });
    await symlink(foreign, join(dataDir, 'daemon.pid'));
    const daemon = await workplaces.start({ dataDir });
    expect(await readFile(join(dataDir, 'daemon.pid'), 'utf8')).toBe(`${daemon.pid}\n`);
    daemon.kill('SIGTERM');
    await daemon.exited;
    const other = await workplaces.folder();
    await symlink(foreign, join(other, 'daemon.lock'));
    const refused = await runCommand({ dataDir: other, args: ['serve', '--port', '0'] });
    expectOneLine({ ...refused, exitCode: refused.exitCode }, /daemon\.lock is a symbolic link\. Remove it/);
    expect(await readFile(foreign, 'utf8')).toBe('foreign\n');
    expect((await stat(foreign)).mode & 0o777).toBe(0o644);
  });

  test('that others may enter is warned of in the banner and the log if they can read the database', async () => {
    const dataDir = await workplaces.folder();
    const first = await workplaces.start({ dataDir });
    first.kill('SIGTERM');
    expect((await first.exited).stdout).not.toContain('Warning');
    await chmod(dataDir, 0o755);
    await chmod(join(dataDir, 'svc.db'), 0o644);
    const second = await workplaces.start({ dataDir });
    second.kill('SIGTERM');
    const { stdout, stderr } = await second.exited;
    const warning = `in ${dataDir}. Run chmod 700 ${dataDir}.`;
    expect(stdout).toMatch(/^ {2}Warning {2}Other users can open svc\.db/m);
    expect(stdout).toContain(warning);
    expect(stderr.split('\n').filter((line) => line.includes(warning))).toHaveLength(1);
  });
});

describe('warnings of a start (row 75)', () => {
  test('a secret as a flag and links that only work here are shown in the banner and logged; the daemon runs', async () => {
    const dataDir = await workplaces.folder();
    const token = 'watch-me-0123456789';
    const daemon = await workplaces.start({ dataDir, args: ['--metrics-token', token, '--host', '0.0.0.0'] });
    const proxied = { 'x-forwarded-for': '203.0.113.9' };
    const statusFor = async (headers: Record<string, string>) =>
      (await fetch(`${daemon.url}/metrics`, { headers })).status;
    expect(await statusFor({})).toBe(200);
    expect(await statusFor(proxied)).toBe(403);
    expect(await statusFor({ ...proxied, authorization: `Bearer ${token}` })).toBe(200);
    daemon.kill('SIGTERM');
    const { stdout, stderr } = await daemon.exited;
    for (const text of ['--metrics-token shows a secret', 'Set SVC_PUBLIC_URL to the address that people use.']) {
      expect(stdout.split('\n').filter((line) => line.startsWith('  Warning') && line.includes(text))).toHaveLength(1);
      expect(stderr.split('\n').filter((line) => line.includes(text) && JSON.parse(line).level === 40)).toHaveLength(1);
    }
    expect(stdout + stderr).not.toContain(token);
  });

  test('a secret in a file is taken and needs no warning', async () => {
    const dataDir = await workplaces.folder();
    const file = join(dataDir, 'token');
    await writeFile(file, 'watch-me-0123456789\n', { mode: 0o600 });
    const daemon = await workplaces.start({ dataDir, args: ['--metrics-token-file', file] });
    const headers = { 'x-forwarded-for': '203.0.113.9', authorization: 'Bearer watch-me-0123456789' };
    expect((await fetch(`${daemon.url}/metrics`, { headers })).status).toBe(200);
    daemon.kill('SIGTERM');
    expect((await daemon.exited).stdout).not.toContain('Warning');
  });
});

import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { execa } from 'execa';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { lockFolder } from '../../src/db/folder-lock.ts';
import { BIN, callAt, createWorkplaces, runCommand, signInAt } from '../helpers/process.ts';

const places = createWorkplaces();
afterEach(places.clean);

describe('one daemon per data folder (row 60)', () => {
  test('a second daemon is refused and names the first, which keeps running; kill -9 frees the folder', async () => {
    const dataDir = await places.folder();
    const first = await places.start({ dataDir });
    const second = await runCommand({ dataDir, args: ['serve', '--port', '0'] });
    expect(second.exitCode).toBe(1);
    expect(second.stderr).toBe(
      `svc: Another svc daemon (process ${first.pid}) serves ${dataDir}. Stop it first, or choose another SVC_DATA_DIR.\n`,
    );
    expect((await fetch(`${first.url}/readyz`)).status).toBe(200);
    first.kill('SIGKILL');
    await first.exited;
    const third = await places.start({ dataDir });
    expect((await fetch(`${third.url}/readyz`)).status).toBe(200);
  });

  test('a daemon that is refused leaves a restore under way alone, and one that starts deletes what it left', async () => {
    const dataDir = await places.folder();
    const lock = await lockFolder(dataDir, process.pid);
    const draft = join(dataDir, 'svc.db.restoring');
    await writeFile(draft, 'half a database');
    expect((await runCommand({ dataDir, args: ['serve', '--port', '0'] })).exitCode).toBe(1);
    expect(await readFile(draft, 'utf8')).toBe('half a database');
    await lock.release();
    await places.start({ dataDir });
    expect(await readdir(dataDir)).not.toContain('svc.db.restoring');
  });

  test('exactly one of several that start at once runs', async () => {
    const dataDir = await places.folder();
    const starts = await Promise.allSettled([1, 2, 3].map(() => places.start({ dataDir })));
    const outcomes = starts.map((start) => (start.status === 'fulfilled' ? 'serves' : String(start.reason)));
    expect(outcomes.filter((outcome) => outcome === 'serves')).toHaveLength(1);
    expect(outcomes.filter((outcome) => /Another svc daemon/.test(outcome))).toHaveLength(2);
  });
});

describe('a failed start', () => {
  const serve = (dataDir: string, args: string[] = [], env: Record<string, string> = {}) =>
    runCommand({ dataDir, args: ['serve', '--port', '0', ...args], env });

  test('reports each configuration problem in one clear line and exits with 2', async () => {
    const dataDir = await places.folder();
    const [unknown, wrong, noFolder, noHost] = await Promise.all([
      serve(dataDir, [], { SVC_PUBLICURL: 'http://a' }),
      serve(dataDir, ['--quotas', 'C'], { SVC_LOG_LEVEL: 'loud' }),
      serve(dataDir, ['--data-dir', '/dev/null/svc']),
      serve(dataDir, ['--host', 'no-such-host.invalid']),
    ]);
    for (const { exitCode, stdout } of [unknown, wrong, noFolder, noHost]) {
      expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    }
    expect(unknown.stderr).toMatch(/^svc: SVC_PUBLICURL is not a setting of svc[^\n]*\n$/);
    expect(wrong.stderr).toMatch(/^svc: SVC_QUOTAS must be[^\n]*\nsvc: SVC_LOG_LEVEL must be[^\n]*\n$/);
    expect(noFolder.stderr).toMatch(
      /^svc: SVC_DATA_DIR [^\n]* cannot be created \(it, or a folder above it, is a file\)\n$/,
    );
    expect(noHost.stderr).toMatch(/^svc: svc cannot listen on no-such-host.invalid port 0 \([A-Z_]+\)\n$/);
  });

  test('reads .env of the working directory and rejects unknown names in it', async () => {
    const dataDir = await places.folder();
    await writeFile(join(dataDir, '.env'), 'SVC_QUOTAS=A\nSVC_NOTHING=1\n');
    const { exitCode, stderr } = await serve(dataDir, ['--check']);
    expect(exitCode).toBe(2);
    expect(stderr).toBe('svc: SVC_NOTHING in .env is not a setting of svc (see svc serve --help)\n');
    await writeFile(join(dataDir, '.env'), 'SVC_QUOTAS=A\n');
    expect(JSON.parse((await serve(dataDir, ['--check', '--json'])).stdout)).toMatchObject({ SVC_QUOTAS: 'A' });
  });

  test('reports an invalid database or master key in one clear line, and leaves the file unchanged and the folder unlocked', async () => {
    const dataDir = await places.folder();
    await writeFile(join(dataDir, 'svc.db'), 'garbage');
    const noDatabase = await serve(dataDir);
    expect(noDatabase).toMatchObject({ exitCode: 1, stdout: '' });
    expect(noDatabase.stderr).toMatch(/^svc: [^\n]*svc\.db is not a SQLite database[^\n]*\n$/);
    expect(await readFile(join(dataDir, 'svc.db'), 'utf8')).toBe('garbage');

    await rm(join(dataDir, 'svc.db'));
    await writeFile(join(dataDir, 'master.key'), 'x'.repeat(44));
    const noKey = await serve(dataDir);
    expect(noKey).toMatchObject({ exitCode: 2, stdout: '' });
    expect(noKey.stderr).toMatch(/^svc: [^\n]*master\.key does not contain a 32-byte key[^\n]*\n$/);

    await rm(join(dataDir, 'master.key'));
    const daemon = await places.start({ dataDir });
    const { port } = new URL(daemon.url);
    const taken = await runCommand({ dataDir: await places.folder(), args: ['serve', '--port', port] });
    expect(taken.exitCode).toBe(1);
    expect(taken.stderr).toBe(`svc: Port ${port} on 127.0.0.1 is already in use. Choose another with --port.\n`);
  });

  test('--check changes nothing and masks secrets', async () => {
    const dataDir = await places.folder();
    const env = { SVC_METRICS_TOKEN: 'hunter2', SVC_MASTER_KEY: Buffer.alloc(32, 7).toString('base64') };
    const { exitCode, stdout } = await serve(dataDir, ['--check'], env);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^SVC_METRICS_TOKEN +\*{8}$/m);
    expect(stdout).toMatch(/^SVC_PUBLIC_URL +–$/m);
    expect(stdout).not.toMatch(/hunter2|BwcHBwcH/);
    expect(await readdir(dataDir)).toEqual([]);
  });
});

describe('the output of a daemon', () => {
  test('text for people goes to standard output, the log to standard error as JSON lines', async () => {
    const dataDir = await places.folder();
    const daemon = await places.start({ dataDir });
    const apiKey = await signInAt(daemon, 'ada@example.com');
    await callAt(daemon.url, apiKey, `/v1/nothing?key=${apiKey}`);
    daemon.kill('SIGTERM');
    const { stdout, stderr } = await daemon.exited;
    expect(stdout).toContain(`Web app  ${daemon.url}/dashboard`);
    for (const line of stderr.trim().split('\n')) expect(() => JSON.parse(line)).not.toThrow();
    expect(stdout + stderr).not.toMatch(/svc_live_[0-9a-f]{32}/);
  });

  test('a log without a reader, or on a full disk, does not stop the daemon', async () => {
    const dataDir = await places.folder();
    const command = `"${process.execPath}" "${BIN}" serve 2> "$LOG" | head -n 1; sleep 0.1`;
    const env = { ...process.env, SVC_DATA_DIR: dataDir, SVC_PORT: '0', SVC_LOG_LEVEL: 'trace' };
    const shell = execa('sh', ['-c', command.replace('$LOG', '/dev/full')], {
      env,
      cwd: dataDir,
      reject: false,
      buffer: false,
    });
    let said = '';
    shell.stdout.on('data', (chunk) => {
      said += String(chunk);
    });
    await vi.waitFor(() => expect(said).toContain('svc is running at'), 10_000);
    const url = /svc is running at (\S+)/.exec(said)![1]!;
    for (let count = 0; count < 5; count += 1) {
      // Without a mail server, mails are shown on standard output, which nobody reads.
      const asked = await fetch(`${url}/v1/auth/magic-link`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ email: `ada${count}@example.com` }),
      });
      expect(asked.status).toBe(202);
      await sleep(50);
    }
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    const pid = Number(await readFile(join(dataDir, 'daemon.pid'), 'utf8'));
    process.kill(pid, 'SIGTERM');
    await shell;
    expect(await readdir(dataDir)).not.toContain('daemon.pid');
  });
});

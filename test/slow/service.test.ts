import { existsSync } from 'node:fs';
import { appendFile, mkdir, mkdtemp, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { serviceCommand } from '../../src/cli/commands/service.ts';
import type { ServiceContext } from '../../src/cli/service/context.ts';
import { readLog } from '../../src/cli/service/log-source.ts';
import { createRunProgram } from '../../src/cli/service/run-program.ts';
import type { Fetch } from '../../src/client/client.ts';
import { SYSTEMCTL } from '../cli/service/fake-systemctl.ts';
import { createCommandLine, type TestCommandLine } from '../helpers/command-line.ts';

const LOGINCTL = '#!/bin/sh\n[ "$1 $2" = "show-user 1000" ] && [ -e "$FAKE/linger" ] && echo yes || echo no\n';
const JOURNALCTL = `#!/bin/sh
echo "journalctl $*" >> "$FAKE/calls"
echo '{"level":40,"time":"2026-11-23T09:00:00.000Z","msg":"background task failed"}'
`;

let fake: string;
let line: TestCommandLine;

beforeEach(async () => {
  fake = await mkdtemp(join(tmpdir(), 'svc-fake-'));
  await writeFile(join(fake, 'inactive'), 'inactive\n');
  for (const [name, text] of Object.entries({ systemctl: SYSTEMCTL, loginctl: LOGINCTL, journalctl: JOURNALCTL })) {
    await writeFile(join(fake, name), text, { mode: 0o755 });
  }
  line = await openLine();
});
afterEach(async () => {
  await line.close();
  await rm(fake, { recursive: true });
});

const inFake = (...names: string[]) => join(fake, ...names);
const unitFile = () => inFake('config/systemd/user/svc.service');
const environmentFile = () => join(line.folder, 'service.env');
const calls = async () => (await readFile(inFake('calls'), 'utf8').catch(() => '')).trim().split('\n');

function openLine(env: Record<string, string> = {}): Promise<TestCommandLine> {
  const places = { UNIT: unitFile(), XDG_CONFIG_HOME: inFake('config'), SVC_DATA_DIR: inFake('data') };
  return createCommandLine({ env: { PATH: `${fake}:${process.env.PATH}`, FAKE: fake, ...places, ...env } });
}

/** A daemon that answers while the fake unit is active. */
const daemon: Fetch = async (url) => {
  if (!existsSync(inFake('active')) && !existsSync(inFake('other-daemon'))) throw new Error('connection refused');
  const { pathname } = new URL(url);
  const answers: Record<string, string> = {
    '/readyz': '{"status":"ready","update":"10.0.0"}',
    '/v1/openapi.json': '{"info":{"version":"9.8.7"}}',
    '/metrics': 'process_start_time_seconds 1795424400\n',
  };
  const text = async () => answers[pathname] ?? '';
  return { ok: true, status: 200, headers: { get: () => null }, text, body: null };
};

/** Runs `svc service`, with systemctl as the fake. */
async function service(words: string[], more: Partial<ServiceContext> = {}) {
  const { exitCode, out, error } = await line.run(
    (context) => {
      const whole: ServiceContext = {
        ...context,
        environment: { ...context.environment, platform: 'linux' },
        settingsFolder: line.folder,
        session: () => Promise.reject(new Error('not used')),
        program: { node: '/usr/bin/node', script: '/opt/svc/bin/svc' },
        run: createRunProgram(context.environment),
        fetch: daemon,
        uid: 1000,
        dataFolder: '/not/used',
        ...more,
      };
      return serviceCommand(whole);
    },
    ...words,
  );
  return { exitCode, out, error };
}

describe('svc service install', () => {
  test('writes the unit and private settings, starts the service, and says where it answers', async () => {
    const { exitCode, out, error } = await service(['install', '--port', '9001', '--signup', 'closed']);
    expect({ exitCode, error }).toMatchObject({ exitCode: 0 });
    expect(out).toContain('✓ svc is running at http://127.0.0.1:9001\n');
    expect(error).toContain('loginctl enable-linger');
    expect(await readFile(unitFile(), 'utf8')).toContain('ExecStart=/usr/bin/node /opt/svc/bin/svc serve\n');
    expect(await readFile(environmentFile(), 'utf8')).toMatch(
      /\nSVC_PORT=9001\nSVC_DATA_DIR=\S+\/data\nSVC_SIGNUP=closed\n$/,
    );
    expect((await stat(environmentFile())).mode & 0o777).toBe(0o600);
    expect((await stat(inFake('data'))).mode & 0o777).toBe(0o700);
    const changing = (await calls()).filter((call) => !/show|--version/.test(call));
    expect(changing).toEqual(['--user daemon-reload', '--user enable svc.service', '--user restart svc.service']);
  });

  test('shows no secret, and writes it only to the settings', async () => {
    await writeFile(inFake('smtp'), 'smtps://user:hunter2@mail.example.com');
    const words = ['install', '--smtp-url-file', inFake('smtp'), '--mail-from', 'svc <svc@example.com>'];
    const { exitCode, out, error } = await service(words);
    expect(exitCode).toBe(0);
    expect(out + error + (await readFile(unitFile(), 'utf8')) + (await calls()).join()).not.toContain('hunter2');
    expect(await readFile(environmentFile(), 'utf8')).toContain('SVC_SMTP_URL=smtps://user:hunter2@mail.example.com\n');
    expect(error).not.toContain('sign-in links appear');
  });

  test('run again, restarts the service and changes only what is given', async () => {
    await service(['install', '--port', '9001', '--signup', 'closed']);
    const edited = `# mine\n${await readFile(environmentFile(), 'utf8')}`;
    await writeFile(environmentFile(), edited);
    await writeFile(inFake('linger'), '');
    const { exitCode, out, error } = await service(['install', '--signup', '', '--quotas', 'A']);
    expect({ exitCode, out }).toMatchObject({ exitCode: 0, out: expect.stringContaining('Updates svc') });
    expect(error).not.toContain('enable-linger');
    expect(await readFile(environmentFile(), 'utf8')).toBe(
      `${edited.replace('SVC_SIGNUP=closed\n', '')}SVC_QUOTAS=A\n`,
    );
    expect((await calls()).filter((call) => call.includes('restart'))).toHaveLength(2);
  });

  test('changes nothing if a setting is invalid, or the daemon could not be found', async () => {
    await expect(service(['install', '--port', 'http'])).rejects.toThrow('SVC_PORT must be a port');
    await expect(service(['install', '--port', '0'])).rejects.toThrow('SVC_PORT must be fixed');
    expect(existsSync(unitFile()) || existsSync(environmentFile())).toBe(false);
  });

  test('does not start beside a daemon that already answers there', async () => {
    await writeFile(inFake('other-daemon'), '');
    const { exitCode, error } = await service(['install']);
    expect({ exitCode, error }).toMatchObject({ exitCode: 1, error: expect.stringContaining('already answers') });
    expect(existsSync(unitFile())).toBe(false);
  });

  test('run again while it is stopped, does not take another daemon for it', async () => {
    await service(['install']);
    await rm(inFake('active'));
    await writeFile(inFake('other-daemon'), '');
    const { exitCode, error } = await service(['install']);
    expect({ exitCode, error }).toMatchObject({ exitCode: 1, error: expect.stringContaining('already answers') });
    expect((await calls()).filter((call) => call.includes('restart'))).toHaveLength(1);
  });

  test('says what is wrong where systemd does not run, or the daemon does not start', async () => {
    await writeFile(inFake('no-bus'), '');
    expect(await service(['install'])).toMatchObject({
      exitCode: 1,
      error: expect.stringContaining('No medium found'),
    });
    await rm(inFake('no-bus'));
    await writeFile(inFake('broken'), '');
    const failed = await service(['install']);
    expect(failed).toMatchObject({ exitCode: 1, error: expect.stringContaining('svc service logs') });
  });

  test('does not wait for a daemon that ends and is started again and again', async () => {
    await writeFile(inFake('crashing'), '');
    expect(await service(['install'])).toMatchObject({
      exitCode: 1,
      error: expect.stringContaining('svc did not start. See svc service logs'),
    });
  });

  test('leaves a service of a package alone', async () => {
    await line.close();
    line = await openLine({ PACKAGED: '/usr/lib/systemd/user/svc.service' });
    await mkdir(inFake('config/systemd/user'), { recursive: true });
    await writeFile(unitFile(), 'theirs');
    expect(await service(['install'])).toMatchObject({ exitCode: 1, error: expect.stringContaining('A package') });
    expect(await readFile(unitFile(), 'utf8')).toBe('theirs');
  });

  test('runs for root only as the user svc, from folders that it can read', async () => {
    expect((await service(['install'], { uid: 0 })).error).toContain('--system');
    expect((await service(['install', '--system'])).error).toContain('sudo svc service install --system');
    const inHome = { program: { node: '/home/ada/node', script: '/home/ada/svc' } };
    const words = ['install', '--system', '--dry-run', '--data-dir', '/srv/svc', '--mail-dir', '/srv/mail'];
    expect((await service(words, inHome)).error).toContain('cannot read /home/ada/node');
    const { unitText } = JSON.parse((await service([...words, '--json'])).out);
    expect(unitText).toContain('\nUser=svc\n');
    expect(unitText).toContain('\nReadWritePaths=/srv/svc /srv/mail\n');
    expect(unitText).toContain('\nRestartMaxDelaySec=60\n');
  });

  test('--dry-run writes nothing', async () => {
    const { exitCode, out } = await service(['install', '--dry-run']);
    // A long path goes on in the next line.
    expect({ exitCode, out: out.replace(/\n\s+/g, '') }).toMatchObject({
      exitCode: 0,
      out: expect.stringContaining(unitFile()),
    });
    expect(existsSync(unitFile()) || existsSync(environmentFile())).toBe(false);
  });
});

describe('svc service status', () => {
  test('tells running, stopped, failed and not installed apart, also by exit code', async () => {
    const status = async () => {
      const { exitCode, out } = await service(['status', '--json']);
      return { exitCode, ...JSON.parse(out) };
    };
    expect(await status()).toMatchObject({ exitCode: 1, state: 'not-installed', pid: null });
    await service(['install', '--port', '9001']);
    await writeFile(inFake('data/last-backup'), '2026-11-22T03:00:00.000Z\n');
    expect(await status()).toEqual({
      exitCode: 0,
      state: 'running',
      unitFile: unitFile(),
      environmentFile: environmentFile(),
      dataDir: inFake('data'),
      url: 'http://127.0.0.1:9001',
      pid: 4242,
      since: '2026-11-23T09:00:00.000Z',
      version: '9.8.7',
      lastBackupAt: '2026-11-22T03:00:00.000Z',
      backupFails: false,
      update: '10.0.0',
      problem: null,
    });
    await rm(inFake('active'));
    expect(await status()).toMatchObject({ exitCode: 4, state: 'stopped' });
    await writeFile(inFake('inactive'), 'failed\n');
    expect(await status()).toMatchObject({ exitCode: 4, state: 'failed' });
    await writeFile(inFake('inactive'), 'activating\n');
    expect(await status()).toMatchObject({ exitCode: 4, state: 'starting' });
  });

  test('says so if the settings cannot be read, instead of looking at the usual address', async () => {
    await service(['install', '--port', '9001']);
    await rm(environmentFile());
    await mkdir(environmentFile());
    const { exitCode, error } = await service(['status']);
    expect({ exitCode, error }).toMatchObject({ exitCode: 1, error: expect.stringContaining('cannot be read') });
  });
});

describe('svc service uninstall', () => {
  test('removes the unit alone, and says where data and settings stay', async () => {
    await service(['install']);
    const { exitCode, out } = await service(['uninstall']);
    expect({ exitCode, out }).toMatchObject({
      exitCode: 0,
      out: expect.stringContaining(`Data stays in ${inFake('data')}`),
    });
    expect(existsSync(unitFile())).toBe(false);
    expect(existsSync(environmentFile()) && existsSync(inFake('data'))).toBe(true);
    const after = (await calls()).slice(-3);
    expect(after).toEqual([
      '--user disable --now svc.service',
      '--user reset-failed svc.service',
      '--user daemon-reload',
    ]);
    expect(await service(['uninstall'])).toMatchObject({
      exitCode: 0,
      out: expect.stringContaining('is not installed'),
    });
  });
});

describe('svc service logs', () => {
  test("reads systemd's journal, and does not change its lines when the output is not a terminal", async () => {
    const { exitCode, out } = await service(['logs', '--lines', '7', '--follow']);
    expect(exitCode).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ msg: 'background task failed' });
    await service(['logs', '--lines', '1'], { uid: 0 });
    const words = '--user --unit=svc.service --output=cat --no-pager --lines=7 --follow';
    const ofRoot = '--unit=svc.service --output=cat --no-pager --lines=1';
    expect(await calls()).toEqual([`journalctl ${words}`, `journalctl ${ofRoot}`]);
  });

  test.each(['', '-- No entries --'])(
    'fails when the journal has nothing of the service and prints %j',
    async (said) => {
      await writeFile(inFake('journalctl'), `#!/bin/sh\n${said && `echo '${said}'`}\n`, { mode: 0o755 });
      expect(await service(['logs'])).toEqual({
        exitCode: 1,
        out: '',
        error: expect.stringMatching(/There is no log yet in the journal\. svc service status/),
      });
    },
  );

  test('continues in the new file when the log is rotated', async () => {
    const file = inFake('svc.log');
    await writeFile(`${file}.1`, 'one\ntwo\n');
    await writeFile(file, 'three\n');
    const read: string[] = [];
    const stop = new AbortController();
    const options = { lines: 2, follow: true, env: {}, signal: stop.signal, onText: (text: string) => read.push(text) };
    const reading = readLog({ file }, options);
    await expect.poll(() => read).toEqual(['two\nthree\n']);
    await appendFile(file, 'four\n');
    await expect.poll(() => read.at(-1)).toBe('four\n');
    await rename(file, `${file}.1`);
    await writeFile(file, '5\n');
    await expect.poll(() => read.at(-1)).toBe('5\n');
    stop.abort();
    await reading;
    await expect(readLog({ file: inFake('none') }, options)).rejects.toThrow('no log yet');
  });
});

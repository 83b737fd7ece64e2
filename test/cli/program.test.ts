import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runProgram } from '../../src/cli/program.ts';
import { BIN, runCommand } from '../helpers/process.ts';

let dataDir: string;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'svc-cli-'));
});

afterAll(() => rm(dataDir, { recursive: true, force: true }));

async function run(...argv: string[]) {
  const written = { out: '', error: '' };
  const terminal = {
    out: (text: string) => {
      written.out += text;
    },
    error: (text: string) => {
      written.error += text;
    },
  };
  const code = await runProgram(argv, '1.2.3', terminal, () => new Promise(() => {}));
  return { code, ...written };
}

/** The long options of a help text and whether each takes a value. */
function optionsOf(help: string): [name: string, takesValue: boolean][] {
  return [...help.matchAll(/^ {2}(?:-\w, )?(--[a-z-]+)( <\w+>)?/gm)].map(([, name = '', value]) => [
    name,
    value !== undefined,
  ]);
}

const ADMIN = ['tenants', 'tier', 'erase', 'invite', 'invitations', 'withdraw', 'check', 'backup'];

describe('help', () => {
  test('no arguments, --help, -h and help print the same to standard output and exit with 0', async () => {
    const plain = await run('--help');
    expect(plain).toMatchObject({ code: 0, error: '' });
    for (const argv of [[], ['-h'], ['help']]) expect(await run(...argv)).toEqual(plain);
    for (const command of ['serve', 'admin']) expect(plain.out).toContain(`  ${command} `);
  });

  test.each([[['serve']], [['admin']], ...ADMIN.map((name) => [['admin', name]])])(
    '%j shows its options',
    async (words) => {
      const after = await run(...words, '--help');
      expect(after).toMatchObject({ code: 0, error: '' });
      expect(after.out).toContain(`Usage: svc ${words.join(' ')}`);
      if (words.length === 1) expect(await run('help', ...words)).toEqual(after);
      expect(optionsOf(after.out).length).toBeGreaterThan(1);
    },
  );

  test('of an unknown command names the nearest one, as the command itself does', async () => {
    const unknown = await run('serch');
    expect(unknown).toMatchObject({ code: 2, error: expect.stringContaining('Did you mean search?') });
    expect(await run('help', 'serch')).toEqual(unknown);
  });

  test('serve accepts every option that its help lists', async () => {
    const values: Record<string, string> = {
      '--public-url': 'http://a',
      '--port': '1',
      '--database-url': 'postgres://a/b',
      '--redis-url': 'redis://a',
      '--smtp-url': 'smtp://a',
      '--embeddings': 'http://a/v1#model',
      '--mail-from': 'a@b',
      '--signup': 'open',
      '--spaces': 'operator',
      '--quotas': 'A',
      '--storage-limits': 'Free=2GiB',
      '--default-tier': 'Pro',
      '--master-key': Buffer.alloc(32).toString('base64'),
      '--trust-proxy': 'loopback',
      '--cors-origins': 'https://app.example.com',
      '--redact': 'off',
      '--oauth': 'auto',
      '--log-level': 'info',
      '--log-format': 'json',
      '--backup-schedule': 'off',
      '--backup-keep': '7',
      '--update-check': 'off',
      '--update-url': 'https://a/latest',
    };
    const options = optionsOf((await run('serve', '--help')).out).filter(
      ([name]) => !['--help', '--version'].includes(name) && (name === '--log-file' || !name.endsWith('-file')),
    );
    const argv = options.flatMap(([name, takesValue]) => (takesValue ? [name, values[name] ?? 'x'] : [name]));
    expect(argv).toEqual(expect.arrayContaining(['--check', '--json', '--metrics-token', '--data-dir']));
    const { code, out, error } = await run('serve', ...argv);
    expect(code).toBe(0);
    const warnings = error.trimEnd().split('\n');
    expect(warnings.map((line) => /^svc: warning: (--[a-z-]+) shows a secret/.exec(line)?.[1])).toEqual([
      '--master-key',
      '--metrics-token',
    ]);
    const settings = JSON.parse(out);
    expect(settings).toMatchObject({ SVC_PUBLIC_URL: 'http://a', SVC_PORT: 1 });
    expect(settings).toMatchObject({ SVC_METRICS_TOKEN: '********', SVC_MASTER_KEY: '********' });
    expect(Object.entries(settings).filter(([, value]) => value === null)).toEqual([]);
  });

  test.each(ADMIN)('admin %s accepts the shared options before and after its name', async (name) => {
    const { out } = await run('admin', name, '--help');
    expect(optionsOf(out)).toEqual(
      expect.arrayContaining([
        ['--data-dir', true],
        ['--json', false],
      ]),
    );
    const rest =
      {
        tier: ['a@b.example', 'Pro'],
        erase: ['a@b.example', '--yes'],
        invite: ['a@b.example'],
        withdraw: ['a@b.example'],
        backup: [join(dataDir, 'backup.db')],
      }[name] ?? [];
    const nowhere = join(dataDir, 'nowhere');
    for (const argv of [
      ['admin', '--json', '--data-dir', nowhere, name, ...rest],
      ['admin', name, ...rest, '--data-dir', nowhere, '--json'],
    ]) {
      expect(await run(...argv)).toEqual({
        code: 1,
        out: '',
        error: `svc: There is no svc database in ${nowhere}. Start svc serve once, or set SVC_DATA_DIR.\n`,
      });
    }
  });

  test('--version and -V print the version', async () => {
    expect(await run('--version')).toEqual({ code: 0, out: '1.2.3\n', error: '' });
    expect(await run('-V')).toEqual({ code: 0, out: '1.2.3\n', error: '' });
  });
});

describe('a usage error exits with 2 and a message on standard error', () => {
  test.each([
    [['nothing'], 'nothing'],
    [['--nothing'], '--nothing'],
    [['nothing', 'serve'], 'nothing'],
    [['serve', '--nothing'], '--nothing'],
    [['serve', 'nothing'], 'too many arguments'],
    [['serve', '--port'], '--port'],
    [['serve', '--port', 'x', '--check'], 'SVC_PORT must be'],
    [['serve', '--json'], '--check'],
    [['admin'], 'Usage: svc admin'],
    [['admin', 'nothing'], 'nothing'],
    [['admin', 'tier', 'a@b.example'], 'tier'],
    [['admin', 'tier', 'a@b.example', 'Gold'], 'Free, Pro, Enterprise'],
    [['admin', 'tier', 'a@b.example', 'Pro', 'more'], 'too many arguments'],
    [['admin', 'erase', 'a@b.example'], '--yes'],
    [['admin', 'invite', 'no-address'], 'no-address'],
    [['admin', 'invite', 'a@b.example,c@d.example'], 'must be a single email address'],
    [['admin', 'tenants', '--data-dir'], '--data-dir'],
  ])('%j', async (argv, says) => {
    const { code, out, error } = await run(...argv);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(error).toContain(says);
  });
});

describe('the process', () => {
  const shell = (script: string) =>
    execa('bash', ['-c', script], {
      env: { SVC: `"${process.execPath}" "${BIN}"`, BIN, SVC_DATA_DIR: dataDir },
      reject: false,
      cwd: dataDir,
    });

  test('exits with the code of its command', async () => {
    const ends = await Promise.all(
      [['--help'], ['admin', 'tenants'], ['nothing']].map((args) => runCommand({ dataDir, args })),
    );
    expect(ends.map(({ exitCode }) => exitCode)).toEqual([0, 1, 2]);
  });

  test('loads no database to print help', async () => {
    const main = await readFile(join(BIN, '../../dist/main.js'), 'utf8');
    expect(main).not.toMatch(/from ["'](sqlite3|knex|fastify)["']/);
  });

  test('exits with 0 if the reader of its output goes away', async () => {
    const { stdout, stderr } = await shell('set -o pipefail; eval $SVC serve --help | head -n 1; echo $?');
    expect(stdout).toBe('Usage: svc serve [options]\n0');
    expect(stderr).toBe('');
    const closed = await shell('set -o pipefail; eval $SVC serve --help | true; echo $?');
    expect(closed).toMatchObject({ stdout: '0', stderr: '' });
  });

  test('fails if its output cannot be written', async () => {
    const { stdout, stderr } = await shell('eval $SVC serve --check > /dev/full; echo "$?"');
    expect(stdout).toBe('1');
    expect(stderr).toBe('svc: cannot write output (ENOSPC)');
  });
});

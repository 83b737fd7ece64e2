import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readConfigFlags } from '../../src/cli/commands/serve-flags.ts';
import { runProgram } from '../../src/cli/program.ts';
import { readConfig } from '../../src/daemon/config.ts';

const KEY = Buffer.alloc(32, 7);
const SECRETS = [
  ['--master-key', KEY.toString('base64'), 'SVC_MASTER_KEY'],
  ['--metrics-token', 'watch-me-0123456789', 'SVC_METRICS_TOKEN'],
  ['--smtp-url', 'smtps://ada:hunter2@mail.example.com', 'SVC_SMTP_URL'],
  ['--embeddings', 'https://:hunter2@models.example.com/v1#model', 'SVC_EMBEDDINGS'],
] as const;

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-flags-'));
});

afterEach(() => rm(folder, { recursive: true, force: true }));

async function check(...argv: string[]) {
  const written = { out: '', error: '' };
  const terminal = {
    out: (text: string) => {
      written.out += text;
    },
    error: (text: string) => {
      written.error += text;
    },
  };
  const words = ['serve', '--check', '--json', '--mail-from', 'svc@example.com', ...argv];
  const code = await runProgram(words, '1.2.3', terminal, () => new Promise(() => undefined));
  return { code, settings: written.out === '' ? undefined : JSON.parse(written.out), error: written.error };
}

describe('a secret (row 75)', () => {
  test.each(SECRETS)(
    '%s as a flag is taken, with a warning that offers a file and the environment',
    async (flag, secret, env) => {
      const { code, settings, error } = await check(flag, secret);
      expect(code).toBe(0);
      expect(error).toBe(
        `svc: warning: ${flag} shows a secret to every user of this machine (ps). Use ${flag}-file or ${env} instead.\n`,
      );
      expect(settings[env]).toContain('********');
    },
  );

  test.each(SECRETS)('%s-file is taken without a warning and not shown', async (flag, secret, env) => {
    const file = join(folder, 'secret');
    await writeFile(file, `${secret}\n`);
    const { code, settings, error } = await check(`${flag}-file`, file);
    expect({ code, error }).toEqual({ code: 0, error: '' });
    expect(settings[env]).toContain('********');
    expect(JSON.stringify(settings)).not.toContain(secret);
  });

  test('in a file reaches the configuration unchanged, as on the command line', async () => {
    const file = join(folder, 'secret');
    await writeFile(file, `${KEY.toString('base64')}\n`);
    for (const given of [{ masterKeyFile: file }, { masterKey: KEY.toString('base64') }]) {
      expect(readConfig(await readConfigFlags(given), {}, '').masterKeys).toEqual([KEY]);
    }
  });

  test('in a file that cannot be read, or given twice, is an error', async () => {
    const missing = join(folder, 'missing');
    expect(await check('--master-key-file', missing)).toEqual({
      code: 2,
      settings: undefined,
      error: `svc: --master-key-file ${missing} cannot be read (ENOENT)\n`,
    });
    expect(await check('--metrics-token', 'a', '--metrics-token-file', missing)).toMatchObject({
      code: 2,
      error: 'svc: --metrics-token and --metrics-token-file exclude each other\n',
    });
  });

  test.each([
    ['--smtp-url', 'smtp://localhost:25'],
    ['--embeddings', 'ollama+http://127.0.0.1:11434#model'],
    ['--embeddings', './models/all-MiniLM-L6-v2'],
  ])('is not suspected in %s %s', async (flag, value) => {
    expect(await check(flag, value)).toMatchObject({ code: 0, error: '' });
  });
});

describe('listening on all addresses', () => {
  const warning = /^svc: warning: Links in mails lead to 127\.0\.0\.1, [^\n]* Set SVC_PUBLIC_URL [^\n]*\n$/;

  test.each(['0.0.0.0', '::', '::0', '0:0:0:0:0:0:0:0', '0'])(
    '%s without a public URL is a warning, with one it is not',
    async (host) => {
      const { code, error } = await check('--host', host);
      expect(code).toBe(0);
      expect(error).toMatch(warning);
      expect(await check('--host', host, '--public-url', 'https://a.example')).toMatchObject({ code: 0, error: '' });
    },
  );

  test.each(['127.0.0.1', '::1', '192.0.2.7', 'localhost', 'svc.example.com'])('%s is not', async (host) => {
    expect(await check('--host', host)).toMatchObject({ code: 0, error: '' });
  });
});

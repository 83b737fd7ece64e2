import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { IMPORT_FORMATS } from '../../src/contract/import-formats.ts';
import { type CliUser, createCliUser } from './memory-harness.ts';

const exec = promisify(execFile);
let person: CliUser;

beforeAll(async () => {
  person = await createCliUser('http://127.0.0.1:9', undefined);
});
afterAll(() => person.close());

async function script(shell: string): Promise<string> {
  const { out, code } = await person.run(['completion', shell]);
  expect(code).toBe(0);
  return out;
}

/** Returns what bash's own completion offers at the end of `line`. */
async function offered(line: string): Promise<string[]> {
  const path = join(person.folder, 'completion.bash');
  await writeFile(path, await script('bash'));
  const words = line.split(' ');
  const program = `set -eu; source "$1"; shift
    COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=(); cd "$HOME"
    _svc svc "\${COMP_WORDS[COMP_CWORD]}" ""; printf '%s\\n' "\${COMPREPLY[@]:-}"`;
  const { stdout } = await exec('bash', ['-c', program, 'bash', path, ...words], {
    env: { HOME: person.folder, PATH: process.env.PATH },
  });
  return stdout.split('\n').filter((word) => word !== '');
}

describe('bash completion', () => {
  test.each([
    ['svc s', ['search', 'show', 'sync', 'space']],
    ['svc exp', ['export']],
    ['svc add --su', ['--supersedes']],
    ['svc import --format ', [...IMPORT_FORMATS]],
    ['svc import --format me', ['mem0']],
    ['svc completion ', ['bash', 'zsh', 'fish', '--help', '-h']],
    ['svc search --limit ', []],
    ['svc forget x --y', ['--yes']],
    ['svc --v', ['--version']],
    ['svc prov', ['provider']],
    ['svc provider r', ['remove']],
    ['svc provider add open', ['openai', 'openrouter', 'openai-compatible']],
    ['svc provider add openai --k', []],
    ['svc provider settings --on-append ', ['on', 'off']],
    ['svc jobs --state f', ['failed']],
    ['svc model r', ['remove']],
    ['svc space ti', ['tie']],
    ['svc space role ada@example.com r', ['reader']],
    ['svc model add all', ['all-MiniLM-L6-v2']],
  ])('completes %j', async (line, words) => expect(await offered(line)).toEqual(words));

  test('completes file names only where a path is accepted', async () => {
    await writeFile(join(person.folder, 'memories.ndjson'), '');
    expect(await offered('svc import mem')).toEqual(['memories.ndjson']);
    expect(await offered('svc show mem')).toEqual([]);
  });
});

describe('svc completion', () => {
  test.each(['bash', 'zsh', 'fish'])('covers every command and option for %s', async (shell) => {
    const text = await script(shell);
    for (const name of ['add', 'search', 'list', 'show', 'edit', 'forget', 'export', 'import', 'mcp', 'completion']) {
      expect(text).toContain(name);
    }
    for (const option of ['as-of', 'supersedes', 'no-tag', 'explain']) expect(text).toContain(option);
  });

  test('rejects an unknown shell and lists the supported ones', async () => {
    expect(await person.run(['completion', 'tcsh'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('bash, zsh, fish'),
    });
  });
});

import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Memory } from '../../src/contract/memories.ts';
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.ts';
import { type CliUser, createCliUser } from './memory-harness.ts';

/** `svc add`, `edit`, `show` and `forget`. */

let daemon: TestDaemon;
let apiKey: string;
let person: CliUser;
const TTY = { tty: true };

beforeAll(async () => {
  daemon = await startTestDaemon();
  ({ apiKey } = await daemon.signIn('terminal@example.com'));
  person = await createCliUser(daemon.baseUrl, apiKey, daemon.clock);
});

afterAll(async () => {
  await person.close();
  await daemon.close();
});

async function add(content: string): Promise<string> {
  return (await person.run(['add', content])).out.trim();
}

/** Sets $EDITOR to a shell script, which gets the file as its argument. */
async function editorRunning(commands: string): Promise<Record<string, string>> {
  const script = join(person.folder, 'editor.sh');
  await writeFile(script, commands);
  return { EDITOR: `"/bin/sh" "${script}"` };
}
const writing = (text: string) => `printf %s '${text}' > "$1"`;

describe('svc add', () => {
  test('stores every given field', async () => {
    const words = ['add', 'The', 'office moves', '--user', 'ada', '--tag', 'work', '--tag', 'work', '--tag', 'move'];
    const more = ['--metadata', 'floor:=3', '--metadata', 'city=Graz', '--occurred', '2026-01-02', '--expires', '30d'];
    const { out, code } = await person.run([...words, ...more, '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      content: 'The office moves',
      user: 'ada',
      tags: ['work', 'move'],
      metadata: { floor: 3, city: 'Graz' },
      occurredAt: new Date(2026, 0, 2).toISOString(),
      expiresAt: expect.any(String),
    });
  });

  test('says to a person what happened, and to a program the id', async () => {
    const first = await person.run(['add', 'Ada prefers oolong'], TTY);
    expect(first.out).toMatch(/^Remembered\. {2}[0-9a-f]{8}\n$/);
    const again = await person.run(['add', 'ada  prefers OOLONG'], TTY);
    expect(again.out).toMatch(/^Already stored \(just now\)\. {2}[0-9a-f]{8}\n$/);
    const piped = await person.run(['add', 'Ada prefers oolong']);
    expect(piped.out).toMatch(/^mem_[0-9a-f]{32}\n$/);
    expect(piped.err).toContain('Already stored');
  });

  test('reads standard input and rejects it if empty', async () => {
    const { out } = await person.run(['add', '--json'], { stdin: 'first line\nsecond line\n' });
    expect(JSON.parse(out).content).toBe('first line\nsecond line');
    expect(JSON.parse((await person.run(['add', '-', '--json'], { stdin: 'dash' })).out).content).toBe('dash');
    expect(await person.run(['add'], { stdin: ' \n' })).toMatchObject({ code: 2, out: '' });
  });

  test.each(['yesterday', 'today', '2020-01-01'])(
    'refuses to add or edit what would expire at once: %s',
    async (time) => {
      const kept = (await person.run(['add', `Permit of ${time}`])).out.trim();
      for (const words of [
        ['add', `Ticket of ${time}`],
        ['edit', kept],
      ]) {
        const { code, out, err } = await person.run([...words, '--expires', time]);
        expect({ code, out }).toEqual({ code: 2, out: '' });
        expect(err).toContain('has passed: the memory would be erased at once.');
      }
      expect((await person.run(['show', kept])).code).toBe(0);
    },
  );

  test.each([{}, { tty: true, env: { EDITOR: 'false' } }])(
    'leaves standard input unread for a text that is empty: %j',
    async (options) => {
      const { code, out, err } = await person.run(['add', ' '], { stdin: 'the next lines of a loop\n', ...options });
      expect({ code, out }).toEqual({ code: 2, out: '' });
      expect(err).toContain('Nothing to add: the text is empty.');
    },
  );

  test('opens the editor on a terminal', async () => {
    const written = await person.run(['add', '--json'], {
      tty: true,
      env: await editorRunning(writing('In my editor\n')),
    });
    expect(JSON.parse(written.out).content).toBe('In my editor');
    const nothing = await person.run(['add'], { tty: true, env: await editorRunning('') });
    expect(nothing).toMatchObject({ code: 1, err: expect.stringContaining('nothing was added') });
    const broken = await person.run(['add'], { tty: true, env: { EDITOR: 'false' } });
    expect(broken).toMatchObject({ code: 1, err: expect.stringContaining('false: exited with 1') });
  });

  test('keeps the editor’s text if it cannot be sent', async () => {
    const stranger = await createCliUser('http://127.0.0.1:9', apiKey);
    const { code, err } = await stranger.run(['add'], { tty: true, env: await editorRunning(writing('Not lost')) });
    expect(code).toBe(4);
    const path = /Your text is saved in (\S+)/.exec(err)?.[1] ?? '';
    expect(await readFile(path, 'utf8')).toBe('Not lost');
    await stranger.close();
  });

  test('supersedes a memory by its short id', async () => {
    const old = await add('The safe is behind the painting');
    const { out } = await person.run(['add', 'The safe is under the floor', '--supersedes', old.slice(-8), '--json']);
    const past = JSON.parse((await person.run(['show', old, '--json'])).out) as Memory;
    expect(past.supersededBy).toBe(JSON.parse(out).id);
    expect((await person.run(['show', old], TTY)).out).toContain('replaced by');
  });

  test.each([
    [['--occurred', 'someday'], /Expected a time such as/],
    [['--metadata', 'x'], /key=value/],
    [['--color', 'red'], /unknown option/],
    [['--supersedes', 'zzz'], /is not a memory id/],
  ])('rejects %j as a usage error', async (words, expected) => {
    expect(await person.run(['add', 'x', ...words])).toMatchObject({ code: 2, err: expect.stringMatching(expected) });
  });

  test('exits with 3 if not signed in', async () => {
    const nobody = await createCliUser(daemon.baseUrl, undefined);
    expect(await nobody.run(['add', 'x'])).toMatchObject({ code: 3, err: expect.stringContaining('svc login') });
    const stale = await createCliUser(daemon.baseUrl, `svc_live_${'0'.repeat(32)}`);
    expect(await stale.run(['add', 'x'])).toMatchObject({ code: 3 });
    await Promise.all([nobody.close(), stale.close()]);
  });
});

describe('svc show', () => {
  test('shows every field, and finds a memory by the beginning or end of its id', async () => {
    await add('Linz has none');
    const id = await add('Graz has a clock tower');
    const { out } = await person.run(['show', id.slice(-6)], TTY);
    expect(out).toContain(`id           ${id}`);
    expect((await person.run(['show', id.slice(0, 24)], TTY)).out).toBe(out);
    expect(await person.run(['show', 'ffffffffff'])).toMatchObject({
      code: 1,
      err: expect.stringContaining('No memory'),
    });
    const common = await person.run(['show', id.slice(0, 10)]);
    expect(common).toMatchObject({ code: 1, err: expect.stringMatching(/matches \d+ memories/) });
  });

  test('shows all versions with --history', async () => {
    const id = await add('The tower is red');
    await person.run(['edit', id, '--content', 'The tower is white', '--tag', 'graz']);
    const { out } = await person.run(['show', id, '--history'], TTY);
    expect(out).toMatch(
      /version 2 .*\n {2}The tower is white\n {2}changed: content, tags\n\nversion 1 .*\n {2}The tower is red\n$/s,
    );
    expect(JSON.parse((await person.run(['show', id, '--history', '--json'])).out).data).toHaveLength(2);
  });
});

describe('svc edit', () => {
  test('changes only the given fields', async () => {
    const id = (await person.run(['add', 'Edited', '--tag', 'a', '--metadata', 'k=v', '--expires', '30d'])).out.trim();
    const change = ['edit', id, '--tag', 'b', '--expires', 'never', '--occurred', 'yesterday', '--json'];
    expect(JSON.parse((await person.run(change)).out)).toMatchObject({
      content: 'Edited',
      tags: ['b'],
      metadata: { k: 'v' },
      expiresAt: null,
      version: 2,
    });
    expect(JSON.parse((await person.run(['edit', id, '--no-tag', '--json'])).out).tags).toEqual([]);
    expect((await person.run(['edit', id, '--content', 'Edited'], TTY)).out).toContain('unchanged');
    expect(await person.run(['edit', id])).toMatchObject({ code: 2, err: expect.stringContaining('--content') });
  });

  test('marks as outdated, since now or a time, and as current again', async () => {
    const id = await add('Lives in Linz');
    expect((await person.run(['edit', id, '--outdated'], TTY)).out).toContain('marked as outdated');
    expect((await person.run(['search', 'Linz'])).out).not.toContain(id);
    expect((await person.run(['edit', id, '--no-outdated'], TTY)).out).toContain('is current again');
    expect((await person.run(['search', 'Linz'])).out).toContain(id);
    const { validTo } = JSON.parse((await person.run(['edit', id, '--outdated', 'today', '--json'])).out);
    expect(validTo).not.toBeNull();
  });

  test('does not overwrite a concurrent change, and keeps the editor’s text', async () => {
    const id = await add('Contested');
    const meanwhile = join(person.folder, 'meanwhile.mjs');
    const change = `await fetch('${daemon.baseUrl}/v1/memories/${id}', { method: 'PATCH', headers: {
      authorization: 'Bearer ${apiKey}', 'content-type': 'application/json' }, body: '{"content":"Theirs"}' });`;
    await writeFile(meanwhile, change);
    const env = await editorRunning(`"${process.execPath}" "${meanwhile}"\n${writing('Mine\n')}`);
    const { code, err } = await person.run(['edit', id], { tty: true, env });
    expect(code).toBe(1);
    expect(err).toMatch(/This memory changed in the meantime.*Your text is saved in/s);
    expect(JSON.parse((await person.run(['show', id, '--json'])).out).content).toBe('Theirs');
  });

  test('removes its temporary file after saving', async () => {
    const id = await add('Tidy');
    const env = await editorRunning(`${writing('Tidier')}\nprintf %s "$1" > '${join(person.folder, 'path')}'`);
    expect((await person.run(['edit', id], { tty: true, env })).out).toContain('version 2');
    const path = await readFile(join(person.folder, 'path'), 'utf8');
    await expect(readFile(path)).rejects.toThrow('ENOENT');
  });
});

describe('svc forget', () => {
  test('shows the memory and asks for confirmation', async () => {
    const id = await add('Forget me not');
    const kept = await person.run(['forget', id], { tty: true, typed: 'n' });
    expect(kept).toMatchObject({ code: 1, questions: ['Forget this memory permanently? [y/N] '] });
    expect(kept.err).toContain('Forget me not');
    expect(await person.run(['forget', id], { tty: true, typed: 'y' })).toMatchObject({ code: 0, out: 'Forgotten.\n' });
    expect(await person.run(['show', id])).toMatchObject({ code: 1 });
  });

  test('requires --yes without a terminal', async () => {
    const id = await add('Silent');
    expect(await person.run(['forget', id])).toMatchObject({ code: 2, questions: [] });
    expect(JSON.parse((await person.run(['forget', id, '--yes', '--json'])).out)).toEqual({
      data: [{ id, deleted: true }],
    });
  });

  test('erases nothing if one of several ids is wrong', async () => {
    const id = await add('Still here');
    expect(await person.run(['forget', id, 'fffffffffff', '--yes'])).toMatchObject({ code: 1 });
    expect(await person.run(['forget', id, `mem_${'f'.repeat(32)}`, '--yes'])).toMatchObject({ code: 1 });
    expect(await person.run(['show', id])).toMatchObject({ code: 0 });
  });

  test('stores only ids in the settings folder, and no key', async () => {
    await add('Ada plays the oboe');
    await person.run(['list'], TTY);
    const names = (await readdir(person.folder)).filter((name) => name.endsWith('.json'));
    expect(names).toEqual(['recent-ids.json']);
    const text = await readFile(join(person.folder, 'recent-ids.json'), 'utf8');
    expect(JSON.parse(text).every((id: string) => /^mem_[0-9a-f]{32}$/.test(id))).toBe(true);
  });
});

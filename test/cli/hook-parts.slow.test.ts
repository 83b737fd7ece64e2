import { access, mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { capturedText } from '../../src/cli/hook/captured-text.ts';
import { withoutPrivate } from '../../src/cli/hook/private-passages.ts';
import { originIn, originName, projectName } from '../../src/cli/hook/project-name.ts';
import { openSession, pruneSessions } from '../../src/cli/hook/session-state.ts';
import { withLock } from '../../src/cli/hook/state-file.ts';
import { growthOf, LINEAR, msToDo } from '../helpers/growth.ts';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-hook-parts-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('captured text', () => {
  test('leaves out private passages, to the end if they are not closed', () => {
    expect(withoutPrivate('a<private>b</private>c<PRIVATE>d</Private>e')).toBe('ace');
    expect(withoutPrivate('a<private>b')).toBe('a');
    expect(capturedText(' <private>b</private> ', { redact: true })).toBeUndefined();
  });

  test.each([
    ['<private >', '</private >'],
    ['< private\n>', '</ private>'],
    ['<Private reason="a > b" <i>>', '< / PRIVATE >'],
    ['<private', '</private/>'],
    ['<private/>', '<\\/private>'],
    ['<priv\u200b\u200bate>', '</pri\u2011vate>'],
    ['<private\u3164>', '<\u2060/ private>'],
    ['<ᴘʀɪᴠᴀᴛᴇ>', '</ⲣꮢⲓꮩⲁⲧⲉ>'],
    [`<priv${'\u200b'.repeat(60)}ate\u0301>`, '</private\u200b>'],
    ['<𝗽𝗿𝗶𝘃𝗮𝘁𝗲>', '</ⓟⓡⓘⓥⓐⓣⓔ>'],
    ['<privaté>', '</p\u0301rivate>'],
    ['&#60;private&#62;', '&#x3C;/private&#x3E;'],
    ['＜ｐｒｉｖａｔｅ＞', '＜／ｐｒｉｖａｔｅ＞'],
    ['<pr\u200bivаte>', '</privat\u0435>'],
    ['&lt;private&gt;', '&lt;/private&gt;'],
  ])('leaves out a passage from %s to %s', (opening, closing) => {
    expect(withoutPrivate(`a ${opening} salary ${closing} b`)).toBe('a  b');
    expect(withoutPrivate(`a ${opening} salary`)).toBe('a ');
  });

  test('leaves out nested private passages to the end of the outer one', () => {
    expect(withoutPrivate('a<private>b<private>c</private>d</private>e</private>f')).toBe('ae</private>f');
    expect(withoutPrivate('a<private>b<private>c</private>d')).toBe('a');
  });

  test('keeps what is outside of private passages, and none of what is inside, however they nest', () => {
    const opening = fc.constantFrom('<private>', '<private >', '<PRIVATE class="x">', '< private\t>');
    const closing = fc.constantFrom('</private>', '</private >', '</ Private>', '< /private\n>');
    const outside = fc.string({ unit: fc.constantFrom(...'ab <>/&;"\n🍵é') }).filter((text) => !/[<&]\s*$/.test(text));
    const { passage } = fc.letrec<{ passage: string; inner: string[] }>((tie) => ({
      inner: fc.array(fc.oneof({ maxDepth: 4 }, fc.constant('SECRET'), tie('passage')), { maxLength: 4 }) as never,
      passage: fc.tuple(opening, tie('inner'), closing).map(([start, inner, end]) => start + inner.join('') + end),
    }));
    fc.assert(
      fc.property(fc.array(fc.tuple(outside, passage)), outside, (parts, last) => {
        const text = parts.map(([before, hidden]) => before + hidden).join('') + last;
        expect(withoutPrivate(text)).toBe(parts.map(([before]) => before).join('') + last);
      }),
    );
  });

  test('keeps words that only begin like a private tag', () => {
    const text = 'a <privateer> <private-key> <private_x> private> </private> b';
    expect(withoutPrivate(text)).toBe(text);
  });

  test.each(['<private>', '</private>', '<private ', '< ', '<private x', '</private x', '<'])(
    'takes about 16 times as long for 16 times as many %j',
    (part) => {
      expect(withoutPrivate(part.repeat(64_000)).length).toBeLessThanOrEqual(64_000 * part.length);
      const msToRead = (count: number) => msToDo(() => withoutPrivate(part.repeat(count)));
      expect(growthOf(msToRead, 4000)).toBeLessThan(LINEAR);
    },
  );

  test('masks credentials unless that is switched off', () => {
    const text = `token svc_live_${'0123456789abcdef'.repeat(2)}`;
    expect(capturedText(text, { redact: true })).toBe('token [redacted: svc-api-key]');
    expect(capturedText(text, { redact: false })).toBe(text);
  });

  test('keeps no half of a credential or of a character where it is cut', () => {
    const secret = `svc_live_${'0123456789abcdef'.repeat(2)}`;
    const text = capturedText(`${'x'.repeat(19_980)} ${secret} ${'🍵'.repeat(20_000)}`, { redact: true });
    expect(text).not.toContain('svc_live_0');
    expect(text?.isWellFormed()).toBe(true);
  });
});

describe('the project of a folder', () => {
  test('is host and path of the origin, however it was cloned', () => {
    const urls = [
      'git@github.com:acme/tea.git',
      'https://GitHub.com/acme/tea',
      'ssh://git@github.com:22/acme/tea.git/',
    ];
    expect(urls.map(originName)).toEqual(Array(3).fill('github.com/acme/tea'));
    expect(originName('https://ada:secret@github.com/acme/tea')).toBe('github.com/acme/tea');
    expect(originName('https://ada:se@cr@et@github.com/acme/tea')).toBe('github.com/acme/tea');
    expect(originName('/srv/git/tea.git')).toBeUndefined();
  });

  test.each([
    ['line breaks', (count: number) => '\n'.repeat(count)],
    ['blanks', (count: number) => ' '.repeat(count)],
    ['sections', (count: number) => '[remote "other"]\n'.repeat(count / 16)],
    ['line breaks in its section', (count: number) => `[remote "origin"]${'\n'.repeat(count)}`],
    ['slashes in its URL', (count: number) => `[remote "origin"]\nurl = https://a.org/${'/'.repeat(count)}x`],
  ])('takes about 16 times as long to read from 16 times as many %s', (_, configOf) => {
    const msToRead = (count: number) => {
      // A flat copy: the first read of a repeated string would copy it.
      const config = Buffer.from(configOf(count)).toString();
      return msToDo(() => originIn(config));
    };
    expect(growthOf(msToRead, 8000, 20)).toBeLessThan(LINEAR);
  });

  test('is the same in a repository, in a folder of it and in its worktrees', async () => {
    const repository = join(folder, 'tea');
    await mkdir(join(repository, '.git/worktrees/green'), { recursive: true });
    await mkdir(join(repository, 'src/leaves'), { recursive: true });
    await mkdir(join(folder, 'green'));
    await writeFile(join(folder, 'green/.git'), `gitdir: ${join(repository, '.git/worktrees/green')}\n`);
    await writeFile(join(repository, '.git/worktrees/green/commondir'), '../..\n');
    const folders = [repository, join(repository, 'src/leaves'), join(folder, 'green')];
    expect(await Promise.all(folders.map(projectName))).toEqual(['tea', 'tea', 'tea']);
    await writeFile(
      join(repository, '.git/config'),
      '[core]\n\tbare = false\n[remote "origin"]\n\turl = git@h.org:a/b.git\n',
    );
    expect(await Promise.all(folders.map(projectName))).toEqual(Array(3).fill('h.org/a/b'));
  });

  test('is the name of the folder outside git', async () => {
    await mkdir(join(folder, 'plain'));
    expect(await projectName(join(folder, 'plain'))).toBe('plain');
    expect(await projectName('/')).toBe('/');
  });
});

describe('the files of hooks', () => {
  const dependencies = () => ({ folder, nowMs: Date.now, signal: AbortSignal.timeout(10_000) });

  test('keep every change of hooks that run at once', async () => {
    const count = 20;
    const ids = Array.from({ length: count }, (_, index) => `mem_${index}`);
    await Promise.all(
      ids.map((id) => openSession(dependencies(), 'shared').change((state) => void state.injected.push(id))),
    );
    expect((await openSession(dependencies(), 'shared').read()).injected.sort()).toEqual([...ids].sort());
  });

  test.each([
    ['', () => 0],
    [', and the clock was set back', () => Date.now() / 1000 + 3600],
  ])('can be changed after a hook was killed while it held the lock%s', async (_, madeSeconds) => {
    const path = join(folder, 'left.lock');
    await writeFile(path, '');
    const inTime = { nowMs: Date.now, signal: AbortSignal.abort() };
    expect(await withLock(path, inTime, async () => 'done')).toBeUndefined();
    await utimes(path, madeSeconds(), madeSeconds());
    expect(await withLock(path, { ...inTime, signal: AbortSignal.timeout(5000) }, async () => 'done')).toBe('done');
  });

  test('can be changed after a hook ended at its limit while it held the lock', async () => {
    const path = join(folder, 'ended.lock');
    const script = `import { withLock } from './src/cli/hook/state-file.ts';
      const inTime = { nowMs: Date.now, signal: AbortSignal.timeout(5000) };
      await withLock(${JSON.stringify(path)}, inTime, async () => process.exit());`;
    await execa(process.execPath, ['--import', 'tsx', '--input-type=module', '--eval', script]);
    await expect(access(path)).rejects.toThrow('ENOENT');
  });

  test('start anew if they are damaged, and go after a month', async () => {
    const path = join(folder, 'session-old.json');
    await writeFile(path, '{"injected":');
    expect((await openSession(dependencies(), 'old').read()).injected).toEqual([]);
    await utimes(path, 0, 0);
    await pruneSessions(dependencies());
    expect(await readdir(folder)).not.toContain('session-old.json');
  });
});

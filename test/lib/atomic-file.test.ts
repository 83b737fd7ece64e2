import { once } from 'node:events';
import * as fs from 'node:fs/promises';
import {
  chmod,
  chown,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { execa } from 'execa';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { replaceFile, syncFolder, type WritingFileSystem, writeNewFile } from '../../src/lib/atomic-file.ts';
import { bundledProgram } from '../helpers/bundled-program.ts';

/** Runs a program as a container does: as the first process of its own. */
const CONTAINER = ['unshare', '--user', '--map-root-user', '--pid', '--fork'] as const;
const hasContainers = (await execa(CONTAINER[0], [...CONTAINER.slice(1), 'true'], { reject: false })).exitCode === 0;
let folder: string;
let path: string;
const OLD = 'the old content';
const NEW = 'the new content, which is longer';
const PRIVATE = { mode: 0o600 };
/** Larger than any id of a process. */
const NO_PROCESS = 2 ** 30;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-atomic-'));
  path = join(folder, 'file.json');
});
afterEach(() => rm(folder, { recursive: true }));

const modeOf = async (file: string) => (await stat(file)).mode & 0o777;
const fault = (code: string) => Object.assign(new Error(code), { code });

/** A disk that calls `before` with the name of each step that changes it or makes a change durable. */
function watchedDisk(before: (step: string) => void): WritingFileSystem {
  const named = (file: unknown) => (String(file).includes('/.svc-draft-') ? 'draft' : 'folder');
  return {
    ...fs,
    rename: async (from, to) => {
      before('rename');
      await fs.rename(from, to);
    },
    rm: async (file, options) => {
      before('rm');
      await fs.rm(file, options);
    },
    async open(file: string, flags: string, mode?: number) {
      if (flags !== 'r') before('create');
      const handle = await fs.open(file, flags, mode);
      return Object.assign(Object.create(handle) as fs.FileHandle, {
        async writeFile(content: string) {
          // Half of it reaches the disk.
          await handle.writeFile(content.slice(0, content.length / 2));
          before('write');
          await handle.writeFile(content.slice(content.length / 2));
        },
        stat: () => handle.stat(),
        async sync() {
          before(`sync ${named(file)}`);
          await handle.sync();
        },
        close: () => handle.close(),
      });
    },
  } as WritingFileSystem;
}

const STEPS = ['create', 'write', 'sync draft', 'rename', 'sync folder'];

describe('a file that is replaced', () => {
  test('has the content and the mode asked for, whatever the umask and the mode before', async () => {
    const before = process.umask(0o077);
    try {
      for (const mode of [0o644, 0o600, 0o640]) {
        await replaceFile(path, `${mode}`, { mode });
        expect([await readFile(path, 'utf8'), await modeOf(path)]).toEqual([`${mode}`, mode]);
      }
    } finally {
      process.umask(before);
    }
    expect(await readdir(folder)).toEqual(['file.json']);
  });

  test('takes bytes and streams of text', async () => {
    await replaceFile(path, Buffer.from([0, 255, 10]), PRIVATE);
    expect([...(await readFile(path))]).toEqual([0, 255, 10]);
    async function* texts() {
      for (let index = 0; index < 1000; index += 1) yield `${index} größer\n`;
    }
    await replaceFile(path, texts(), PRIVATE);
    expect((await readFile(path, 'utf8')).split('\n')[999]).toBe('999 größer');
  });

  test('is on the disk before its name is, and its name before the call returns', async () => {
    const steps: string[] = [];
    await replaceFile(
      path,
      NEW,
      PRIVATE,
      watchedDisk((step) => steps.push(step)),
    );
    expect(steps).toEqual(STEPS);
  });

  test.each(STEPS)('is whole after a crash before the step: %s', async (last) => {
    await writeFile(path, OLD);
    let isDead = false;
    const disk = watchedDisk((step) => {
      isDead ||= step === last;
      if (isDead) throw fault('EIO');
    });
    await expect(replaceFile(path, NEW, PRIVATE, disk)).rejects.toThrow();
    expect(await readFile(path, 'utf8')).toBe(last === 'sync folder' ? NEW : OLD);
    // The next one removes what the crash left.
    await replaceFile(path, 'next', PRIVATE);
    expect([await readFile(path, 'utf8'), await readdir(folder)]).toEqual(['next', ['file.json']]);
  });

  test.each(STEPS.slice(0, -1).flatMap((step) => ['ENOSPC', 'EACCES'].map((code) => [step, code] as const)))(
    'stays as it was, with nothing beside it, if the step %s fails with %s',
    async (failing, code) => {
      await writeFile(path, OLD);
      const disk = watchedDisk((step) => {
        if (step === failing) throw fault(code);
      });
      await expect(replaceFile(path, NEW, PRIVATE, disk)).rejects.toMatchObject({ code });
      expect([await readFile(path, 'utf8'), await readdir(folder)]).toEqual([OLD, ['file.json']]);
    },
  );

  test('stays as it was if its new content ends in an error', async () => {
    await writeFile(path, OLD);
    async function* broken() {
      yield 'begun';
      throw fault('ECONNRESET');
    }
    await expect(replaceFile(path, broken(), PRIVATE)).rejects.toMatchObject({ code: 'ECONNRESET' });
    expect([await readFile(path, 'utf8'), await readdir(folder)]).toEqual([OLD, ['file.json']]);
  });

  test('is that of one of the writers, whole, when many write at once', async () => {
    const texts = Array.from({ length: 20 }, (_, index) => `${index}`.repeat(50_000));
    const seen = new Set<string>();
    let isWriting = true;
    const reading = (async () => {
      while (isWriting) seen.add(await readFile(path, 'utf8').catch(() => texts[0]!));
    })();
    await Promise.all(texts.map((text) => replaceFile(path, text, PRIVATE)));
    isWriting = false;
    await reading;
    expect([...seen].filter((text) => !texts.includes(text))).toEqual([]);
    expect(texts).toContain(await readFile(path, 'utf8'));
    expect(await readdir(folder)).toEqual(['file.json']);
  });

  test('takes the place of a symbolic link, whose target stays', async () => {
    const target = join(folder, 'target');
    await writeFile(target, OLD);
    await symlink(target, path);
    await replaceFile(path, NEW, PRIVATE);
    expect((await lstat(path)).isFile()).toBe(true);
    expect(await readFile(target, 'utf8')).toBe(OLD);
  });

  test('is not a folder, nor in one that does not exist', async () => {
    await mkdir(path);
    await expect(replaceFile(path, NEW, PRIVATE)).rejects.toMatchObject({ code: 'EISDIR' });
    await expect(replaceFile(join(folder, 'none', 'file'), NEW, PRIVATE)).rejects.toMatchObject({ code: 'ENOENT' });
    expect(await readdir(folder)).toEqual(['file.json']);
  });

  test.skipIf(process.getuid?.() === 0)('stays as it was in a folder that is read-only', async () => {
    await writeFile(path, OLD);
    await chmod(folder, 0o500);
    try {
      await expect(replaceFile(path, NEW, PRIVATE)).rejects.toMatchObject({ code: 'EACCES' });
      expect([await readFile(path, 'utf8'), await readdir(folder)]).toEqual([OLD, ['file.json']]);
    } finally {
      await chmod(folder, 0o700);
    }
  });

  test('removes drafts of processes that ended and those of other machines from yesterday, and nothing else', async () => {
    const steps: string[] = [];
    let written = '';
    await replaceFile(path, OLD, PRIVATE, {
      ...fs,
      rename: async (from, to) => {
        written = basename(String(from));
        await fs.rename(from, to);
      },
    });
    const draftOf = (machine: string, pid: number, end: string) => `.svc-draft-${machine}-${pid}-0000000000${end}`;
    const own = written.split('-')[2]!;
    const left = [draftOf(own, NO_PROCESS, '01'), draftOf(own, process.pid, '02'), draftOf('00000000', 1, '03')];
    const kept = ['.env', '.svc-draft-mine', draftOf('00000000', 1, '04'), draftOf(own, process.ppid, '05')];
    for (const name of [...left, ...kept]) await writeFile(join(folder, name), 'x');
    const yesterday = new Date(Date.now() - 25 * 3_600_000);
    for (const name of [left[2]!, '.env']) await utimes(join(folder, name), yesterday, yesterday);
    await replaceFile(
      path,
      NEW,
      PRIVATE,
      watchedDisk((step) => steps.push(step)),
    );
    expect((await readdir(folder)).sort()).toEqual([...kept, 'file.json'].sort());
    // Durably.
    expect(steps.slice(-4)).toEqual(['rm', 'rm', 'rm', 'sync folder']);
  });

  test.runIf(hasContainers)(
    'is written whole while a container of the same host name writes in its folder',
    async () => {
      const program = await bundledProgram(`
        import { replaceFile } from './src/lib/atomic-file.ts';
        const [path, content = slowly()] = process.argv.slice(1);
        async function* slowly() {
          yield 'begun, ';
          console.log('begun');
          await new Promise((go) => process.stdin.once('end', go).resume());
          yield 'ended';
        }
        await replaceFile(path, content, { mode: 0o600 });`);
      const inContainer = (name: string, ...content: string[]) => {
        const node = [process.execPath, '--input-type=module', '--eval', program, join(folder, name), ...content];
        return execa(CONTAINER[0], [...CONTAINER.slice(1), ...node]);
      };
      const slow = inContainer('slow');
      await once(slow.stdout, 'data');
      await inContainer('other', 'x');
      slow.stdin.end();
      await slow;
      expect(await readFile(join(folder, 'slow'), 'utf8')).toBe('begun, ended');
    },
  );
});

describe('a new file', () => {
  test.each(['a file', 'a link'])('is not written where there is %s', async (what) => {
    const target = join(folder, 'target');
    await (what === 'a file' ? writeFile(path, OLD) : symlink(target, path));
    await expect(writeNewFile(path, NEW, PRIVATE)).rejects.toMatchObject({ code: 'EEXIST' });
    await expect(readFile(target)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  test.runIf(process.getuid?.() === 0)('belongs to the owner asked for', async () => {
    await replaceFile(path, NEW, { mode: 0o640, uid: 4711, gid: 4712 });
    expect(await stat(path)).toMatchObject({ uid: 4711, gid: 4712 });
    expect(await modeOf(path)).toBe(0o640);
  });
});

test('a folder that the disk cannot flush is no error, and one that it fails to flush is', async () => {
  for (const code of ['EINVAL', 'EPERM', 'EACCES', 'EISDIR']) {
    await syncFolder(folder, { open: () => Promise.reject(fault(code)) });
  }
  for (const code of ['EIO', 'ENOSPC']) {
    await expect(syncFolder(folder, { open: () => Promise.reject(fault(code)) })).rejects.toMatchObject({ code });
  }
});

test.skipIf(process.getuid?.() !== 0)(
  'a file of root belongs to the owner of the old one, or of its folder',
  async () => {
    const ownerOf = async () => (({ uid, gid }) => [uid, gid])(await stat(path));
    await chown(folder, 1234, 1235);
    await replaceFile(path, OLD, PRIVATE);
    expect(await ownerOf()).toEqual([1234, 1235]);
    await chown(path, 2234, 2235);
    await replaceFile(path, NEW, PRIVATE);
    expect(await ownerOf()).toEqual([2234, 2235]);
    await replaceFile(path, NEW, { ...PRIVATE, uid: 0, gid: 0 });
    expect(await ownerOf()).toEqual([0, 0]);
  },
);

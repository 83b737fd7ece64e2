import { lstat, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createSpool } from '../../../src/features/portability/export-spool.ts';
import { systemRandom } from '../../../src/lib/random.ts';

let dataDir: string;
let folder: string;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'svc-spool-'));
  folder = join(dataDir, 'exports');
});
afterEach(() => rm(dataDir, { recursive: true, force: true }));

const spoolWith = (freeBytes = 2 ** 40) =>
  createSpool({ folder, random: systemRandom, freeBytes: async () => freeBytes });

async function textOf(chunks: AsyncIterable<Buffer>): Promise<string> {
  const all: Buffer[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return Buffer.concat(all).toString();
}

describe('a spool file', () => {
  test('is read whole while it is written, in the order of the writes', async () => {
    const file = await spoolWith().open();
    const reading = textOf(file.read());
    const texts = Array.from({ length: 40 }, (_, index) => `${index} Zoë 海 ${'x'.repeat(index * 997)}\n`);
    for (const text of texts) await file.write(text);
    file.end();
    expect(await reading).toBe(texts.join(''));
    await file.close();
  });

  test('yields what is written before the end is', async () => {
    const file = await spoolWith().open();
    const chunks = file.read();
    await file.write('first');
    expect((await chunks.next()).value?.toString()).toBe('first');
    const second = chunks.next();
    await file.write('second');
    expect((await second).value?.toString()).toBe('second');
    const end = chunks.next();
    file.end();
    expect((await end).done).toBe(true);
    await file.close();
  });

  test('passes the error of the writer on to the reader', async () => {
    const file = await spoolWith().open();
    const chunks = file.read();
    await file.write('first');
    await chunks.next();
    const next = chunks.next();
    file.end(new Error('the snapshot failed'));
    await expect(next).rejects.toThrow('the snapshot failed');
    await file.close();
  });

  test('stops growing when the disk is nearly full; a small one needs no reserve', async () => {
    const file = await spoolWith(1024 ** 3 - 1).open();
    const chunk = 'x'.repeat(1024 * 1024);
    for (let written = 0; written < 8; written += 1) await file.write(chunk);
    await expect(file.write(chunk)).rejects.toMatchObject({ code: 'storage_full' });
    await file.close();
  });

  test.skipIf(process.platform === 'win32')('has no name on the disk while it is open', async () => {
    const file = await spoolWith().open();
    await file.write('secret');
    expect(await readdir(folder)).toEqual([]);
    expect((await lstat(folder)).mode & 0o777).toBe(0o700);
    await file.close();
  });

  test.runIf(process.platform === 'linux')('is private and does not contain the text that is written', async () => {
    const file = await spoolWith().open();
    await file.write('Ada plays the cello. '.repeat(1000));
    const open = await readdir('/proc/self/fd');
    const paths = await Promise.all(
      open.map(async (fd) => {
        const { readFile, readlink, stat } = await import('node:fs/promises');
        const path = await readlink(`/proc/self/fd/${fd}`).catch(() => '');
        if (!path.startsWith(folder)) return undefined;
        const { mode } = await stat(`/proc/self/fd/${fd}`);
        return { mode: mode & 0o777, bytes: await readFile(`/proc/self/fd/${fd}`) };
      }),
    );
    const [own] = paths.filter((one) => one !== undefined);
    expect(own!.mode).toBe(0o600);
    expect(own!.bytes).toHaveLength(21_000);
    expect(own!.bytes.includes('cello')).toBe(false);
    await file.close();
  });
});

test('leftovers of a killed process are removed, and an empty spool has none', async () => {
  await mkdir(folder);
  await writeFile(join(folder, 'export-0123'), 'left over');
  await spoolWith().clear();
  expect(await readdir(dataDir)).toEqual([]);
  await spoolWith().clear();
});

import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createLogFile } from '../../src/daemon/log-file.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-log-'));
});
afterEach(() => rm(folder, { recursive: true }));

test('a log file keeps the newest lines in three bounded files, readable by the owner alone', async () => {
  const path = join(folder, 'logs', 'svc.log');
  (await createLogFile(path, 40))('first\n');
  const write = await createLogFile(path, 40);
  for (let count = 0; count < 20; count += 1) write(`line ${String(count).padStart(2, '0')}\n`);
  const names = (await readdir(join(folder, 'logs'))).sort();
  expect(names).toEqual(['svc.log', 'svc.log.1', 'svc.log.2']);
  const texts = await Promise.all(
    ['svc.log.2', 'svc.log.1', 'svc.log'].map((name) => readFile(join(folder, 'logs', name), 'utf8')),
  );
  for (const text of texts) expect(text.length).toBeLessThanOrEqual(40);
  const lines = texts.join('').trimEnd().split('\n');
  expect(lines).toEqual(
    Array.from({ length: lines.length }, (_, index) => `line ${String(20 - lines.length + index).padStart(2, '0')}`),
  );
  for (const name of names) expect((await stat(join(folder, 'logs', name))).mode & 0o777).toBe(0o600);
});

test('a log file that cannot be written is refused with the reason', async () => {
  await expect(createLogFile('/dev/null/svc.log')).rejects.toThrow('SVC_LOG_FILE /dev/null/svc.log cannot be written');
});

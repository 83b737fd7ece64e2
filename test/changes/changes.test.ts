import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { applyChanges, type Change, copyTouched, readChanges, readTable } from './changes.ts';

/** The most files that adding one may touch. */
const LIMITS = { assistant: 2, command: 3, field: 9, setting: 2, signal: 2, table: 3, view: 4 };

let changes: Change[];
let folder: string;

beforeAll(async () => {
  changes = await readChanges();
  folder = await mkdtemp(join(tmpdir(), 'svc-changes-'));
  await copyTouched(changes, folder);
});

afterAll(() => rm(folder, { recursive: true, force: true }));

test('the example changes apply, each alone and all together', async () => {
  await Promise.all(changes.map((change) => applyChanges([change], folder, '--check')));
  await applyChanges(changes, folder);
  // Control: what was added already does not fit.
  await expect(applyChanges(changes, folder, '--check')).rejects.toThrow('patch does not apply');
});

test('each touches exactly the files that the table in CONTRIBUTING names', async () => {
  const table = await readTable();
  expect(changes.map(({ name }) => name)).toEqual([...table.keys()].sort());
  for (const { name, files } of changes) {
    const { count, files: named } = table.get(name)!;
    const patterns = named.map((file) => new RegExp(`^${file.replaceAll('.', '\\.').replaceAll('NAME', '[\\w-]+')}$`));
    expect(files.filter((file) => !patterns.some((pattern) => pattern.test(file)))).toEqual([]);
    expect({ name, named: named.length, count }).toEqual({ name, named: files.length, count: files.length });
  }
});

test('nothing takes more files than it may', () => {
  const counts = Object.fromEntries(changes.map(({ name, files }) => [name, files.length]));
  for (const [name, limit] of Object.entries(LIMITS)) expect(counts[name], name).toBeLessThanOrEqual(limit);
});

import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterEach, expect, test } from 'vitest';
import { readConfig } from '../../src/daemon/config.ts';
import { checkIntegrity } from '../../src/daemon/integrity-check.ts';
import { BIN, createWorkplaces, runCommand, signInAt } from '../helpers/process.ts';

const places = createWorkplaces();
afterEach(places.clean);

/** `TEST_CRASHES=5` is enough while developing. */
const KILLS = Number(process.env.TEST_CRASHES ?? 20);

test(`kill -9 at any point of a restore, ${KILLS} times, leaves the old or the new database, and the daemon starts (row 57)`, async () => {
  const dataDir = await places.folder();
  const first = await places.start({ dataDir });
  await signInAt(first, 'old@example.com');
  const backup = join(dataDir, 'backup.db');
  expect((await runCommand({ dataDir, args: ['admin', 'backup', backup] })).exitCode).toBe(0);
  await signInAt(first, 'new@example.com');
  // Killed, so that there is a log, which must never be replayed into a restored file.
  await first.end();
  const asKilled = await Promise.all(['svc.db', 'svc.db-wal'].map((name) => readFile(join(dataDir, name))));
  expect(asKilled[1]!.length).toBeGreaterThan(0);

  const quick = await runRestore(dataDir, backup, 60_000);
  expect(quick.killed).toBe(false);
  const seen = { old: 0, new: 0 };
  for (let count = 0; count < KILLS; count += 1) {
    await putBack(dataDir, asKilled);
    await runRestore(dataDir, backup, quick.ms * (0.5 + count / KILLS));
    const { stdout } = await runCommand({ dataDir, args: ['admin', 'tenants', '--json'] });
    const emails = (JSON.parse(stdout) as { email: string }[]).map(({ email }) => email).sort();
    expect([['old@example.com'], ['new@example.com', 'old@example.com']]).toContainEqual(emails);
    seen[emails.length === 1 ? 'old' : 'new'] += 1;
    // As `svc admin check` does, which would start a process more for each kill.
    expect(await checkIntegrity(readConfig({ dataDir }, {}, ''))).toEqual([]);
  }
  const daemon = await places.start({ dataDir });
  await daemon.end();
  console.info(
    `restore ${Math.round(quick.ms)} ms; after the kills ${seen.new} times the present, ${seen.old} times the backup`,
  );
});

async function runRestore(dataDir: string, backup: string, killAfterMs: number) {
  const startMs = performance.now();
  const env = { PATH: process.env.PATH ?? '', HOME: dataDir };
  const words = ['admin', 'restore', backup, '--yes', '--data-dir', dataDir];
  const child = execa(BIN, words, { env, extendEnv: false, reject: false, cwd: dataDir });
  const timer = setTimeout(() => child.kill('SIGKILL'), killAfterMs);
  const { signal } = await child;
  clearTimeout(timer);
  return { ms: performance.now() - startMs, killed: signal === 'SIGKILL' };
}

async function putBack(dataDir: string, [bytes, log]: Buffer[]): Promise<void> {
  for (const name of await readdir(dataDir)) {
    if (/^svc\.db/.test(name)) await rm(join(dataDir, name));
  }
  await writeFile(join(dataDir, 'svc.db'), bytes!);
  await writeFile(join(dataDir, 'svc.db-wal'), log!);
}

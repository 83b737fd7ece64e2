import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { execa } from 'execa';
import fc from 'fast-check';
import { afterEach, expect, test } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import { runSteps, steps } from '../cli/sync/sync-model.ts';
import { startTestDaemon } from '../helpers/daemon.ts';
import { BIN, createWorkplaces, signInAt } from '../helpers/process.ts';

/** `svc sync` as a process, and for longer. */

const places = createWorkplaces();
afterEach(places.clean);

async function setUp() {
  const dataDir = await places.folder();
  const daemon = await places.start({ dataDir, env: { SVC_DEFAULT_TIER: 'Enterprise' } });
  const apiKey = await signInAt(daemon, 'ada@example.com');
  const home = await places.folder();
  const root = join(home, 'notes');
  await mkdir(root);
  const client = createClient({ baseUrl: daemon.url, apiKey });
  const start = (...words: string[]) =>
    execa(BIN, ['sync', root, ...words], {
      cwd: home,
      extendEnv: false,
      env: { PATH: process.env.PATH ?? '', HOME: home, SVC_URL: daemon.url, SVC_API_KEY: apiKey },
      reject: false,
      stdin: 'ignore',
    });
  const notes = async () => (await readdir(root, { recursive: true })).filter((name) => name.endsWith('.md')).sort();
  const contents = async () => {
    const found: string[] = [];
    for await (const { content } of client.memories.list({ limit: 200 })) found.push(content);
    return found.sort();
  };
  return { dataDir, daemon, root, client, start, notes, contents };
}

test('loses and doubles nothing in long random histories', async () => {
  const daemon = await startTestDaemon();
  const { apiKey, account } = await daemon.signIn('sync@example.com');
  await daemon.accounts.setTier(account.tenantId, 'Enterprise');
  let users = 0;
  try {
    await fc.assert(
      fc.asyncProperty(steps(12), async (all) => {
        users += 1;
        daemon.clock.advance(60_000);
        await runSteps(all, { baseUrl: daemon.baseUrl, apiKey, tenantId: account.tenantId, user: `user-${users}` });
      }),
      { numRuns: 100 },
    );
  } finally {
    await daemon.close();
  }
});

test('converges after it was killed again and again in a first run', async () => {
  const { root, client, start, notes, contents } = await setUp();
  const stored = Array.from({ length: 400 }, (_, index) => ({ content: `Stored statement ${index}` }));
  await client.memories.createMany(stored);
  const written = Array.from({ length: 100 }, (_, index) => `Written statement ${index}`);
  await Promise.all(written.map((text, index) => writeFile(join(root, `written ${index}.md`), `${text}\n`)));
  for (let kill = 0; kill < 12; kill += 1) {
    const killed = start('--once', '--yes');
    await sleep(350 + kill * 60);
    killed.kill('SIGKILL');
    await killed;
  }
  const { exitCode, stdout, stderr } = await start('--once', '--yes');
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  expect(stdout).toContain('In sync, 500 files: ');
  expect(await contents()).toEqual([...stored.map(({ content }) => content), ...written].sort());
  expect(await notes()).toHaveLength(500);
  expect((await start('--once', '--yes')).stdout).toBe('In sync, 500 files: nothing to do.');
  expect(await readdir(join(root, '.svc'))).toEqual(['sync.ndjson']);
});

test('watches both sides, waits for a stopped daemon, and ends with Ctrl-C', async () => {
  const { daemon, dataDir, root, client, start, notes, contents } = await setUp();
  const { id } = await client.memories.create({ content: 'Ada prefers tea' });
  const watching = start();
  let output = '';
  watching.stdout.on('data', (chunk) => {
    output += String(chunk);
  });
  const shows = (text: string) => expect.poll(() => output, { timeout: 20_000 }).toContain(text);
  await shows('Ctrl-C stops.');
  const [name = ''] = await notes();

  await writeFile(join(root, name), (await readFile(join(root, name), 'utf8')).replace('tea', 'oolong'));
  await shows(`↑ changed   ${name}`);
  await client.memories.create({ content: 'Bob prefers beer' });
  await shows('↓ new       Bob prefers beer');
  await client.memories.update(id, { content: 'Ada prefers water' });
  await shows(`↓ changed   ${name}`);
  expect(await readFile(join(root, name), 'utf8')).toContain('Ada prefers water');
  await mkdir(join(root, 'new', 'deep'), { recursive: true });
  await writeFile(join(root, 'new', 'deep', 'note.md'), 'A note in a new folder\n');
  await shows('↑ new       new/deep/note.md');
  await rm(join(root, 'new'), { recursive: true });
  await shows('↑ deleted   new/deep/note.md');
  expect((await start('--once', '--yes')).stderr).toContain('is at work in');

  const port = new URL(daemon.url).port;
  daemon.kill('SIGTERM');
  await daemon.exited;
  await writeFile(join(root, 'offline.md'), 'Written while svc was away\n');
  let errors = '';
  watching.stderr.on('data', (chunk) => {
    errors += String(chunk);
  });
  await expect.poll(() => errors, { timeout: 30_000 }).toContain('No svc daemon responds');
  await places.start({ dataDir, env: { SVC_DEFAULT_TIER: 'Enterprise', SVC_PORT: port } });
  await shows('↑ new       offline.md');
  expect(await contents()).toContain('Written while svc was away');

  watching.kill('SIGINT');
  const { exitCode, stderr } = await watching;
  expect(exitCode).toBe(0);
  expect(stderr.match(/No svc daemon responds|svc answers again/g)).toEqual([
    'No svc daemon responds',
    'svc answers again',
  ]);
});

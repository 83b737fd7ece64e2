import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeTenant } from '../features/limits/tenants.ts';
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

let daemon: TestDaemon;
let project: string;

/** A project with the package installed through a symbolic link. */
beforeAll(async () => {
  daemon = await startTestDaemon();
  project = await mkdtemp(join(tmpdir(), 'svc-consumer-'));
  await mkdir(join(project, 'node_modules'));
  await symlink(ROOT, join(project, 'node_modules', 'svc-memory'));
});

afterAll(async () => {
  await daemon.close();
  await rm(project, { recursive: true, force: true });
});

test('plain JavaScript can import svc-memory/client and use it', async () => {
  const { apiKey } = await makeTenant(daemon, 'library@example.com');
  await writeFile(
    join(project, 'remember.mjs'),
    `import { ApiError, createClient, UnreachableError } from 'svc-memory/client';
    const [baseUrl, apiKey] = process.argv.slice(2);
    const client = createClient({ baseUrl, apiKey });
    const { id } = await client.memories.create({ content: 'Ada prefers tea' });
    await client.memories.delete(id);
    const missing = await client.memories.get(id).catch((error) => error);
    const nobody = createClient({ baseUrl: 'http://127.0.0.1:1', retries: 0 });
    const away = await nobody.account.get().catch((error) => error);
    console.log(JSON.stringify([missing instanceof ApiError, missing.code, away instanceof UnreachableError]));`,
  );
  const { stdout } = await execa(process.execPath, ['remember.mjs', daemon.baseUrl, apiKey], { cwd: project });
  expect(JSON.parse(stdout)).toEqual([true, 'not_found', true]);
});

test('the library is a single file without imports that also runs in browsers', async () => {
  const code = await readFile(join(ROOT, 'dist/client.js'), 'utf8');
  expect(code).not.toMatch(/^import\b|\bimport\(["'`]|\brequire\(|\bprocess\.|\bBuffer\b/m);
  expect(code).toMatch(/export \{[^}]*createClient/);
  expect(code.length).toBeLessThan(40_000);
});

import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { afterAll, beforeAll, expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const TSC = join(ROOT, 'node_modules/.bin/tsc');

let project: string;
let installed: string;

/** Packs the package and unpacks it as an install would, with dependencies linked from this checkout. */
beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), 'svc-packed-'));
  installed = join(project, 'node_modules', 'svc-memory');
  await mkdir(installed, { recursive: true });
  await execa('npm', ['run', 'build:types'], { cwd: ROOT });
  // Scripts are skipped because they would rebuild dist while other tests use it.
  const pack = ['pack', '--ignore-scripts', '--json', '--pack-destination', project];
  await execa('npm', pack, { cwd: ROOT });
  const tarball = (await readdir(project)).find((name) => name.endsWith('.tgz'))!;
  await execa('tar', ['-xzf', join(project, tarball), '-C', installed, '--strip-components=1']);
  await symlink(join(ROOT, 'node_modules/typebox'), join(project, 'node_modules', 'typebox'));
  await writeFile(join(project, 'package.json'), '{ "type": "module" }');
});

afterAll(() => rm(project, { recursive: true, force: true }));

async function typeCheck(source: string, module: 'nodenext' | 'esnext'): Promise<string> {
  await writeFile(join(project, 'consumer.ts'), source);
  const resolution = module === 'nodenext' ? 'nodenext' : 'bundler';
  const options = ['--strict', '--noEmit', '--target', 'es2022', '--lib', 'es2022,dom', '--types', ''];
  const words = [...options, '--module', module, '--moduleResolution', resolution, 'consumer.ts'];
  return (await execa(TSC, words, { cwd: project, reject: false })).stdout;
}

const CONSUMER = `import { ApiError, type Client, createClient, type Conversation, type Memory, type SearchAnswer } from 'svc-memory/client';
const client: Client = createClient({ baseUrl: 'http://127.0.0.1:8787', apiKey: 'svc_live_x' });
export async function use(): Promise<string | undefined> {
  const memory: Memory = await client.memories.create({ content: 'Ada prefers tea', tags: ['taste'] });
  const found: SearchAnswer = await client.search({ query: 'tea' });
  const talk: Conversation = await client.conversations.create({ title: 'Tea' });
  const { data } = await client.conversations.messages.append(talk.id, [{ role: 'user', content: 'Hello' }]);
  for await (const episode of client.episodes.list({ conversationId: talk.id })) console.log(episode.title);
  try { await client.memories.get(memory.id); } catch (error) {
    if (error instanceof ApiError && error.code === 'not_found') return error.message;
  }
  return found.results[0]?.content ?? data[0]?.content;
}
`;

test.each(['nodenext', 'esnext'] as const)(
  'a TypeScript project of module %s gets the client’s types',
  async (module) => {
    expect(await typeCheck(CONSUMER, module)).toBe('');
    const wrong = `${CONSUMER}export const wrong: number = (await client.account.get()).email;\n`;
    expect(await typeCheck(wrong, module)).toContain("Type 'string' is not assignable to type 'number'");
    expect(
      await typeCheck("import { createTransport } from 'svc-memory/transport';\ncreateTransport;", module),
    ).toContain('svc-memory/transport');
  },
);

test('the packed package works and contains only the program, the library and their documents', async () => {
  await writeFile(
    join(project, 'use.mjs'),
    "import { createClient } from 'svc-memory/client';\nconsole.log(typeof createClient);",
  );
  expect((await execa(process.execPath, ['use.mjs'], { cwd: project })).stdout).toBe('function');
  const { version, exports } = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'));
  expect(version).toMatch(/^\d/);
  expect(exports['./client']).toEqual({ types: './dist/types/client/entry.d.ts', default: './dist/client.js' });
  expect((await readdir(installed)).sort()).toEqual(['LICENSE', 'README.md', 'bin', 'dist', 'package.json']);
  const shipped = await readdir(join(installed, 'dist'), { recursive: true });
  expect(shipped.filter((name) => name.endsWith('.map'))).toEqual([]);
});

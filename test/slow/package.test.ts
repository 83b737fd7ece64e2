import { mkdir, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { writeArchive } from '../../scripts/release/archive.ts';
import { callAt, signInAt, startProcess } from '../helpers/process.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

let folder: string;

/**
 * Loads every part of the program but those that start something, and a debugger that only developers of ink install.
 * What the bundler missed is found nowhere.
 */
const LOAD_EVERYTHING = `
  import { readdirSync } from 'node:fs';
  const parts = readdirSync('dist').filter((name) => /[.]js$/.test(name) && !/^(main|devtools-.*|.*-worker)[.]js$/.test(name));
  for (const name of parts) await import(process.cwd() + '/dist/' + name);
  process.exit();
`;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-packed-'));
  // Scripts are skipped because they would rebuild dist while other tests use it.
  await execa('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], { cwd: ROOT });
  const tarball = (await readdir(folder)).find((name) => name.endsWith('.tgz'))!;
  await execa('tar', ['-xzf', join(folder, tarball), '-C', folder]);
});

afterAll(() => rm(folder, { recursive: true, force: true }));

test('the npm package contains only what it runs on and its documents', async () => {
  const packed = join(folder, 'package');
  expect((await readdir(packed)).sort()).toEqual(['LICENSE', 'README.md', 'bin', 'dist', 'package.json', 'plugins']);
  const { version, exports, dependencies } = JSON.parse(await readFile(join(packed, 'package.json'), 'utf8'));
  expect(version).toMatch(/^\d/);
  // Everything else is bundled.
  expect(Object.keys(dependencies)).toEqual(['@napi-rs/keyring', 'sqlite-vec', 'sqlite3']);
  expect(exports).toEqual({ './package.json': './package.json' });
  const shipped = await readdir(join(packed, 'dist'), { recursive: true });
  expect(shipped.filter((name) => /\.map$|\.d\.ts$|^client\.js$/.test(name))).toEqual([]);
});

test('the archive serves from any folder, without Node.js, npm or a PATH', async () => {
  const archive = await writeArchive(join(folder, 'release'));
  await execa('sha256sum', ['--check', '--quiet', `${archive}.sha256`], { cwd: dirname(archive) });
  const fresh = await mkdtemp(join(folder, 'unpacked-'));
  const elsewhere = join(fresh, 'a place');
  await mkdir(elsewhere);
  await execa('tar', ['-xzf', archive, '-C', elsewhere, '--strip-components=1']);
  await execa(join(elsewhere, 'runtime/node'), ['--input-type=module', '-e', LOAD_EVERYTHING], { cwd: elsewhere });
  await symlink('a place/svc', join(fresh, 'link'));
  const dataDir = join(fresh, 'data');
  await mkdir(dataDir);
  const daemon = await startProcess({ dataDir, bin: join(fresh, 'link'), env: { PATH: '' } });
  try {
    const key = await signInAt(daemon, 'ada@example.com');
    await callAt(daemon.url, key, '/v1/memories', { body: { content: 'Ada prefers oolong tea' } });
    // A worker thread, built as a separate file, counts the tokens.
    const { body } = await callAt(daemon.url, key, '/v1/context', { body: { query: 'tea', maxTokens: 200 } });
    expect(body.text).toContain('oolong');
    const pages = await Promise.all(['/dashboard', '/docs'].map((path) => fetch(daemon.url + path)));
    expect(pages.map(({ status }) => status)).toEqual([200, 200]);
  } finally {
    await daemon.end();
  }
});

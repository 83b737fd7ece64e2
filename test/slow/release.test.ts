import { cp, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkArtifact, checkBinaries } from '../../scripts/release/checks.ts';
import { releaseNotes } from '../../scripts/release/documents.ts';
import { makeRelease, type Outcome } from '../../scripts/release/make-release.ts';
import { HOST } from '../../scripts/release/platform.ts';
import { callAt, signInAt, startProcess } from '../helpers/process.ts';

let folder: string;
let release: string;
let outcomes: Outcome[];
let unpacked: string;

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
  folder = await mkdtemp(join(tmpdir(), 'svc-release-'));
  release = join(folder, 'release');
  // Without Zig there is no compiler for macOS here, so it is left out, and says so.
  const platforms = [HOST, 'darwin-arm64'] as const;
  outcomes = await makeRelease({ output: release, platforms, isQuick: true, onProgress: () => {} });
  unpacked = join(folder, 'a place');
  await mkdir(unpacked);
  const archive = (await readdir(release)).find((name) => name.endsWith('.tar.gz'))!;
  await execa('tar', ['-xzf', join(release, archive), '-C', unpacked, '--strip-components=1']);
}, 300_000);

afterAll(() => rm(folder, { recursive: true, force: true }));

const read = (name: string) => readFile(join(release, name), 'utf8');
const named = (pattern: RegExp) => outcomes.find(({ artifact }) => pattern.test(artifact));

test('a release has every artifact that this machine can make, started where it is a program, and says what it left out', () => {
  expect(named(/^svc-.*-linux-x64\.tar\.gz$/)).toMatchObject({ started: 'yes', bytes: expect.any(Number) });
  expect(named(/^svc-.*-linux-x64\.tar\.xz$/)).toMatchObject({ started: 'yes', bytes: expect.any(Number) });
  expect(named(/\.deb$/)).toMatchObject({ started: 'yes', bytes: expect.any(Number) });
  expect(named(/darwin-arm64/)).toEqual({
    artifact: 'svc for darwin-arm64',
    reason: expect.stringContaining('run npm run archive on such a machine'),
  });
  const packages = [/^svc-memory-\d.*\.tgz$/, /^svc-memory-client-.*\.tgz$/, /^n8n-nodes-svc-memory-.*\.tgz$/];
  const others = [/^svc\.mcpb$/, ...packages, /^svc_memory-.*\.whl$/];
  for (const pattern of others) expect(named(pattern), String(pattern)).toMatchObject({ bytes: expect.any(Number) });
  expect(named(/-image\.tar$/)).toSatisfy((image: Outcome) => image.bytes !== undefined || image.reason !== undefined);
});

test('every file has its checksum, and the provenance names the same files', async () => {
  await execa('sha256sum', ['--check', '--quiet', '--strict', 'SHA256SUMS'], { cwd: release });
  const summed = (await read('SHA256SUMS'))
    .trim()
    .split('\n')
    .map((line) => line.split('  ') as [string, string]);
  const names = (await readdir(release)).filter((name) => !/^(SHA256SUMS|provenance\.json)$|\.sha256$/.test(name));
  expect(summed.map(([, name]) => name)).toEqual(names.sort());
  const { _type, predicateType, subject } = JSON.parse(await read('provenance.json'));
  expect([_type, predicateType]).toEqual(['https://in-toto.io/Statement/v1', 'https://slsa.dev/provenance/v1']);
  const stated = subject.map(({ name, digest }: { name: string; digest: { sha256: string } }) => [digest.sha256, name]);
  expect(stated).toEqual(summed);
});

test('the bill of materials lists what is shipped, Node.js included, and no tool of development', async () => {
  const { bomFormat, components } = JSON.parse(await read('sbom.cdx.json'));
  expect(bomFormat).toBe('CycloneDX');
  const names: string[] = components.map(({ name }: { name: string }) => name);
  expect(names).toEqual(expect.arrayContaining(['fastify', 'sqlite3', 'node', 'onnxruntime-web']));
  expect(names.filter((name) => /^(vitest|typescript|esbuild|@biomejs\/biome)$/.test(name))).toEqual([]);
});

test('the notes are the section of the version, or what is unreleased until there is one', async () => {
  expect(await read('NOTES.md')).toContain('### Added');
  const changelog = '# Changelog\n\n## [Unreleased]\n\n- New.\n\n## [1.0.0] - 2026-11-01\n\n### Added\n\n- First.\n';
  expect(releaseNotes(changelog, '1.0.0')).toBe('### Added\n\n- First.\n');
  expect(releaseNotes(changelog, '1.1.0')).toBe('- New.\n');
  expect(() => releaseNotes('# Changelog\n', '1.0.0')).toThrow('neither a section [1.0.0] nor [Unreleased]');
});

test('the wheel installs, and its record names each of its files', async () => {
  const wheel = join(release, named(/\.whl$/)!.artifact);
  const target = join(folder, 'site');
  const words = ['-m', 'pip', 'install', '--no-index', '--no-deps', '--quiet', '--target', target, wheel];
  const { failed } = await execa('python3', words, { reject: false });
  // Debian's Python has no pip.
  if (failed) await execa('unzip', ['-q', '-o', wheel, '-d', target]);
  const code = `
import base64, csv, hashlib, pathlib, sys, zipfile
wheel = zipfile.ZipFile(sys.argv[1])
record = next(name for name in wheel.namelist() if name.endswith('/RECORD'))
rows = {row[0]: row[1] for row in csv.reader(wheel.read(record).decode().splitlines())}
assert set(rows) == set(wheel.namelist()), rows
for name, stated in rows.items():
    if name != record:
        digest = base64.urlsafe_b64encode(hashlib.sha256(wheel.read(name)).digest()).rstrip(b'=').decode()
        assert stated == 'sha256=' + digest, name
import svc_memory
print(pathlib.Path(svc_memory.__file__).parent.parent)`;
  const { stdout } = await execa('python3', ['-c', code, wheel], { env: { PYTHONPATH: target } });
  expect(stdout).toBe(target);
});

test('the npm package contains only what it runs on and its documents', async () => {
  await execa('tar', ['-xzf', join(release, named(/^svc-memory-\d.*\.tgz$/)!.artifact), '-C', folder]);
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

test('a check fails for an artifact that lacks something or is too large, and for a binary of another platform', async () => {
  const small = join(folder, 'svc-0.0.0-linux-x64.tar.gz');
  await execa('tar', ['-czf', small, '-C', unpacked, 'LICENSE']);
  await expect(checkArtifact(small)).rejects.toThrow('has nothing like');
  const large = join(release, named(/-linux-x64\.tar\.xz$/)!.artifact);
  await expect(checkArtifact(large)).rejects.toThrow(/has \d+\.\d+ MB, and not between 31 and 35/);
  expect(await checkBinaries(unpacked, HOST)).toBe(4);
  const other = join(folder, 'other');
  await mkdir(join(other, 'runtime'), { recursive: true });
  await cp(join(unpacked, 'runtime/node'), join(other, 'runtime/node'));
  await expect(checkBinaries(other, 'linux-arm64')).rejects.toThrow('is not for linux-arm64');
  await writeFile(join(other, 'runtime/node'), 'text');
  await expect(checkBinaries(other, HOST)).rejects.toThrow('is not for');
});

test('the archive serves from any folder, without Node.js, npm or a PATH', async () => {
  await execa(join(unpacked, 'runtime/node'), ['--input-type=module', '-e', LOAD_EVERYTHING], { cwd: unpacked });
  const link = join(folder, 'link');
  await symlink('a place/svc', link);
  const dataDir = join(folder, 'data');
  await mkdir(dataDir);
  const daemon = await startProcess({ dataDir, bin: link, env: { PATH: '' } });
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

test('svc upgrade reads a real release', async () => {
  const lib = join(folder, 'lib');
  await mkdir(lib);
  await execa('cp', ['-al', unpacked, join(lib, '0.0.1')]);
  await symlink('0.0.1', join(lib, 'current'));
  const env = { HOME: folder, PATH: process.env.PATH ?? '', SVC_DATA_DIR: join(folder, 'upgraded') };
  const { stdout } = await execa(join(lib, 'current/svc'), ['upgrade', release, '--json'], { extendEnv: false, env });
  expect(JSON.parse(stdout)).toMatchObject({ outcome: 'upgraded', former: '0.0.1', folder: lib });
  expect((await stat(join(lib, 'current/runtime/node'))).isFile()).toBe(true);
});

import { copyFile, cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { root } from '../build-options.mjs';
import { licenseOf } from '../licenses.mjs';
import { sqliteBinary } from './native.ts';
import { lockedPackage, unpackPackage } from './npm-package.ts';
import { HOST, type Platform, toolPrefix } from './platform.ts';
import { type Target, writeRuntime } from './runtime.ts';

/** What svc loads of the packages that are not bundled, on every platform. */
const PACKAGES: Record<string, readonly string[]> = {
  sqlite3: ['lib/sqlite3.js', 'lib/sqlite3-binding.js', 'lib/trace.js'],
  bindings: ['bindings.js'],
  'file-uri-to-path': ['index.js'],
  'sqlite-vec': ['index.mjs', 'index.cjs'],
  '@napi-rs/keyring': ['index.js', 'keytar.js'],
  'onnxruntime-web': ['dist/ort.node.min.js', 'dist/ort-wasm-simd-threaded.mjs', 'dist/ort-wasm-simd-threaded.wasm'],
  'onnxruntime-common': ['dist/cjs'],
  '@huggingface/tokenizers': ['dist/tokenizers.cjs'],
};

/** The packages with binaries for one platform. */
function binaryPackages(platform: Platform): Record<string, readonly string[]> {
  const [system = '', processor] = platform.split('-');
  const suffix = { linux: '-gnu', win32: '-msvc' }[system] ?? '';
  const extension = { darwin: 'dylib', win32: 'dll' }[system] ?? 'so';
  return {
    [`sqlite-vec-${system === 'win32' ? 'windows' : system}-${processor}`]: [`vec0.${extension}`],
    [`@napi-rs/keyring-${platform}${suffix}`]: [`keyring.${platform}${suffix}.node`],
  };
}

/** The binary that sqlite3 loads, in its package. */
const SQLITE_BINARY = 'node_modules/sqlite3/build/Release/node_sqlite3.node';

/** First lines of `bin/svc`, which the shell runs and Node.js reads as a comment. */
const LAUNCHER = `#!/bin/sh
':' /* Finds the Node.js of this download, also through links, and lets it run this file.
self=$0
case $self in *[/]*) ;; *) self=./$self ;; esac
while [ -h "$self" ]; do
  link=$(PATH=/usr/bin:/bin:$PATH readlink "$self")
  case $link in /*) self=$link ;; *) self=\${self%/*}/$link ;; esac
done
folder=$(cd -P "\${self%/*}/.." && pwd -P) || exit 1
exec "$folder/runtime/node" "$folder/bin/svc" "$@"
*/
`;

/** Windows has no links, and does not run `bin/svc`. */
const WINDOWS_LAUNCHER = '@"%~dp0runtime\\node.exe" "%~dp0bin\\svc" %*\r\n';

/**
 * Writes a program that needs nothing else to a folder that does not exist: the built svc, the packages that are not
 * bundled into it, and Node.js. `npm run build` and `npm ci` come first. Throws `Unavailable` for a platform whose parts
 * cannot be had here.
 */
export async function writeProgram(folder: string, { platform = HOST, isTrial }: Partial<Target> = {}): Promise<void> {
  const scratch = await mkdtemp(join(tmpdir(), 'svc-program-'));
  try {
    // First what may be missing.
    const sqlite = await sqliteBinary(platform, scratch);
    await mkdir(join(folder, 'bin'), { recursive: true });
    await writeRuntime(join(folder, 'runtime'), { platform, scratch, isTrial });
    for (const name of ['dist', 'plugins', 'LICENSE'])
      await cp(join(root, name), join(folder, name), { recursive: true });
    const { name, version, license, type, engines } = await readManifest();
    await writeFile(join(folder, 'package.json'), `${JSON.stringify({ name, version, license, type, engines })}\n`);
    await copyFile(join(root, 'bin/package.json'), join(folder, 'bin/package.json'));
    const script = await readFile(join(root, 'bin/svc'), 'utf8');
    await writeFile(join(folder, 'bin/svc'), script.replace(/^#!.*\n/, LAUNCHER), { mode: 0o755 });
    if (platform.startsWith('win32')) await writeFile(join(folder, 'svc.cmd'), WINDOWS_LAUNCHER);
    else await symlink('bin/svc', join(folder, 'svc'));
    await writePackages(folder, { platform, scratch });
    await mkdir(dirname(join(folder, SQLITE_BINARY)), { recursive: true });
    await copyFile(sqlite, join(folder, SQLITE_BINARY));
    await finishPackages(folder, platform);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** Version and the like of svc. */
export async function readManifest(): Promise<
  Record<'name' | 'version' | 'license' | 'type' | 'homepage', string> & { engines: object }
> {
  return JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
}

async function writePackages(folder: string, { platform, scratch }: Target): Promise<void> {
  const licenses = [await readFile(join(root, 'dist/licenses.txt'), 'utf8')];
  const binaries = binaryPackages(platform);
  for (const [name, files] of Object.entries({ ...PACKAGES, ...binaries })) {
    const isForeign = platform !== HOST && name in binaries;
    const installed = join(root, 'node_modules', name);
    const source = isForeign ? await unpackPackage(name, await lockedPackage(name), scratch) : installed;
    const target = join(folder, 'node_modules', name);
    const legal = (await readdir(source)).filter((file) => /^(licen[cs]e|notice)/i.test(file));
    for (const file of ['package.json', ...files, ...legal]) {
      await mkdir(dirname(join(target, file)), { recursive: true });
      await cp(join(source, file), join(target, file), { recursive: true, filter: isLoaded });
    }
    licenses.push(await licenseOf(source));
  }
  await writeFile(join(folder, 'dist/licenses.txt'), licenses.join('\n'));
}

async function finishPackages(folder: string, platform: Platform): Promise<void> {
  const packages = join(folder, 'node_modules');
  await execa('find', [packages, '-type', 'f', '-exec', 'chmod', '644', '{}', '+']);
  if (!platform.startsWith('linux')) return;
  const native = ['(', '-name', '*.node', '-o', '-name', '*.so', ')'];
  const strip = `${toolPrefix(platform)}strip`;
  await execa('find', [packages, ...native, '-exec', strip, '--strip-unneeded', '{}', '+'], { reject: false });
}

/** Whether Node.js loads the file; some packages have declarations and source maps beside their code. */
function isLoaded(file: string): boolean {
  return !/\.(map|d\.[cm]?ts)$/.test(file);
}

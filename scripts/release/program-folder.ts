import { copyFile, cp, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { root } from '../build-options.mjs';
import { licenseOf } from '../licenses.mjs';
import { writeRuntime } from './runtime.ts';

const { platform, arch } = process;
const SUFFIX = platform === 'linux' ? '-gnu' : platform === 'win32' ? '-msvc' : '';
const VECTOR_EXTENSION = { darwin: 'dylib', win32: 'dll' }[platform as string] ?? 'so';

/** What svc loads of the packages that are not bundled. */
const PACKAGES: Record<string, readonly string[]> = {
  sqlite3: ['lib/sqlite3.js', 'lib/sqlite3-binding.js', 'lib/trace.js', 'build/Release/node_sqlite3.node'],
  bindings: ['bindings.js'],
  'file-uri-to-path': ['index.js'],
  'sqlite-vec': ['index.mjs', 'index.cjs'],
  [`sqlite-vec-${platform === 'win32' ? 'windows' : platform}-${arch}`]: [`vec0.${VECTOR_EXTENSION}`],
  '@napi-rs/keyring': ['index.js', 'keytar.js'],
  [`@napi-rs/keyring-${platform}-${arch}${SUFFIX}`]: [`keyring.${platform}-${arch}${SUFFIX}.node`],
  'onnxruntime-web': ['dist/ort.node.min.js', 'dist/ort-wasm-simd-threaded.mjs', 'dist/ort-wasm-simd-threaded.wasm'],
  'onnxruntime-common': ['dist/cjs'],
  '@huggingface/tokenizers': ['dist/tokenizers.cjs'],
};

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

/**
 * Writes a program that needs nothing else to a folder that does not exist: the built svc, the packages that are not
 * bundled into it, and Node.js. `npm run build` and `npm ci` come first.
 */
export async function writeProgram(folder: string): Promise<void> {
  await mkdir(join(folder, 'bin'), { recursive: true });
  for (const name of ['dist', 'plugins', 'LICENSE'])
    await cp(join(root, name), join(folder, name), { recursive: true });
  const { name, version, license, type, engines } = await readManifest();
  await writeFile(join(folder, 'package.json'), `${JSON.stringify({ name, version, license, type, engines })}\n`);
  await copyFile(join(root, 'bin/package.json'), join(folder, 'bin/package.json'));
  const script = await readFile(join(root, 'bin/svc'), 'utf8');
  await writeFile(join(folder, 'bin/svc'), script.replace(/^#!.*\n/, LAUNCHER), { mode: 0o755 });
  await symlink('bin/svc', join(folder, 'svc'));
  await writePackages(folder);
  await writeRuntime(join(folder, 'runtime'));
}

/** Version and the like of svc. */
export async function readManifest(): Promise<
  Record<'name' | 'version' | 'license' | 'type' | 'homepage', string> & { engines: object }
> {
  return JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
}

async function writePackages(folder: string): Promise<void> {
  const licenses = [await readFile(join(root, 'dist/licenses.txt'), 'utf8')];
  for (const [name, files] of Object.entries(PACKAGES)) {
    const source = join(root, 'node_modules', name);
    const target = join(folder, 'node_modules', name);
    const legal = (await readdir(source)).filter((file) => /^(licen[cs]e|notice)/i.test(file));
    for (const file of ['package.json', ...files, ...legal]) {
      await mkdir(dirname(join(target, file)), { recursive: true });
      await cp(join(source, file), join(target, file), { recursive: true, filter: isLoaded });
    }
    licenses.push(await licenseOf(`node_modules/${name}`));
  }
  await writeFile(join(folder, 'dist/licenses.txt'), licenses.join('\n'));
  const packages = join(folder, 'node_modules');
  await execa('find', [packages, '-type', 'f', '-exec', 'chmod', '644', '{}', '+']);
  const native = ['(', '-name', '*.node', '-o', '-name', '*.so', ')'];
  await execa('find', [packages, ...native, '-exec', 'strip', '--strip-unneeded', '{}', '+'], { reject: false });
}

/** Whether Node.js loads the file; some packages have declarations and source maps beside their code. */
function isLoaded(file: string): boolean {
  return !/\.(map|d\.[cm]?ts)$/.test(file);
}

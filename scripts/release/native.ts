import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { root } from '../build-options.mjs';
import { HOST, type Platform, toolPrefix, Unavailable } from './platform.ts';
import { unpackNode } from './runtime.ts';

const SQLITE3 = join(root, 'node_modules/sqlite3');
/** As in sqlite3's own `deps/sqlite3.gyp` and `binding.gyp`. */
const DEFINES = [
  ...['NDEBUG', '_REENTRANT=1', 'SQLITE_THREADSAFE=1', 'HAVE_USLEEP=1', 'SQLITE_ENABLE_FTS3', 'SQLITE_ENABLE_FTS4'],
  ...['SQLITE_ENABLE_FTS5', 'SQLITE_ENABLE_RTREE', 'SQLITE_ENABLE_DBSTAT_VTAB=1', 'SQLITE_ENABLE_MATH_FUNCTIONS'],
  ...['NAPI_VERSION=6', 'NAPI_DISABLE_CPP_EXCEPTIONS=1', 'BUILDING_NODE_EXTENSION'],
].map((name) => `-D${name}`);

/**
 * Returns the path of sqlite3's binary for a platform: the installed one for this machine, otherwise one that is compiled
 * into `scratch`, for npm has none. Throws `Unavailable` if no compiler here makes it.
 */
export async function sqliteBinary(platform: Platform, scratch: string): Promise<string> {
  if (platform === HOST) return join(SQLITE3, 'build/Release/node_sqlite3.node');
  return compile(platform, await mkdtemp(join(scratch, 'sqlite3-')));
}

async function compile(platform: Platform, folder: string): Promise<string> {
  const prefix = compilerFor(platform);
  const isWindows = platform.startsWith('win32');
  // Windows threads have no std::mutex in GCC 12.
  const [cc, cxx] = [`${prefix}gcc`, `${prefix}g++${isWindows ? '-posix' : ''}`];
  await requireTools(platform, [cc, cxx]);
  const headers = join(await unpackNode('linux-x64', folder), 'include/node');
  await execa('sh', ['-c', `tar -xzf ${SQLITE3}/deps/sqlite-autoconf-*.tar.gz -C ${folder} --strip-components=1`]);
  const same = ['-O2', '-fPIC', '-w', `-ffile-prefix-map=${folder}=.`, ...DEFINES];
  const object = join(folder, 'sqlite3.o');
  await execa(cc, [...same, '-c', join(folder, 'sqlite3.c'), '-o', object]);
  const includes = [headers, join(root, 'node_modules/node-addon-api'), folder];
  const sources = ['backup', 'database', 'node_sqlite3', 'statement'].map((name) => join(SQLITE3, 'src', `${name}.cc`));
  const library = join(folder, 'libnode.a');
  if (isWindows) {
    const definitions = join(folder, 'node.def');
    await writeFile(definitions, await exportsOfNode(headers));
    await execa(`${prefix}dlltool`, ['-d', definitions, '-l', library]);
  }
  const link = isWindows ? ['-static', '-s'] : ['-pthread', '-s'];
  const words = [
    ...same,
    '-std=gnu++17',
    '-shared',
    ...link,
    ...includes.map((path) => `-I${path}`),
    ...sources,
    object,
  ];
  const binary = join(folder, 'node_sqlite3.node');
  await execa(cxx, [...words, ...(isWindows ? [library] : []), '-o', binary]);
  return binary;
}

/** What sqlite3 uses of libuv. */
const UV = ['async_init', 'async_send', 'close', 'mutex_destroy', 'mutex_init', 'mutex_lock', 'mutex_unlock'];

/** The functions of `node.exe` that a module may call, as dlltool reads them. */
async function exportsOfNode(headers: string): Promise<string> {
  const texts = await Promise.all(
    ['js_native_api.h', 'node_api.h'].map((name) => readFile(join(headers, name), 'utf8')),
  );
  const names = [...texts.join('\n').matchAll(/\b((?:napi|node_api)_\w+)\(/g)].map(([, name]) => name);
  return ['NAME NODE.EXE', 'EXPORTS', ...new Set(names), ...UV.map((name) => `uv_${name}`), ''].join('\n');
}

function compilerFor(platform: Platform): string {
  try {
    return toolPrefix(platform);
  } catch {
    const advice = 'Run npm run archive on such a machine, and name the folder with what it writes: --archives FOLDER';
    throw new Unavailable(`sqlite3's binary for ${platform} is not on npm and cannot be compiled here. ${advice}`);
  }
}

async function requireTools(platform: Platform, tools: readonly string[]): Promise<void> {
  for (const tool of tools) {
    const { failed } = await execa('sh', ['-c', `command -v ${tool}`], { reject: false });
    if (!failed) continue;
    const packages: Partial<Record<Platform, string>> = {
      'linux-arm64': 'g++-aarch64-linux-gnu',
      'linux-x64': 'g++-x86-64-linux-gnu',
      'win32-x64': 'g++-mingw-w64-x86-64-posix',
    };
    const advice = `Install Debian's ${packages[platform]}.`;
    throw new Unavailable(`sqlite3's binary for ${platform} needs ${tool}, which is not installed. ${advice}`);
  }
}

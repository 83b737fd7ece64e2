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
  const { cc, cxx, link } = compilersFor(platform);
  await requireTools(platform, [cc[0], cxx[0]]);
  const headers = join(await unpackNode('linux-x64', folder), 'include/node');
  await execa('sh', ['-c', `tar -xzf ${SQLITE3}/deps/sqlite-autoconf-*.tar.gz -C ${folder} --strip-components=1`]);
  const same = ['-O2', '-fPIC', '-w', `-ffile-prefix-map=${folder}=.`, ...DEFINES];
  const object = join(folder, 'sqlite3.o');
  await run(cc, [...same, '-c', join(folder, 'sqlite3.c'), '-o', object]);
  const includes = [headers, join(root, 'node_modules/node-addon-api'), folder];
  const sources = ['backup', 'database', 'node_sqlite3', 'statement'].map((name) => join(SQLITE3, 'src', `${name}.cc`));
  const libraries: string[] = [];
  if (platform.startsWith('win32')) {
    const [definitions, library] = [join(folder, 'node.def'), join(folder, 'libnode.a')];
    await writeFile(definitions, await exportsOfNode(headers));
    await execa(`${toolPrefix(platform)}dlltool`, ['-d', definitions, '-l', library]);
    libraries.push(library);
  }
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
  await run(cxx, [...words, ...libraries, '-o', binary]);
  return binary;
}

/** A program and its first arguments. */
type Command = [program: string, ...words: string[]];

const run = ([program, ...first]: Command, words: readonly string[]) => execa(program, [...first, ...words]);

/** The compilers for C and C++, and how they link. Debian has none for macOS; Zig is one. */
function compilersFor(platform: Platform): { cc: Command; cxx: Command; link: readonly string[] } {
  if (platform.startsWith('darwin')) {
    // The oldest macOS that Node.js 24 runs on.
    const target = ['-target', `${platform === 'darwin-arm64' ? 'aarch64' : 'x86_64'}-macos.13.5`];
    return {
      cc: ['zig', 'cc', ...target],
      cxx: ['zig', 'c++', ...target],
      link: ['-undefined', 'dynamic_lookup', '-s'],
    };
  }
  const prefix = toolPrefix(platform);
  if (!platform.startsWith('win32')) return { cc: [`${prefix}gcc`], cxx: [`${prefix}g++`], link: ['-pthread', '-s'] };
  // Windows threads have no std::mutex in GCC 12.
  return { cc: [`${prefix}gcc`], cxx: [`${prefix}g++-posix`], link: ['-static', '-s'] };
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

async function requireTools(platform: Platform, tools: readonly string[]): Promise<void> {
  for (const tool of tools) {
    const { failed } = await execa('sh', ['-c', `command -v ${tool}`], { reject: false });
    if (!failed) continue;
    throw new Unavailable(
      `sqlite3's binary for ${platform} needs ${tool}, which is not installed. ${ADVICE[platform]}`,
    );
  }
}

const ON_MAC = 'Install Zig 0.16, or run npm run archive on such a machine, and name its folder: --archives FOLDER';

/** How to get the compiler for a platform. */
const ADVICE: Record<Platform, string> = {
  'linux-arm64': "Install Debian's g++-aarch64-linux-gnu.",
  'linux-x64': "Install Debian's g++-x86-64-linux-gnu.",
  'win32-x64': "Install Debian's g++-mingw-w64-x86-64-posix.",
  'darwin-arm64': ON_MAC,
  'darwin-x64': ON_MAC,
};

import { open, readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { execa } from 'execa';
import type { Platform } from './platform.ts';
import { nodeProgram } from './runtime.ts';

/** What every archive with a program for Linux or macOS contains. */
const PROGRAM = [
  ...[/\/svc$/, /\/bin\/svc$/, /\/dist\/main\.js$/, /\/dist\/licenses\.txt$/, /\/dist\/dashboard\/index\.html$/],
  ...[
    /\/runtime\/node$/,
    /\/runtime\/LICENSE$/,
    /node_sqlite3\.node$/,
    /vec0\.(so|dylib)$/,
    /\/keyring\.[\w-]+\.node$/,
  ],
];

/** What every artifact contains at least, by the end of its name. */
const CONTENTS: Record<string, { list: string[]; contains: RegExp[] }> = {
  '.tar.gz': { list: ['tar', '-tzf'], contains: PROGRAM },
  '.tar.xz': { list: ['tar', '-tJf'], contains: PROGRAM },
  '.zip': {
    list: ['unzip', '-Z1'],
    contains: [/\/svc\.cmd$/, /\/dist\/main\.js$/, /\/runtime\/node\.exe$/, /node_sqlite3\.node$/, /vec0\.dll$/],
  },
  '.deb': {
    list: ['dpkg-deb', '-c'],
    contains: [/\/usr\/bin\/svc -> /, /\/usr\/lib\/systemd\/system\/svc\.service$/, /\/usr\/lib\/svc\/runtime\/node$/],
  },
  '.mcpb': { list: ['unzip', '-Z1'], contains: [/^manifest\.json$/, /^server\/main\.mjs$/] },
  '.whl': {
    list: ['unzip', '-Z1'],
    contains: [/^svc_memory\/client\.py$/, /^svc_memory\/py\.typed$/, /\.dist-info\/RECORD$/],
  },
  '.tgz': { list: ['tar', '-tzf'], contains: [/^package\/package\.json$/, /^package\/LICENSE$/] },
};

/**
 * Bounds of the size of each artifact in MB of 10⁶ bytes: what releases have, and a little room. The download of Linux
 * has at most 35.
 */
const MEGABYTES: readonly [name: RegExp, least: number, most: number][] = [
  [/-linux-\w+\.tar\.xz$/, 31, 35],
  [/-linux-\w+\.tar\.gz$/, 47, 54],
  // Those of the trial archives: symbols stay in a program that is signed.
  [/-darwin-\w+\.tar\.xz$/, 30, 37],
  [/-darwin-\w+\.tar\.gz$/, 47, 58],
  [/-win32-x64\.zip$/, 42, 48],
  [/\.deb$/, 36, 42],
  [/^svc\.mcpb$/, 0.08, 0.15],
  [/\.whl$/, 0.03, 0.06],
  [/^svc-memory-\d.*\.tgz$/, 4, 6],
  [/^svc-memory-client-.*\.tgz$/, 0.06, 0.12],
  [/^n8n-nodes-.*\.tgz$/, 0.02, 0.05],
];
/** How much larger an artifact may be that is compressed less. */
const QUICK_FACTOR = 1.5;

/** Throws if an artifact lacks something or has an unusual size. Returns its size in bytes. */
export async function checkArtifact(
  file: string,
  { isQuick }: { isQuick?: boolean | undefined } = {},
): Promise<number> {
  const name = basename(file);
  const { size } = await stat(file);
  const content = Object.entries(CONTENTS).find(([end]) => name.endsWith(end))?.[1];
  if (content === undefined) return size;
  const [command = '', ...words] = content.list;
  const { stdout } = await execa(command, [...words, file], { maxBuffer: 64 * 1024 * 1024 });
  const entries = stdout.split('\n');
  const missing = content.contains.filter((pattern) => !entries.some((entry) => pattern.test(entry)));
  if (missing.length > 0) throw new Error(`${name} has nothing like ${missing.join(', ')}.`);
  const bounds = MEGABYTES.find(([pattern]) => pattern.test(name));
  if (bounds === undefined) throw new Error(`scripts/release/checks.ts has no size for ${name}.`);
  const [, least, most] = bounds;
  if (size < least * 1e6 || size > most * 1e6 * (isQuick ? QUICK_FACTOR : 1)) {
    throw new Error(`${name} has ${(size / 1e6).toFixed(2)} MB, and not between ${least} and ${most}.`);
  }
  return size;
}

/** How the binaries of a platform begin: the number of the processor, and where it is. */
const MACHINES: Record<Platform, (head: Buffer) => boolean> = {
  'linux-x64': (head) => head.toString('latin1', 1, 4) === 'ELF' && head.readUInt16LE(18) === 0x3e,
  'linux-arm64': (head) => head.toString('latin1', 1, 4) === 'ELF' && head.readUInt16LE(18) === 0xb7,
  'darwin-x64': (head) => head.readUInt32LE(0) === 0xfeedfacf && head.readUInt32LE(4) === 0x01000007,
  'darwin-arm64': (head) => head.readUInt32LE(0) === 0xfeedfacf && head.readUInt32LE(4) === 0x0100000c,
  'win32-x64': (head) =>
    head.toString('latin1', 0, 2) === 'MZ' && head.readUInt16LE(head.readUInt32LE(0x3c) + 4) === 0x8664,
};

/** Throws if a binary of a program is for another platform. Returns how many it has. */
export async function checkBinaries(program: string, platform: Platform): Promise<number> {
  const names = await readdir(program, { recursive: true });
  const binaries = names.filter((name) => /\.(node|so|dll|dylib|exe)$/.test(name) || name === 'runtime/node');
  for (const name of binaries) {
    const handle = await open(join(program, name));
    try {
      const { buffer } = await handle.read(Buffer.alloc(4096), 0, 4096, 0);
      if (!MACHINES[platform](buffer)) throw new Error(`${join(program, name)} is not for ${platform}.`);
    } finally {
      await handle.close();
    }
  }
  if (!binaries.includes(`runtime/${nodeProgram(platform)}`)) throw new Error(`${program} has no Node.js.`);
  return binaries.length;
}

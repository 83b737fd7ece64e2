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

/** What every artifact contains at least, and its bounds in MB, by the end of its name. */
const EXPECTED: Record<string, { list: string[]; contains: RegExp[]; megabytes: [least: number, most: number] }> = {
  '.tar.gz': { list: ['tar', '-tzf'], contains: PROGRAM, megabytes: [30, 90] },
  '.tar.xz': { list: ['tar', '-tJf'], contains: PROGRAM, megabytes: [20, 70] },
  '.zip': {
    list: ['unzip', '-Z1'],
    contains: [/\/svc\.cmd$/, /\/dist\/main\.js$/, /\/runtime\/node\.exe$/, /node_sqlite3\.node$/, /vec0\.dll$/],
    megabytes: [30, 90],
  },
  '.deb': {
    list: ['dpkg-deb', '-c'],
    contains: [/\/usr\/bin\/svc -> /, /\/usr\/lib\/systemd\/system\/svc\.service$/, /\/usr\/lib\/svc\/runtime\/node$/],
    megabytes: [25, 80],
  },
  '.mcpb': { list: ['unzip', '-Z1'], contains: [/^manifest\.json$/, /^server\/main\.mjs$/], megabytes: [0.1, 1] },
  '.whl': {
    list: ['unzip', '-Z1'],
    contains: [/^svc_memory\/client\.py$/, /^svc_memory\/py\.typed$/, /\.dist-info\/RECORD$/],
    megabytes: [0.01, 1],
  },
  '.tgz': { list: ['tar', '-tzf'], contains: [/^package\/package\.json$/, /^package\/LICENSE$/], megabytes: [0.02, 8] },
};

/** Throws if an artifact lacks something or has an unusual size. Returns its size in bytes. */
export async function checkArtifact(file: string): Promise<number> {
  const name = basename(file);
  const end = Object.keys(EXPECTED).find((suffix) => name.endsWith(suffix));
  const { size } = await stat(file);
  if (end === undefined) return size;
  const { list, contains, megabytes } = EXPECTED[end]!;
  const [command = '', ...words] = list;
  const { stdout } = await execa(command, [...words, file], { maxBuffer: 64 * 1024 * 1024 });
  const entries = stdout.split('\n');
  const missing = contains.filter((pattern) => !entries.some((entry) => pattern.test(entry)));
  if (missing.length > 0) throw new Error(`${name} has nothing like ${missing.join(', ')}.`);
  const [least, most] = megabytes;
  if (size < least * 1e6 || size > most * 1e6) {
    throw new Error(`${name} has ${(size / 1e6).toFixed(1)} MB, and not between ${least} and ${most}.`);
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

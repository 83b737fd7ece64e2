import { chmod, copyFile, cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { execa } from 'execa';
import { renderSystemdUnit, SYSTEM_DATA_DIR } from '../../src/cli/service/systemd-unit.ts';
import { root } from '../build-options.mjs';
import { placeProgram, RELEASE_FOLDER, releaseTime, type WrittenProgram } from './archive.ts';
import { HOST, type Platform } from './platform.ts';
import { readManifest } from './program-folder.ts';

const SCRIPTS = join(root, 'scripts/debian');
/** Debian's names of processors. */
const ARCHITECTURES: Record<string, string> = { x64: 'amd64', arm64: 'arm64' };
const SETTINGS = '/etc/svc/svc.env';

/** Writes `svc-memory_VERSION_ARCHITECTURE.deb` from the files of the archive. Needs dpkg-deb. Returns the path. */
export async function writeDebianPackage(output = RELEASE_FOLDER, written?: WrittenProgram): Promise<string> {
  await mkdir(output, { recursive: true });
  const folder = await mkdtemp(join(output, '.deb-'));
  try {
    await chmod(folder, 0o755);
    await writeFiles(folder, written);
    const control = await writeControl(folder, written?.platform ?? HOST);
    const file = join(output, `svc-memory_${control.version}_${control.architecture}.deb`);
    const env = { SOURCE_DATE_EPOCH: await releaseTime() };
    await execa('chmod', ['-R', 'u=rwX,go=rX', folder]);
    await chmod(join(folder, SETTINGS), 0o600);
    // Stronger compression takes minutes and saves a tenth.
    const compression = written?.isQuick ? ['-Zgzip', '-z1'] : ['-Zxz', '-z2'];
    await execa('dpkg-deb', ['--root-owner-group', ...compression, '--build', folder, file], { env });
    return file;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function writeFiles(folder: string, written: WrittenProgram | undefined): Promise<void> {
  const inside = async (path: string) => {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    return join(folder, path);
  };
  await placeProgram(await inside('usr/lib/svc'), written);
  // `/usr/bin/svc` is the command.
  await rm(join(folder, 'usr/lib/svc/svc'));
  await symlink('../lib/svc/bin/svc', await inside('usr/bin/svc'));
  await copyFile(join(SCRIPTS, 'svc.env'), await inside(SETTINGS));
  const unit = renderSystemdUnit({
    scope: 'system',
    command: ['/usr/bin/svc', 'serve'],
    dataDir: SYSTEM_DATA_DIR,
    environmentFile: SETTINGS,
  });
  await writeFile(await inside('usr/lib/systemd/system/svc.service'), unit);
  const license = await readFile(join(root, 'LICENSE'), 'utf8');
  const others = 'Licenses of what svc contains: /usr/lib/svc/dist/licenses.txt and /usr/lib/svc/runtime/LICENSE.';
  const changes = gzipSync(await readFile(join(root, 'CHANGELOG.md')), { level: 9 });
  await writeFile(await inside('usr/share/doc/svc-memory/changelog.gz'), changes);
  await writeFile(await inside('usr/share/doc/svc-memory/copyright'), `${license}\n${others}\n`);
}

async function writeControl(folder: string, platform: Platform): Promise<{ version: string; architecture: string }> {
  const { version, homepage } = await readManifest();
  const processor = platform.split('-')[1] ?? '';
  const architecture = ARCHITECTURES[processor] ?? processor;
  const control = [
    'Package: svc-memory',
    `Version: ${version}`,
    `Architecture: ${architecture}`,
    'Maintainer: svc maintainers <svc-memory@users.noreply.github.com>',
    `Installed-Size: ${await kibibytes(folder)}`,
    `Depends: libc6 (>= ${await newestC(join(folder, 'usr/lib/svc'))}), libstdc++6, libgcc-s1, adduser, init-system-helpers (>= 1.54)`,
    // It has another program named svc.
    'Conflicts: daemontools',
    'Section: net',
    'Priority: optional',
    `Homepage: ${homepage}`,
    'Description: persistent memory for AI assistants, over REST and MCP',
    ' A daemon that stores what your assistants should remember on your own machine,',
    ' and finds it again. It contains its own Node.js.',
    '',
  ];
  const target = join(folder, 'DEBIAN');
  await mkdir(target);
  await writeFile(join(target, 'control'), control.join('\n'));
  await writeFile(join(target, 'conffiles'), `${SETTINGS}\n`);
  for (const name of ['postinst', 'prerm', 'postrm']) await cp(join(SCRIPTS, name), join(target, name));
  const list = 'find usr -type f -print0 | LC_ALL=C sort -z | xargs -0 md5sum > DEBIAN/md5sums';
  await execa('sh', ['-c', list], { cwd: folder });
  return { version, architecture };
}

async function kibibytes(folder: string): Promise<string> {
  const { stdout } = await execa('du', ['-sk', '--apparent-size', folder]);
  return stdout.split('\t')[0] ?? '';
}

/** The version of the C library that the native files of a program need. */
async function newestC(program: string): Promise<string> {
  const names = await readdir(program, { recursive: true });
  const native = names.filter((name) => /\.(node|so)$|^runtime\/node$/.test(name));
  const minors = await Promise.all(
    native.map(async (name) => {
      const content = (await readFile(join(program, name))).toString('latin1');
      return [...content.matchAll(/GLIBC_2\.(\d+)/g)].map(([, minor]) => Number(minor));
    }),
  );
  return `2.${minors.flat().reduce((newest, minor) => Math.max(newest, minor), 17)}`;
}

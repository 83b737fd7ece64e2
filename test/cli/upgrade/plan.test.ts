import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findInstallation, versionOf } from '../../../src/cli/upgrade/installation.ts';
import {
  freeName,
  isUpgrade,
  needsBackup,
  outdatedVersions,
  reversibleUpgrade,
  unfinishedUpgrade,
} from '../../../src/cli/upgrade/plan.ts';
import { chooseArchive, isReleaseUrl, parseChecksums } from '../../../src/cli/upgrade/release.ts';
import { scratchHome } from '../assistants/scratch-home.ts';

const scratch = scratchHome();

const name = fc.constantFrom('0.1.0', '0.1.0+', '0.2.0', '0.3.0');
const record = fc.record({
  state: fc.constantFrom('switching' as const, 'returning' as const, 'finished' as const),
  from: name,
  to: name,
  dataDir: fc.constant('/data'),
  backup: fc.option(fc.record({ file: fc.constant('/data/b'), schema: fc.nat(9) })),
  startedAt: fc.constant('2026-11-27T07:00:00Z'),
});

describe('the plan', () => {
  test('goes forward only from the new version, and back whenever going back had begun', () => {
    fc.assert(
      fc.property(name, fc.option(record, { nil: undefined }), (current, last) => {
        const unfinished = unfinishedUpgrade({ current, record: last });
        if (unfinished?.kind === 'finish') expect([last!.state, current]).toEqual(['switching', last!.to]);
        expect(unfinished?.kind === 'return').toBe(last?.state === 'returning');
        if (last?.state === 'finished') expect(unfinished).toBeUndefined();
        // What is unfinished can always be taken back.
        if (unfinished !== undefined) expect(reversibleUpgrade({ current, record: last })).toBe(last);
      }),
    );
  });

  test('restores the backup only if the schema has changed since', () => {
    const backup = { file: '/data/b', schema: 41 };
    expect([41, 42, undefined].map((schema) => needsBackup({ backup }, schema))).toEqual([false, true, true]);
    expect(needsBackup({ backup: null }, 42)).toBe(false);
  });

  test('never removes the versions that are needed, nor anything but versions', () => {
    const names = ['.upgrade', '0.1.0', '0.2.0', '0.2.0+', '0.3.0', 'current', 'upgrade.json'];
    expect(outdatedVersions(names, ['0.2.0+', '0.3.0'])).toEqual(['0.1.0', '0.2.0']);
    fc.assert(fc.property(fc.array<string>(name), (taken) => !taken.includes(freeName('0.2.0', taken))));
    expect(versionOf(freeName('0.2.0', ['0.2.0', '0.2.0+']))).toBe('0.2.0');
  });

  test.each([
    ['0.2.0', '0.1.0', true],
    ['0.1.0', '0.1.0+', false],
    ['0.1.0', '0.2.0', false],
    ['0.2.0-rc.1', '0.2.0', false],
  ])('%s is an upgrade of %s: %s', (version, current, expected) => {
    expect(isUpgrade({ version }, current)).toBe(expected);
  });
});

const hash = 'a'.repeat(64);

describe('a release', () => {
  const checksums = parseChecksums(
    [
      `${hash}  svc-0.2.0-linux-x64.tar.gz`,
      `${'B'.repeat(64)} *svc-0.2.0-rc.1-darwin-arm64.tar.gz\r`,
      `${hash}  svc.mcpb`,
      'not a checksum',
    ].join('\n'),
  );

  const choose = (platform: string, { unpacksXz = true, from = checksums } = {}) =>
    chooseArchive(from, { platform, unpacksXz }, '/r');

  test('names the archive for a platform and its checksum', () => {
    expect(checksums.size).toBe(3);
    const [platform, compression] = ['linux-x64', 'gz'];
    const linux = { name: 'svc-0.2.0-linux-x64.tar.gz', version: '0.2.0', platform, compression, sha256: hash };
    expect(choose('linux-x64')).toEqual(linux);
    expect(choose('darwin-arm64')).toMatchObject({ version: '0.2.0-rc.1', sha256: 'b'.repeat(64) });
  });

  test('names the smaller archive where this machine unpacks it', () => {
    const from = new Map([...checksums, ['svc-0.2.0-linux-x64.tar.xz', 'c'.repeat(64)]]);
    expect(choose('linux-x64', { from })).toMatchObject({ name: 'svc-0.2.0-linux-x64.tar.xz', compression: 'xz' });
    expect(choose('linux-x64', { from, unpacksXz: false })).toMatchObject({ name: 'svc-0.2.0-linux-x64.tar.gz' });
    from.delete('svc-0.2.0-linux-x64.tar.gz');
    expect(() => choose('linux-x64', { from, unpacksXz: false })).toThrow('svc-0.2.0-linux-x64.tar.xz needs xz.');
  });

  test('says which platforms it has, and refuses to choose between two versions', () => {
    const why = 'no archive for linux-arm64; it has linux-x64, darwin-arm64. Install with npm';
    expect(() => choose('linux-arm64')).toThrow(why);
    const from = new Map([...checksums, ['svc-0.3.0-linux-x64.tar.xz', hash]]);
    expect(() => choose('linux-x64', { from })).toThrow('several archives for linux-x64');
  });

  test('is a folder, or at an address that nobody can change on the way', () => {
    const given = ['release', 'C:\\release', 'https://example.com/v1'];
    expect(given.map(isReleaseUrl)).toEqual([false, false, true]);
    expect(() => isReleaseUrl('http://example.com/v1')).toThrow('Use https');
    expect(() => isReleaseUrl('ftp://example.com/v1')).toThrow('neither a folder nor an address');
    expect(isReleaseUrl('http://127.0.0.1:8000')).toBe(true);
  });
});

describe('an installation', () => {
  async function program(...path: string[]): Promise<string> {
    const folder = join(scratch.folder, ...path);
    await mkdir(join(folder, 'bin'), { recursive: true });
    await writeFile(join(folder, 'bin/svc'), '');
    return join(folder, 'bin/svc');
  }

  test('is found by its link, from the current version alone', async () => {
    const [older, current] = [await program('lib/svc/0.1.0'), await program('lib/svc/0.2.0+')];
    await symlink('0.2.0+', join(scratch.folder, 'lib/svc/current'));
    expect(findInstallation(current)).toMatchObject({ current: '0.2.0+' });
    expect(findInstallation(join(scratch.folder, 'lib/svc/current/bin/svc'))).toEqual(findInstallation(current));
    expect(() => findInstallation(older)).toThrow('not the installed svc, which is 0.2.0. Run');
  });

  test('of another kind names the command that upgrades it', async () => {
    const npm = await program('node_modules/svc-memory');
    expect(() => findInstallation(npm)).toThrow('npm install -g svc-memory@latest');
    const source = await program('source');
    await writeFile(join(scratch.folder, 'source/package-lock.json'), '{}');
    expect(() => findInstallation(source)).toThrow('git pull && npm ci && npm run build');
    const unpacked = await program('svc-0.1.0-linux-x64');
    expect(() => findInstallation(unpacked)).toThrow('sh install.sh');
  });
});

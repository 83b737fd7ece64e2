import { isUnencrypted } from '../daemon-url.ts';
import { EXIT } from '../exit.ts';
import { CommandFailure } from '../failure.ts';

/** Where releases are published; the newest one is at this address. */
export const LATEST_RELEASE = 'https://github.com/svc-memory/svc/releases/latest/download';
/** The file of a release that has the checksum of each other file. */
export const CHECKSUMS = 'SHA256SUMS';

/** An archive of a release, and what its SHA-256 must be. */
export interface ReleasedArchive {
  name: string;
  version: string;
  /** As Node.js names it, such as `linux-x64`. */
  platform: string;
  sha256: string;
  compression: 'gz' | 'xz';
}

/** Whether a release is at an address rather than in a folder. Throws `CommandFailure` for one that anybody could change. */
export function isReleaseUrl(given: string): boolean {
  if (!/^[a-z][a-z0-9+.-]+:\/\//i.test(given)) return false;
  if (!/^https?:/i.test(given) || !URL.canParse(given)) {
    throw new CommandFailure(EXIT.usage, `${given} is neither a folder nor an address that starts with https://`);
  }
  if (isUnencrypted(given)) {
    throw new CommandFailure(
      EXIT.usage,
      `${given} is not encrypted, so the release could be changed on its way. Use https.`,
    );
  }
  return true;
}

/** Parses the output of `sha256sum`: checksums by file name. Other lines are ignored. */
export function parseChecksums(text: string): Map<string, string> {
  const lines = [...text.matchAll(/^([0-9a-f]{64}) [ *]([\w.+-]+)\r?$/gim)];
  return new Map(lines.map(([, sha256 = '', name = '']) => [name, sha256.toLowerCase()]));
}

/**
 * Chooses the archive for a platform: the `.tar.xz` if this machine unpacks it, as install.sh does. Throws `CommandFailure`
 * without one.
 */
export function chooseArchive(
  checksums: ReadonlyMap<string, string>,
  { platform, unpacksXz }: { platform: string; unpacksXz: boolean },
  address: string,
): ReleasedArchive {
  const archives = [...checksums].flatMap(([name, sha256]) => parseArchive(name, sha256));
  const own = archives.filter((archive) => archive.platform === platform);
  if (new Set(own.map(({ version }) => version)).size > 1) {
    const names = own.map(({ name }) => name).join(', ');
    throw new CommandFailure(
      EXIT.failed,
      `${address} has several archives for ${platform}: ${names}. Name a folder with one.`,
    );
  }
  const smaller = own.find(({ compression }) => compression === 'xz' && unpacksXz);
  const found = smaller ?? own.find(({ compression }) => compression === 'gz');
  if (found !== undefined) return found;
  if (own[0] !== undefined)
    throw new CommandFailure(EXIT.failed, `${own[0].name} needs xz. Install xz-utils (Debian) or xz.`);
  const others = [...new Set(archives.map((other) => other.platform))].join(', ') || 'none at all';
  const advice = 'Install with npm instead: npm install -g svc-memory';
  throw new CommandFailure(EXIT.failed, `${address} has no archive for ${platform}; it has ${others}. ${advice}`);
}

function parseArchive(name: string, sha256: string): ReleasedArchive[] {
  const [, version, platform, compression] =
    /^svc-(\d+\.\d+\.\d+(?:-[\w.]+?)?)-([a-z0-9]+-[a-z0-9]+)\.tar\.(gz|xz)$/.exec(name) ?? [];
  if (version === undefined || platform === undefined) return [];
  return [{ name, version, sha256, platform, compression: compression === 'xz' ? 'xz' : 'gz' }];
}

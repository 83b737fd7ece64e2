/** The platforms that a release has archives for, as Node.js names them. */
export const PLATFORMS = ['linux-x64', 'linux-arm64', 'darwin-arm64', 'darwin-x64', 'win32-x64'] as const;

export type Platform = (typeof PLATFORMS)[number];

/** The platform of this machine. */
export const HOST = `${process.platform}-${process.arch}` as Platform;

/** Something that cannot be made on this machine. The message says why, and what would help. */
export class Unavailable extends Error {
  override readonly name = 'Unavailable';
}

/** The prefix of the GNU tools that make programs for a platform, such as `aarch64-linux-gnu-`; none for this machine. */
export function toolPrefix(platform: Platform): string {
  const prefixes: Partial<Record<Platform, string>> = {
    'linux-x64': 'x86_64-linux-gnu-',
    'linux-arm64': 'aarch64-linux-gnu-',
    'win32-x64': 'x86_64-w64-mingw32-',
  };
  if (platform === HOST) return '';
  const prefix = prefixes[platform];
  if (prefix === undefined) throw new Unavailable(`No compiler of this system makes programs for ${platform}.`);
  return prefix;
}

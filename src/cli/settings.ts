import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import envPaths from 'env-paths';
import { OWN_SPACE } from '../contract/space-names.ts';
import { makeFolder } from '../lib/make-folder.ts';
import type { KnownSpace } from './acting-space.ts';
import { EXIT } from './exit.ts';
import { CommandFailure } from './failure.ts';

/** The machine and environment that a command runs in. */
export interface Environment {
  home: string;
  platform: NodeJS.Platform;
  cwd: string;
  env: Readonly<Record<string, string | undefined>>;
}

/** A named account at a daemon. Its key is in the keychain or, if there is none, in a file with mode 0600. */
export interface Profile {
  /** Scheme, host and port of the daemon. */
  url: string;
  email: string;
  tenantId: string;
  keyStore: 'keychain' | 'file';
  /** The space that `svc space use` chose. */
  space?: KnownSpace;
}

/** Command-line settings, stored in the platform's configuration folder or `SVC_CONFIG_DIR`. */
export interface Settings {
  folder: string;
  /** Values of `SVC_URL`, `SVC_API_KEY` and `SVC_SPACE`. */
  overrides: { url?: string; apiKey?: string; space?: string };
  /** The address that last signed in, even if it has signed out since. */
  lastEmail(): string | undefined;
  /** `--profile`, otherwise `SVC_PROFILE`, otherwise the profile used last. */
  profileName(requested: string | undefined): string;
  profile(name: string): Profile | undefined;
  profiles(): Record<string, Profile>;
  /** Saves the profile and makes it the current one. An account keeps the space that it uses. */
  save(name: string, profile: Profile): Promise<void>;
  remove(name: string): Promise<void>;
  /** Stores the space that commands with this profile act in; without one, the own account. */
  chooseSpace(name: string, space: KnownSpace | undefined): Promise<void>;
  /** The spaces that projects on this machine are tied to, by the folder of the project. */
  ties(): Record<string, KnownSpace>;
  /** Ties a project to a space, or unties it. */
  tie(folder: string, space: KnownSpace | undefined): Promise<void>;
  /** The spaces that hooks read together, by the folder of the project, or `EVERYWHERE` for all that have no list. */
  reads(): Record<string, readonly KnownSpace[]>;
  /** Stores the spaces that hooks read in a project or everywhere, or forgets them. */
  read(folder: string, spaces: readonly KnownSpace[] | undefined): Promise<void>;
}

type Stored = {
  current?: string;
  lastEmail?: string;
  profiles: Record<string, Profile>;
  ties?: Record<string, KnownSpace>;
  reads?: Record<string, readonly KnownSpace[]>;
};

/** Stands for all projects without a list of their own: no folder has this path. */
export const EVERYWHERE = '*';
/** The own account among the spaces that are read. */
export const OWN_ACCOUNT: KnownSpace = { id: OWN_SPACE, name: OWN_SPACE };

export const DEFAULT_URL = 'http://127.0.0.1:8787';
export const DEFAULT_PROFILE = 'default';

export function processEnvironment(): Environment {
  return { home: homedir(), platform: process.platform, cwd: process.cwd(), env: process.env };
}

/**
 * Opens the settings. Reads the file directly and loads conf, which is slow to import, only to write: atomically, mode
 * 0600. Reading never creates anything. A damaged file is rejected and left unchanged.
 */
export function openSettings({ env }: Environment): Settings {
  const folder = env.SVC_CONFIG_DIR || envPaths('svc', { suffix: '' }).config;
  const read = () => readStored(join(folder, 'settings.json'));

  async function update(next: (stored: Stored) => Stored): Promise<void> {
    await writeStored(folder, next(read()));
  }

  return {
    folder,
    overrides: {
      ...(env.SVC_URL && { url: env.SVC_URL }),
      ...(env.SVC_API_KEY && { apiKey: env.SVC_API_KEY }),
      ...(env.SVC_SPACE && { space: env.SVC_SPACE }),
    },
    lastEmail: () => read().lastEmail,
    profileName: (requested) => requested ?? (env.SVC_PROFILE || read().current || DEFAULT_PROFILE),
    profile(name) {
      const { profiles } = read();
      return Object.hasOwn(profiles, name) ? profiles[name] : undefined;
    },
    profiles: () => read().profiles,
    save: (name, profile) =>
      update((stored) => ({
        ...stored,
        current: name,
        lastEmail: profile.email,
        profiles: { ...stored.profiles, [name]: { ...spaceOf(stored.profiles[name], profile), ...profile } },
      })),
    remove: (name) =>
      update(({ current, ...stored }) => {
        const { [name]: _, ...profiles } = stored.profiles;
        const next = current === name ? Object.keys(profiles)[0] : current;
        return { ...stored, ...(next !== undefined && { current: next }), profiles };
      }),
    chooseSpace: (name, space) =>
      update((stored) => {
        const { space: _, ...profile } = stored.profiles[name]!;
        return { ...stored, profiles: { ...stored.profiles, [name]: { ...profile, ...(space && { space }) } } };
      }),
    ties: () => read().ties ?? {},
    tie: (folder, space) =>
      update(({ ties = {}, ...stored }) => {
        const { [folder]: _, ...others } = ties;
        return { ...stored, ties: { ...others, ...(space && { [folder]: space }) } };
      }),
    reads: () => read().reads ?? {},
    read: (folder, spaces) =>
      update(({ reads = {}, ...stored }) => {
        const { [folder]: _, ...others } = reads;
        return { ...stored, reads: { ...others, ...(spaces && { [folder]: spaces }) } };
      }),
  };
}

/** The space of a profile that is saved again, if it is still of the same account. */
function spaceOf(previous: Profile | undefined, { url, tenantId }: Profile): Pick<Profile, 'space'> {
  const isSame = previous?.url === url && previous.tenantId === tenantId;
  return isSame && previous.space ? { space: previous.space } : {};
}

async function writeStored(folder: string, stored: Stored): Promise<void> {
  const { default: Conf } = await import('conf');
  await makeFolder(folder);
  const format = { configName: 'settings', configFileMode: 0o600, accessPropertiesByDotNotation: false };
  new Conf<Stored>({ cwd: folder, ...format }).store = stored;
}

function readStored(path: string): Stored {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { profiles: {} };
    throw new CommandFailure(EXIT.failed, `Cannot read the settings: ${(error as Error).message}`);
  }
  try {
    const stored = JSON.parse(text) as Partial<Stored> | null;
    if (typeof (stored?.profiles ?? {}) !== 'object' || Array.isArray(stored)) throw new Error('not settings');
    return { ...stored, profiles: stored?.profiles ?? {} };
  } catch {
    throw new CommandFailure(EXIT.failed, `The settings are damaged: repair or remove ${path}`);
  }
}

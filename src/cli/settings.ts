import { chmodSync, mkdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import envPaths from 'env-paths';
import { EXIT } from './exit.ts';
import { CommandFailure } from './failure.ts';

/** Where a command runs: everything of the machine that the command line looks at. */
export interface Environment {
  home: string;
  platform: NodeJS.Platform;
  cwd: string;
  env: Readonly<Record<string, string | undefined>>;
}

/** One daemon and account under a name. Its key is in the keychain, or where there is none in a file of mode 0600. */
export interface Profile {
  /** Scheme, host and port of the daemon. */
  url: string;
  email: string;
  tenantId: string;
  keyStore: 'keychain' | 'file';
}

/** The settings of the command line, in the platform's configuration folder (or `SVC_CONFIG_DIR`). */
export interface Settings {
  /** The folder that they are in. */
  folder: string;
  /** What the environment gives: `SVC_URL` and `SVC_API_KEY`. */
  overrides: { url?: string; apiKey?: string };
  /** The address that signed in last, also where it is signed out since. */
  lastEmail(): string | undefined;
  /** `--profile`, else `SVC_PROFILE`, else the one that was used last. */
  profileName(asked: string | undefined): string;
  profile(name: string): Profile | undefined;
  profiles(): Record<string, Profile>;
  /** Keeps the profile and makes it the one in use. */
  save(name: string, profile: Profile): Promise<void>;
  remove(name: string): Promise<void>;
}

type Stored = { current?: string; lastEmail?: string; profiles: Record<string, Profile> };

export const DEFAULT_URL = 'http://127.0.0.1:8787';
export const DEFAULT_PROFILE = 'default';

/** Variables of the command line; the daemon lets them pass. */
export const CLI_VARIABLES = ['SVC_URL', 'SVC_PROFILE', 'SVC_API_KEY', 'SVC_CONFIG_DIR'] as const;

export function processEnvironment(): Environment {
  return { home: homedir(), platform: process.platform, cwd: process.cwd(), env: process.env };
}

/**
 * Reads the file itself and loads conf, which takes longer to load than most commands to run, only to write: atomically,
 * mode 0600. Reading writes nothing, not even a folder. A damaged file is refused and left as it is.
 */
export function openSettings({ env }: Environment): Settings {
  const folder = env.SVC_CONFIG_DIR || envPaths('svc', { suffix: '' }).config;
  const read = () => readStored(join(folder, 'settings.json'));

  async function change(next: (stored: Stored) => Stored): Promise<void> {
    await writeStored(folder, next(read()));
  }

  return {
    folder,
    overrides: {
      ...(env.SVC_URL && { url: env.SVC_URL }),
      ...(env.SVC_API_KEY && { apiKey: env.SVC_API_KEY }),
    },
    lastEmail: () => read().lastEmail,
    profileName: (asked) => asked ?? (env.SVC_PROFILE || read().current || DEFAULT_PROFILE),
    profile(name) {
      const { profiles } = read();
      return Object.hasOwn(profiles, name) ? profiles[name] : undefined;
    },
    profiles: () => read().profiles,
    save: (name, profile) =>
      change((stored) => ({
        ...stored,
        current: name,
        lastEmail: profile.email,
        profiles: { ...stored.profiles, [name]: profile },
      })),
    remove: (name) =>
      change(({ current, ...stored }) => {
        const { [name]: _, ...profiles } = stored.profiles;
        const next = current === name ? Object.keys(profiles)[0] : current;
        return { ...stored, ...(next !== undefined && { current: next }), profiles };
      }),
  };
}

async function writeStored(folder: string, stored: Stored): Promise<void> {
  const { default: Conf } = await import('conf');
  if (mkdirSync(folder, { recursive: true }) !== undefined) chmodSync(folder, 0o700);
  const format = { configName: 'settings', configFileMode: 0o600, accessPropertiesByDotNotation: false };
  new Conf<Stored>({ cwd: folder, ...format }).store = stored;
}

function readStored(path: string): Stored {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { profiles: {} };
    throw new CommandFailure(EXIT.failed, `The settings cannot be read: ${(error as Error).message}`);
  }
  try {
    const stored = JSON.parse(text) as Partial<Stored> | null;
    if (typeof (stored?.profiles ?? {}) !== 'object' || Array.isArray(stored)) throw new Error('no settings');
    return { ...stored, profiles: stored?.profiles ?? {} };
  } catch {
    throw new CommandFailure(EXIT.failed, `The settings are damaged: mend or remove ${path}`);
  }
}

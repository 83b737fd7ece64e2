import { isApiKey, isDeviceToken } from '../lib/secret.ts';
import { type Keychain, KeychainError } from '../outside/keychain/keychain.ts';
import { type ActingSpace, actingSpace } from './acting-space.ts';
import { parseDaemonUrl } from './daemon-url.ts';
import { EXIT } from './exit.ts';
import { CommandFailure, NotSignedInError } from './failure.ts';
import { createKeyStore, keychainFailure } from './key-store.ts';
import { DEFAULT_URL, type Profile, type Settings } from './settings.ts';

/** The account, daemon and key that a command uses. */
export interface Session {
  /** The profile's name, or `SVC_API_KEY` if the key comes from there. */
  profileName: string;
  /** Scheme, host and port of the daemon. */
  url: string;
  /** Undefined if the key comes from `SVC_API_KEY`. */
  profile: Profile | undefined;
  apiKey: string;
  keyStore: Profile['keyStore'] | 'environment';
  /** The space to act in, if not the own account. */
  space: ActingSpace | undefined;
}

export interface SessionOptions {
  settings: Settings;
  keychain: Keychain;
  /** `--profile`. */
  profile?: string | undefined;
  /** `--space`. */
  space?: string | undefined;
}

export interface NamedProfile {
  name: string;
  profile: Profile;
}

/**
 * Opens the session of `SVC_API_KEY` (at `SVC_URL`), otherwise of the requested profile, otherwise of a profile at
 * `SVC_URL`, otherwise of the current profile. A profile's key is sent only to the daemon that issued it. Throws
 * `NotSignedInError`, or `CommandFailure` with advice if the key exists but cannot be read.
 */
export async function openSession(options: SessionOptions): Promise<Session> {
  const { settings, keychain } = options;
  if (settings.overrides.apiKey !== undefined) return environmentSession(settings, settings.overrides.apiKey, options);
  const [{ name, profile }] = chosenProfiles(settings, { profile: options.profile });
  try {
    const apiKey = await createKeyStore(profile.keyStore, { settings, keychain }).get(name, profile.url);
    if (apiKey === undefined) throw new NotSignedInError(keyMissingText(name, profile));
    const space = actingSpace(options.space, settings.overrides.space, profile.space);
    return { profileName: name, url: profile.url, profile, apiKey, keyStore: profile.keyStore, space };
  } catch (error) {
    if (error instanceof KeychainError) throw keychainFailure(error);
    throw error;
  }
}

function environmentSession(
  settings: Settings,
  apiKey: string,
  { profile: requested, space }: Pick<SessionOptions, 'profile' | 'space'>,
): Session {
  if (!isApiKey(apiKey) && !isDeviceToken(apiKey)) {
    throw new CommandFailure(
      EXIT.usage,
      'SVC_API_KEY is not an svc key (svc_live_ followed by 32 hexadecimal digits) or a device token (svc_dev_…).',
    );
  }
  const url = settings.overrides.url ?? settings.profile(settings.profileName(requested))?.url ?? DEFAULT_URL;
  return {
    ...{ profileName: 'SVC_API_KEY', url: parseDaemonUrl(url), profile: undefined, apiKey, keyStore: 'environment' },
    space: actingSpace(space, settings.overrides.space, undefined),
  };
}

/** Returns the profile that `openSession` would use, without its key. */
export function findProfile(settings: Settings, requested: string | undefined): NamedProfile | undefined {
  const name = settings.profileName(requested);
  const profile = settings.profile(name);
  if (requested !== undefined || settings.overrides.url === undefined) return profile && { name, profile };
  const url = parseDaemonUrl(settings.overrides.url);
  if (profile?.url === url) return { name, profile };
  const [other] = Object.entries(settings.profiles()).filter(([, { url: other }]) => other === url);
  return other && { name: other[0], profile: other[1] };
}

/** Returns the profiles that `--profile` and `--all` select, at least one. Throws `NotSignedInError`. */
export function chosenProfiles(
  settings: Settings,
  { profile: requested, all = false }: { profile?: string | undefined; all?: boolean | undefined },
): [NamedProfile, ...NamedProfile[]] {
  if (all) {
    const [first, ...others] = Object.entries(settings.profiles()).map(([name, profile]) => ({ name, profile }));
    if (!first) throw new NotSignedInError();
    return [first, ...others];
  }
  const found = findProfile(settings, requested);
  if (!found) throw new NotSignedInError(notSignedInText(settings, requested));
  return [found];
}

function notSignedInText(settings: Settings, requested: string | undefined): string {
  const others = Object.keys(settings.profiles());
  if (requested === undefined && settings.overrides.url === undefined && others.length === 0) {
    return 'Not signed in. Run svc login.';
  }
  const where =
    requested !== undefined || settings.overrides.url === undefined ? settings.profileName(requested) : undefined;
  const known = others.length === 0 ? '' : ` Existing profiles: ${others.join(', ')}.`;
  return where === undefined
    ? `Not signed in at ${settings.overrides.url} (SVC_URL). Run svc login.`
    : `Not signed in as profile ${where}. Run svc login --profile ${where}.${known}`;
}

function keyMissingText(name: string, { keyStore: kind }: Profile): string {
  const where = kind === 'keychain' ? 'the keychain' : 'the key file';
  return `The key of profile ${name} is no longer in ${where}. Run svc login.`;
}

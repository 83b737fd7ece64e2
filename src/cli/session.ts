import { isApiKey } from '../lib/secret.ts';
import { type Keychain, KeychainError } from '../outside/keychain/keychain.ts';
import { parseDaemonUrl } from './daemon-url.ts';
import { EXIT } from './exit.ts';
import { CommandFailure, NotSignedInError } from './failure.ts';
import { createKeyStore, keychainFailure } from './key-store.ts';
import { DEFAULT_URL, type Profile, type Settings } from './settings.ts';

export { NotSignedInError } from './failure.ts';

/** Who a command acts as. */
export interface Session {
  /** The profile's name; `SVC_API_KEY` where the key comes from there. */
  profileName: string;
  /** Scheme, host and port of the daemon. */
  url: string;
  /** What is known without asking the daemon; nothing where the key comes from `SVC_API_KEY`. */
  profile: Profile | undefined;
  apiKey: string;
  keyStore: Profile['keyStore'] | 'environment';
}

export interface SessionOptions {
  settings: Settings;
  keychain: Keychain;
  /** `--profile`. */
  profile?: string | undefined;
}

export interface NamedProfile {
  name: string;
  profile: Profile;
}

/**
 * The session of `SVC_API_KEY` (at `SVC_URL`), else of the profile that was asked for, else of one at `SVC_URL`, else of
 * the one in use. A profile's key goes to the daemon that made it and to no other. Throws `NotSignedInError`, or a
 * `CommandFailure` with advice where the key is there and cannot be read.
 */
export async function openSession(options: SessionOptions): Promise<Session> {
  const { settings, keychain } = options;
  if (settings.overrides.apiKey !== undefined)
    return givenSession(settings, settings.overrides.apiKey, options.profile);
  const [{ name, profile }] = chosenProfiles(settings, { profile: options.profile });
  try {
    const apiKey = await createKeyStore(profile.keyStore, { settings, keychain }).get(name, profile.url);
    if (apiKey === undefined) throw new NotSignedInError(keyGone(name, profile));
    return { profileName: name, url: profile.url, profile, apiKey, keyStore: profile.keyStore };
  } catch (error) {
    if (error instanceof KeychainError) throw keychainFailure(error);
    throw error;
  }
}

function givenSession(settings: Settings, apiKey: string, asked: string | undefined): Session {
  if (!isApiKey(apiKey)) {
    throw new CommandFailure(EXIT.usage, 'SVC_API_KEY holds no key of svc (svc_live_ and 32 hexadecimal digits).');
  }
  const url = settings.overrides.url ?? settings.profile(settings.profileName(asked))?.url ?? DEFAULT_URL;
  return { profileName: 'SVC_API_KEY', url: parseDaemonUrl(url), profile: undefined, apiKey, keyStore: 'environment' };
}

/** The profile that `openSession` would take, without its key. */
export function findProfile(settings: Settings, asked: string | undefined): NamedProfile | undefined {
  const name = settings.profileName(asked);
  const profile = settings.profile(name);
  if (asked !== undefined || settings.overrides.url === undefined) return profile && { name, profile };
  const url = parseDaemonUrl(settings.overrides.url);
  if (profile?.url === url) return { name, profile };
  const [other] = Object.entries(settings.profiles()).filter(([, { url: its }]) => its === url);
  return other && { name: other[0], profile: other[1] };
}

/** The profiles that `--profile` and `--all` mean; at least one. Throws `NotSignedInError`. */
export function chosenProfiles(
  settings: Settings,
  { profile: asked, all = false }: { profile?: string | undefined; all?: boolean | undefined },
): [NamedProfile, ...NamedProfile[]] {
  if (all) {
    const [first, ...others] = Object.entries(settings.profiles()).map(([name, profile]) => ({ name, profile }));
    if (!first) throw new NotSignedInError();
    return [first, ...others];
  }
  const found = findProfile(settings, asked);
  if (!found) throw new NotSignedInError(nobodyAt(settings, asked));
  return [found];
}

function nobodyAt(settings: Settings, asked: string | undefined): string {
  const others = Object.keys(settings.profiles());
  if (asked === undefined && settings.overrides.url === undefined && others.length === 0) {
    return 'Not signed in. Run svc login.';
  }
  const where = asked !== undefined || settings.overrides.url === undefined ? settings.profileName(asked) : undefined;
  const known = others.length === 0 ? '' : ` There is: ${others.join(', ')}.`;
  return where === undefined
    ? `Not signed in at ${settings.overrides.url} (SVC_URL). Run svc login.`
    : `Not signed in as profile ${where}. Run svc login --profile ${where}.${known}`;
}

function keyGone(name: string, { keyStore: kind }: Profile): string {
  const where = kind === 'keychain' ? 'the keychain' : 'the key file';
  return `The key of profile ${name} is no longer in ${where}. Run svc login.`;
}

import type { Keychain, KeychainError } from '../outside/keychain/keychain.ts';
import { EXIT } from './exit.ts';
import { CommandFailure } from './failure.ts';
import { openKeyFile } from './key-file.ts';
import type { Profile, Settings } from './settings.ts';

/** Under which all that is ours stands in the keychain. */
export const KEYCHAIN_SERVICE = 'svc';

/** A place where the keys of profiles are kept. */
export interface KeyStore {
  kind: Profile['keyStore'];
  get(name: string, url: string): Promise<string | undefined>;
  set(name: string, url: string, apiKey: string): Promise<void>;
  delete(name: string, url: string): Promise<boolean>;
  /** Throws where a key could not be kept: to be called before there is one. */
  probe(): Promise<void>;
}

/** What key stores stand on. */
export interface KeyStoreDependencies {
  settings: Settings;
  keychain: Keychain;
}

/** The store of a kind. An entry is named by profile and daemon, so that no key is ever sent to another daemon. */
export function createKeyStore(kind: Profile['keyStore'], { settings, keychain }: KeyStoreDependencies): KeyStore {
  const accountOf = (name: string, url: string) => `${name} ${url}`;
  if (kind === 'keychain') {
    return {
      kind,
      get: async (name, url) => (await keychain.getPassword(KEYCHAIN_SERVICE, accountOf(name, url))) ?? undefined,
      set: (name, url, apiKey) => keychain.setPassword(KEYCHAIN_SERVICE, accountOf(name, url), apiKey),
      delete: (name, url) => keychain.deletePassword(KEYCHAIN_SERVICE, accountOf(name, url)),
      probe: () => keychain.probe(KEYCHAIN_SERVICE),
    };
  }
  const file = openKeyFile(settings.folder);
  return {
    kind,
    get: (name, url) => file.get(accountOf(name, url)),
    async set(name, url, apiKey) {
      await file.set(accountOf(name, url), apiKey);
      if ((await file.get(accountOf(name, url))) !== apiKey)
        throw new CommandFailure(EXIT.failed, `${file.path} did not keep the key.`);
    },
    delete: (name, url) => file.delete(accountOf(name, url)),
    probe: () => file.probe(),
  };
}

/** Where the keys are that no keychain keeps. */
export function keyFilePath({ folder }: Pick<Settings, 'folder'>): string {
  return openKeyFile(folder).path;
}

/** What a person can do about a keychain that does not serve. */
export function keychainFailure(error: KeychainError): CommandFailure {
  const advice =
    error.fault === 'absent'
      ? 'A desktop session has one; elsewhere svc login --key-store file keeps the key in a file, or set SVC_API_KEY.'
      : 'Unlock it and try again. Where that cannot be, svc login --key-store file keeps the key in a file instead.';
  return new CommandFailure(EXIT.failed, `${error.message}\n${advice}`);
}

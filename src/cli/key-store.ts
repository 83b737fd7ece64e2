import type { Keychain, KeychainError } from '../outside/keychain/keychain.ts';
import { EXIT } from './exit.ts';
import { CommandFailure } from './failure.ts';
import { openKeyFile } from './key-file.ts';
import type { Profile, Settings } from './settings.ts';

/** The service name of our keychain entries. */
export const KEYCHAIN_SERVICE = 'svc';

/** Stores the API keys of profiles. */
export interface KeyStore {
  kind: Profile['keyStore'];
  get(name: string, url: string): Promise<string | undefined>;
  set(name: string, url: string, apiKey: string): Promise<void>;
  delete(name: string, url: string): Promise<boolean>;
  /** Throws if a key could not be stored. Call it before requesting a new key. */
  probe(): Promise<void>;
}

export interface KeyStoreDependencies {
  settings: Settings;
  keychain: Keychain;
}

/** Entries are named by profile and daemon URL, so that a key is never sent to another daemon. */
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
        throw new CommandFailure(EXIT.failed, `The key could not be read back from ${file.path}.`);
    },
    delete: (name, url) => file.delete(accountOf(name, url)),
    probe: () => file.probe(),
  };
}

/** Returns the path of the key file. */
export function keyFilePath({ folder }: Pick<Settings, 'folder'>): string {
  return openKeyFile(folder).path;
}

/** Converts a keychain error to a failure with advice. */
export function keychainFailure(error: KeychainError): CommandFailure {
  const advice =
    error.fault === 'absent'
      ? 'A desktop session has one. Elsewhere, run svc login --key-store file to store the key in a file, or set SVC_API_KEY.'
      : 'Unlock it and try again, or run svc login --key-store file to store the key in a file instead.';
  return new CommandFailure(EXIT.failed, `${error.message}\n${advice}`);
}

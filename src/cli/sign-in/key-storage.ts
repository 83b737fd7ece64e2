import { isDeviceToken } from '../../lib/secret.ts';
import { KeychainError } from '../../outside/keychain/keychain.ts';
import type { StoredSignIn } from '../account-context.ts';
import { EXIT } from '../exit.ts';
import { CommandFailure } from '../failure.ts';
import {
  createKeyStore,
  KEYCHAIN_SERVICE,
  type KeyStoreDependencies,
  keychainFailure,
  keyFilePath,
} from '../key-store.ts';
import type { Output } from '../output.ts';
import type { Profile } from '../settings.ts';
import type { SignInPrompts } from './prompts.ts';
import type { SignedIn } from './sign-in-attempts.ts';

/** Dependencies of storing a key. */
export interface KeyStorageDependencies extends KeyStoreDependencies {
  /** `--key-store`: this store or none. */
  requested: Profile['keyStore'] | undefined;
  prompts: SignInPrompts;
  output: Output;
  /** Ends a key or token: a new one that cannot be stored, or a device's token that a new one replaces. */
  revoke(apiKey: string): Promise<void>;
}

/** The store chosen for a key. */
export interface KeyStoreChoice {
  kind: Profile['keyStore'];
  /** Why the keychain is not used, unless the file was requested. */
  reason?: string;
}

/**
 * Chooses the store before there is a key: signing in invalidates the previous key, so if the keychain turned out to be
 * locked afterwards, both keys would be lost.
 */
export async function chooseKeyStore(dependencies: KeyStorageDependencies): Promise<KeyStoreChoice> {
  const choice = dependencies.requested === 'file' ? ({ kind: 'file' } as const) : await keychainOrFile(dependencies);
  if (choice.kind === 'file') await createKeyStore('file', dependencies).probe();
  return choice;
}

async function keychainOrFile({ keychain, requested, prompts }: KeyStorageDependencies): Promise<KeyStoreChoice> {
  try {
    await keychain.probe(KEYCHAIN_SERVICE);
    return { kind: 'keychain' };
  } catch (error) {
    if (!(error instanceof KeychainError)) throw error;
    if (requested === 'keychain') throw keychainFailure(error);
    const question = `${error.message} Store the key unencrypted in a file that only you can read?`;
    if (error.fault !== 'absent' && !(await prompts.confirm(question, true))) throw keychainFailure(error);
    return { kind: 'file', reason: error.message };
  }
}

/** The stored sign-in, with a warning if the key is not in the keychain. */
export interface StoredKey extends StoredSignIn {
  warning?: string;
}

/**
 * Stores a new key and its profile. If the keychain rejects the key after all, offers the file. If the key cannot be
 * stored at all, revokes it and throws an error that says so: a key is never dropped silently.
 */
export async function storeKey(
  dependencies: KeyStorageDependencies,
  target: { name: string; url: string; choice: KeyStoreChoice },
  { apiKey, account }: SignedIn,
): Promise<StoredKey> {
  const { settings } = dependencies;
  const { name, url, choice } = target;
  const { email, tenantId } = account;
  const previous = settings.profile(name);
  const replaced = previous && (await storedKeyOf(dependencies, name, previous));
  try {
    const { kind, reason } = await store(dependencies, target, apiKey);
    const profile: Profile = { url, email, tenantId, keyStore: kind };
    await settings.save(name, profile);
    if (previous && (previous.url !== url || previous.keyStore !== kind)) {
      await deleteOldEntry(dependencies, name, previous);
    }
    if (!isDeviceToken(apiKey)) await updateSameAccountProfiles(dependencies, name, profile, apiKey);
    if (previous?.url === url && isDeviceToken(replaced ?? '')) await dependencies.revoke(replaced!).catch(() => {});
    const warning = `${reason} The key is stored unencrypted in a file that only you can read (mode 0600): ${keyFilePath(settings)}`;
    return { profileName: name, profile, apiKey, ...(reason !== undefined && { warning }) };
  } catch (error) {
    throw await toStorageFailure(dependencies, choice, apiKey, error as Error);
  }
}

async function store(
  dependencies: KeyStorageDependencies,
  { name, url, choice }: { name: string; url: string; choice: KeyStoreChoice },
  apiKey: string,
): Promise<KeyStoreChoice> {
  try {
    await createKeyStore(choice.kind, dependencies).set(name, url, apiKey);
    return choice;
  } catch (error) {
    if (!(error instanceof KeychainError)) throw error;
    const question = `The new key was created, but the keychain did not accept it. ${error.message} Store it unencrypted in a file that only you can read?`;
    if (!(await dependencies.prompts.confirm(question, dependencies.requested !== 'keychain'))) throw error;
    await createKeyStore('file', dependencies).set(name, url, apiKey);
    return { kind: 'file', reason: `The keychain did not accept the key. ${error.message}` };
  }
}

async function toStorageFailure(
  { revoke }: KeyStorageDependencies,
  { kind }: KeyStoreChoice,
  apiKey: string,
  error: Error,
): Promise<CommandFailure> {
  const revoked = await revoke(apiKey).then(
    () => true,
    () => false,
  );
  const outcome = revoked
    ? 'The new key was revoked'
    : 'The new key is still valid at the daemon, but was not stored anywhere';
  const isDevice = isDeviceToken(apiKey);
  const previous = isDevice ? '.' : '; the previous one no longer works.';
  const command = isDevice ? 'svc login --device' : 'svc login';
  const advice = kind === 'keychain' ? ', or store the key in a file (--key-store file),' : '';
  return new CommandFailure(
    EXIT.failed,
    `You were signed in, but the new key could not be stored. ${error.message}\n${outcome}${previous} Fix this${advice} and run ${command} again.`,
  );
}

/** The key or token that a profile has, if it can be read. */
function storedKeyOf(
  dependencies: KeyStoreDependencies,
  name: string,
  { url, keyStore }: Profile,
): Promise<string | undefined> {
  return createKeyStore(keyStore, dependencies)
    .get(name, url)
    .catch(() => undefined);
}

/** Updates other profiles of the same account whose stored key has just become invalid. */
async function updateSameAccountProfiles(
  dependencies: KeyStorageDependencies,
  name: string,
  { url, tenantId }: Profile,
  apiKey: string,
): Promise<void> {
  const siblings = Object.entries(dependencies.settings.profiles()).filter(
    ([other, profile]) => other !== name && profile.url === url && profile.tenantId === tenantId,
  );
  for (const [other, profile] of siblings) {
    if (isDeviceToken((await storedKeyOf(dependencies, other, profile)) ?? '')) continue;
    await createKeyStore(profile.keyStore, dependencies)
      .set(other, url, apiKey)
      .catch(() =>
        dependencies.output.warn(`Profile ${other} belongs to the same account, and its key could not be updated.`),
      );
  }
}

/** Removes the key from its previous store. It no longer works, so a failure here is ignored. */
async function deleteOldEntry(dependencies: KeyStorageDependencies, name: string, previous: Profile): Promise<void> {
  await createKeyStore(previous.keyStore, dependencies)
    .delete(name, previous.url)
    .catch(() => false);
}

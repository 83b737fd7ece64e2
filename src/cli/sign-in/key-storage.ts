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

/** What keeping a key takes. */
export interface KeyStorageDependencies extends KeyStoreDependencies {
  /** `--key-store`: no other will do. */
  asked: Profile['keyStore'] | undefined;
  dialogue: SignInPrompts;
  output: Output;
  /** Makes the new key invalid, where it can be kept nowhere. */
  revoke(apiKey: string): Promise<void>;
}

/** Where a key is to go. */
export interface KeyStoreChoice {
  kind: Profile['keyStore'];
  /** Why it is not the keychain, where nobody asked for another place. */
  because?: string;
}

/**
 * Where the key will go, settled before there is one: signing in makes the former key invalid, so that a keychain that
 * turns out locked afterwards would cost both.
 */
export async function chooseKeyStore(keeping: KeyStorageDependencies): Promise<KeyStoreChoice> {
  const place = keeping.asked === 'file' ? ({ kind: 'file' } as const) : await keychainOrFile(keeping);
  if (place.kind === 'file') await createKeyStore('file', keeping).probe();
  return place;
}

async function keychainOrFile({ keychain, asked, dialogue }: KeyStorageDependencies): Promise<KeyStoreChoice> {
  try {
    await keychain.probe(KEYCHAIN_SERVICE);
    return { kind: 'keychain' };
  } catch (error) {
    if (!(error instanceof KeychainError)) throw error;
    if (asked === 'keychain') throw keychainFailure(error);
    const question = `${error.message} Keep the key in a file that only you may read, not encrypted?`;
    if (error.fault !== 'absent' && !(await dialogue.confirm(question, true))) throw keychainFailure(error);
    return { kind: 'file', because: error.message };
  }
}

/** What was kept, and what has to be said about where. */
export interface StoredKey extends StoredSignIn {
  warning?: string;
}

/**
 * Keeps a fresh key and its profile. Where the keychain does not take it after all, the file is offered; where nothing
 * takes it, it is made invalid, and so it is said: a key is never dropped silently.
 */
export async function storeKey(
  keeping: KeyStorageDependencies,
  where: { name: string; url: string; place: KeyStoreChoice },
  { apiKey, account }: SignedIn,
): Promise<StoredKey> {
  const { settings } = keeping;
  const { name, url, place } = where;
  const { email, tenantId } = account;
  const former = settings.profile(name);
  try {
    const { kind, because } = await store(keeping, where, apiKey);
    const profile: Profile = { url, email, tenantId, keyStore: kind };
    await settings.save(name, profile);
    if (former && (former.url !== url || former.keyStore !== kind)) await deleteOldEntry(keeping, name, former);
    await updateSameAccountProfiles(keeping, name, profile, apiKey);
    const warning = `${because} The key is in a file that only you may read (mode 0600), not encrypted: ${keyFilePath(settings)}`;
    return { profileName: name, profile, apiKey, ...(because !== undefined && { warning }) };
  } catch (error) {
    throw await toStorageFailure(keeping, place, apiKey, error as Error);
  }
}

async function store(
  keeping: KeyStorageDependencies,
  { name, url, place }: { name: string; url: string; place: KeyStoreChoice },
  apiKey: string,
): Promise<KeyStoreChoice> {
  try {
    await createKeyStore(place.kind, keeping).set(name, url, apiKey);
    return place;
  } catch (error) {
    if (!(error instanceof KeychainError)) throw error;
    const question = `The new key is made, but the keychain did not take it. ${error.message} Keep it in a file that only you may read, not encrypted?`;
    if (!(await keeping.dialogue.confirm(question, keeping.asked !== 'keychain'))) throw error;
    await createKeyStore('file', keeping).set(name, url, apiKey);
    return { kind: 'file', because: `The keychain did not take the key. ${error.message}` };
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
  const fate = revoked ? 'It was made invalid again' : 'It is still valid at the daemon, and known to nobody';
  const advice = kind === 'keychain' ? ', or keep the key in a file (--key-store file)' : '';
  return new CommandFailure(
    EXIT.failed,
    `You were signed in, but the new key could not be kept. ${error.message}\n${fate}; the one before it no longer works. Mend this${advice} and run svc login again.`,
  );
}

/** Profiles of the same account hold the same key: the one that just became invalid. */
async function updateSameAccountProfiles(
  keeping: KeyStorageDependencies,
  name: string,
  { url, tenantId }: Profile,
  apiKey: string,
): Promise<void> {
  const twins = Object.entries(keeping.settings.profiles()).filter(
    ([other, profile]) => other !== name && profile.url === url && profile.tenantId === tenantId,
  );
  for (const [other, profile] of twins) {
    await createKeyStore(profile.keyStore, keeping)
      .set(other, url, apiKey)
      .catch(() => keeping.output.warn(`Profile ${other} is of the same account, and its key could not be renewed.`));
  }
}

/** What is left of a key elsewhere is of no use any more; that it stays is no reason to fail. */
async function deleteOldEntry(keeping: KeyStorageDependencies, name: string, former: Profile): Promise<void> {
  await createKeyStore(former.keyStore, keeping)
    .delete(name, former.url)
    .catch(() => false);
}

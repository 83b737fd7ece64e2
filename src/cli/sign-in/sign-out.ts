import { ApiError, UnreachableError } from '../../client/errors.ts';
import { isDeviceToken } from '../../lib/secret.ts';
import type { AccountContext } from '../account-context.ts';
import { EXIT } from '../exit.ts';
import { toFailure } from '../failure.ts';
import { createKeyStore, type KeyStoreDependencies } from '../key-store.ts';
import type { Profile } from '../settings.ts';
import { endCredential } from './end-credential.ts';

/** The outcome of signing out of one profile. */
export interface SignedOut {
  name: string;
  profile: Profile;
  /** `kept-here`: nothing was removed, because the key could not be read and therefore not revoked. */
  key: 'invalidated' | 'still-valid' | 'kept-here';
  /** Whether it is a device's token instead of the key. */
  isDevice: boolean;
  /** What went wrong, if anything. */
  problem?: string;
  exitCode: number;
}

const NOT_STORED =
  'The key was not stored here any more, so it was not revoked and may still be valid: sign in again to replace it.';

type Dependencies = KeyStoreDependencies & Pick<AccountContext, 'fetch'>;

/**
 * Revokes a profile's key, or disconnects the device, and removes both from this machine. They are removed even if the daemon is unreachable, but
 * not if the key cannot be read from the keychain, unless `keepKey` is set.
 */
export async function signOut(
  { name, profile, keepKey }: { name: string; profile: Profile; keepKey: boolean },
  dependencies: Dependencies,
): Promise<SignedOut> {
  const store = createKeyStore(profile.keyStore, dependencies);
  const known = { name, profile, isDevice: false };
  try {
    const apiKey = keepKey ? undefined : await store.get(name, profile.url);
    known.isDevice = isDeviceToken(apiKey ?? '');
    const failure = apiKey === undefined ? undefined : await revoke(profile.url, apiKey, dependencies);
    await store.delete(name, profile.url);
    await dependencies.settings.remove(name);
    if (failure) return { ...known, key: 'still-valid', problem: failure.message, exitCode: failure.exitCode };
    if (apiKey === undefined && !keepKey)
      return { ...known, key: 'still-valid', problem: NOT_STORED, exitCode: EXIT.failed };
    return { ...known, key: keepKey ? 'still-valid' : 'invalidated', exitCode: EXIT.done };
  } catch (error) {
    if (toFailure(error) === undefined && (error as Error).name !== 'KeychainError') throw error;
    const { message } = error as Error;
    if (!keepKey) {
      const advice = `${message} Profile ${name} was not changed; svc logout --keep-key removes it anyway.`;
      return { ...known, key: 'kept-here', problem: advice, exitCode: EXIT.failed };
    }
    await dependencies.settings.remove(name);
    return {
      ...known,
      key: 'still-valid',
      problem: `${message} The stored key may still be there.`,
      exitCode: EXIT.done,
    };
  }
}

/** Returns `undefined` if the key is now invalid, or already was; otherwise why it is still valid. */
async function revoke(
  baseUrl: string,
  apiKey: string,
  { fetch }: Dependencies,
): Promise<{ message: string; exitCode: number } | undefined> {
  try {
    await endCredential({ baseUrl, apiKey, retries: 1, ...(fetch && { fetch }) });
    return undefined;
  } catch (error) {
    if (error instanceof ApiError && error.code === 'unauthenticated') return undefined;
    const reached = !(error instanceof UnreachableError);
    if (reached && !(error instanceof ApiError)) throw error;
    const advice = isDeviceToken(apiKey)
      ? 'The token was removed from this machine but is still valid at the daemon: revoke this device in the web app.'
      : 'The key was removed from this machine but is still valid at the daemon: sign in again to replace it.';
    const message = `${(error as Error).message} ${advice}`;
    return { message, exitCode: reached ? EXIT.failed : EXIT.unreachable };
  }
}

/** The exit code of signing out of several profiles: the first that is not 0. */
export function exitCodeOf(results: SignedOut[]): number {
  return results.find(({ exitCode }) => exitCode !== EXIT.done)?.exitCode ?? EXIT.done;
}

import { createClient } from '../../client/client.ts';
import { UnreachableError } from '../../client/transport.ts';
import { AppError } from '../../contract/errors.ts';
import type { AccountContext } from '../account-context.ts';
import { EXIT } from '../exit.ts';
import { toFailure } from '../failure.ts';
import { createKeyStore, type KeyStoreDependencies } from '../key-store.ts';
import type { Profile } from '../settings.ts';

/** What became of one profile and its key. */
export interface SignedOut {
  name: string;
  profile: Profile;
  /** `kept-here`: nothing was forgotten, because the key could not be read and so not be made invalid. */
  key: 'invalidated' | 'still-valid' | 'kept-here';
  /** What did not go as asked. */
  trouble?: string;
  exitCode: number;
}

type Dependencies = KeyStoreDependencies & Pick<AccountContext, 'fetch'>;

/**
 * Makes a profile's key invalid and forgets both. An unreachable daemon does not stop the forgetting; a keychain that
 * cannot be read does, unless the key is to stay valid anyway.
 */
export async function signOut(
  { name, profile, keepKey }: { name: string; profile: Profile; keepKey: boolean },
  parts: Dependencies,
): Promise<SignedOut> {
  const store = createKeyStore(profile.keyStore, parts);
  const known = { name, profile };
  try {
    const apiKey = keepKey ? undefined : await store.get(name, profile.url);
    const left = apiKey === undefined ? undefined : await invalidate(profile.url, apiKey, parts);
    await store.delete(name, profile.url);
    await parts.settings.remove(name);
    if (left) return { ...known, key: 'still-valid', trouble: left.message, exitCode: left.exitCode };
    return { ...known, key: keepKey ? 'still-valid' : 'invalidated', exitCode: EXIT.done };
  } catch (error) {
    if (toFailure(error) === undefined && (error as Error).name !== 'KeychainError') throw error;
    const { message } = error as Error;
    if (!keepKey) {
      const advice = `${message} Profile ${name} was left as it is; svc logout --keep-key forgets it all the same.`;
      return { ...known, key: 'kept-here', trouble: advice, exitCode: EXIT.failed };
    }
    await parts.settings.remove(name);
    return {
      ...known,
      key: 'still-valid',
      trouble: `${message} The key's entry may still be there.`,
      exitCode: EXIT.done,
    };
  }
}

/** Nothing where the key is invalid now, whoever made it so; else why it is not. */
async function invalidate(
  baseUrl: string,
  apiKey: string,
  { fetch }: Dependencies,
): Promise<{ message: string; exitCode: number } | undefined> {
  try {
    await createClient({ baseUrl, apiKey, retries: 1, ...(fetch && { fetch }) }).auth.revokeKey();
    return undefined;
  } catch (error) {
    if (error instanceof AppError && error.code === 'unauthenticated') return undefined;
    const reached = !(error instanceof UnreachableError);
    if (reached && !(error instanceof AppError)) throw error;
    const message = `${(error as Error).message} The key is forgotten here, but still valid there: sign in again to replace it.`;
    return { message, exitCode: reached ? EXIT.failed : EXIT.unreachable };
  }
}

/** The exit code of signing out of several: the first that is not 0. */
export function exitCodeOf(results: SignedOut[]): number {
  return results.find(({ exitCode }) => exitCode !== EXIT.done)?.exitCode ?? EXIT.done;
}

import { createClient } from '../../client/client.ts';
import { UnreachableError } from '../../client/errors.ts';
import { isDeviceToken } from '../../lib/secret.ts';
import { KeychainError } from '../../outside/keychain/keychain.ts';
import { lastFour } from '../assistants/mask-secrets.ts';
import { EXIT } from '../exit.ts';
import { CommandFailure, NotSignedInError, toFailure, whyKeyEnded } from '../failure.ts';
import { createKeyStore } from '../key-store.ts';
import { findProfile } from '../session.ts';
import type { Finding } from './finding.ts';
import type { Subject } from './subject.ts';

const TIMEOUT_MS = 5000;

/** Checks that keys can be stored where the profile stores its key: writes a probe, reads it back and deletes it. */
export async function checkKeyStorage({ settings, keychain, profile }: Subject): Promise<Finding[]> {
  const check = 'Key storage';
  if (settings.overrides.apiKey !== undefined) {
    return [{ check, state: 'ok', message: 'not used: the key comes from SVC_API_KEY' }];
  }
  const kind = findProfile(settings, profile)?.profile.keyStore;
  try {
    await createKeyStore(kind ?? 'keychain', { settings, keychain }).probe();
  } catch (error) {
    if (!(error instanceof KeychainError)) throw error;
    // Harmless without a profile: the sign-in falls back to a file.
    const file = 'svc login --key-store file';
    const fix = error.fault === 'absent' ? file : `unlock the keychain, or ${file}`;
    const state = kind === 'keychain' ? 'problem' : 'warning';
    return [{ check, state, message: error.message, fix }];
  }
  const message = kind === 'file' ? `a file with mode 0600 in ${settings.folder}` : 'the system keychain';
  return [{ check, state: 'ok', message: `${message}, which can be written and read` }];
}

/** Checks that there is a key and that the daemon accepts it. */
export async function checkKey({ session, url, fetch, profile, settings }: Subject): Promise<Finding[]> {
  const check = 'Key';
  const fix = loginCommand(settings.profileName(profile));
  if (session instanceof CommandFailure) {
    const [message = '', ...advice] = session.message.split('\n');
    return [
      { check, state: 'problem', message, fix: session instanceof NotSignedInError ? fix : advice.join(' ') || fix },
    ];
  }
  const key = `…${lastFour(session.apiKey)}`;
  try {
    const client = createClient({ baseUrl: url, apiKey: session.apiKey, retries: 0, timeoutMs: TIMEOUT_MS, fetch });
    const { email } = await client.account.get();
    return [{ check, state: 'ok', message: `${key} of ${email} is valid` }];
  } catch (error) {
    if (error instanceof UnreachableError) {
      return [{ check, state: 'warning', message: `${key} cannot be checked without the daemon` }];
    }
    const failure = toFailure(error);
    if (!failure) throw error;
    if (failure.exitCode !== EXIT.notSignedIn) {
      return [{ check, state: 'warning', message: failure.message, fix: 'svc doctor, later' }];
    }
    const inVariable = session.keyStore === 'environment';
    const why = whyKeyEnded(error);
    const message = why === undefined ? `${key} was revoked or replaced` : `${key}: ${why}`;
    const again = isDeviceToken(session.apiKey) ? `${fix} --device` : fix;
    const remedy = inVariable ? 'unset SVC_API_KEY, or set it to a valid key' : again;
    return [{ check, state: 'problem', message, fix: remedy }];
  }
}

/** The command that signs in again under this profile. */
export function loginCommand(profileName: string): string {
  return profileName === 'default' ? 'svc login' : `svc login --profile ${profileName}`;
}

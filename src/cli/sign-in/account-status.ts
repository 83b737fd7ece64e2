import { createClient } from '../../client/client.ts';
import { UnreachableError } from '../../client/transport.ts';
import type { Account } from '../../contract/account.ts';
import type { AccountContext } from '../account-context.ts';
import { EXIT } from '../exit.ts';
import { CommandFailure, toFailure } from '../failure.ts';
import { openSession, type Session, type SessionOptions } from '../session.ts';

/** What is known of one profile, and what its daemon says. */
export interface AccountStatus {
  profile: string;
  url: string;
  /** As remembered here, or as the daemon says where it is reached. */
  email: string | undefined;
  keyStore: Session['keyStore'];
  /** `undefined` where the daemon could not be asked. */
  signedIn: boolean | undefined;
  /** `undefined` where there was no key to ask with. */
  reachable: boolean | undefined;
  latencyMs?: number;
  account?: Account;
  /** What is wrong and what to do. */
  problem?: string;
  exitCode: number;
}

type Dependencies = SessionOptions & Pick<AccountContext, 'clock' | 'fetch'>;

/** Asks the daemon of a session. A profile whose key cannot be read is a status too; one that is not there is thrown. */
export async function accountStatus(parts: Dependencies): Promise<AccountStatus> {
  const session = await openSession(parts).catch((error: unknown) => error);
  if (!isSession(session)) return withoutKey(session, parts);
  const { profileName, url, apiKey, keyStore, profile } = session;
  const known = { profile: profileName, url, email: profile?.email, keyStore };
  const { clock, fetch } = parts;
  const beganMs = clock.monotonicMs();
  try {
    const account = await createClient({
      baseUrl: url,
      apiKey,
      retries: 0,
      timeoutMs: 10_000,
      ...(fetch && { fetch }),
    }).account();
    const latencyMs = Math.round(clock.monotonicMs() - beganMs);
    return { ...known, email: account.email, signedIn: true, reachable: true, latencyMs, account, exitCode: EXIT.done };
  } catch (error) {
    const failure = toFailure(error);
    if (!failure) throw error;
    const reachable = !(error instanceof UnreachableError);
    const signedIn = failure.exitCode === EXIT.notSignedIn ? false : undefined;
    return { ...known, signedIn, reachable, problem: failure.message, exitCode: failure.exitCode };
  }
}

function isSession(result: unknown): result is Session {
  return !(result instanceof Error);
}

function withoutKey(error: unknown, { settings, profile: asked }: Dependencies): AccountStatus {
  const name = settings.profileName(asked);
  const profile = settings.profile(name);
  if (!(error instanceof CommandFailure) || !profile || settings.overrides.apiKey !== undefined) throw error;
  const { url, email, keyStore } = profile;
  const signedIn = error.exitCode === EXIT.notSignedIn ? false : undefined;
  return {
    profile: name,
    url,
    email,
    keyStore,
    signedIn,
    reachable: undefined,
    problem: error.message,
    exitCode: error.exitCode,
  };
}

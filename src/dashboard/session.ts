import { signal } from '@preact/signals';
import { ApiError, type Client, createClient } from '../client/client.ts';
import type { AddressCredential } from './credential-in.ts';
import { describeError } from './errors.ts';

/** A signed-in session. */
export interface Session {
  readonly client: Client;
  readonly email: string;
  /** The key that a sign-in just issued, which the daemon cannot show again. It exists only here. */
  readonly freshKey: string | undefined;
}

export type SessionState =
  | { kind: 'opening' }
  | { kind: 'signedOut'; message?: string | undefined; tone?: 'info' | 'error' }
  | { kind: 'signedIn'; session: Session };

/** Whether somebody is signed in. Every view is below a signed-in session. */
export const sessionState = signal<SessionState>({ kind: 'opening' });

const MALFORMED = 'The link to this page was incomplete. It may have been cut off when it was copied.';
const REFUSED = 'Your session has ended. Sign in again.';

/** Opens the session of a credential from the address. */
export async function openSession(credential: AddressCredential | undefined): Promise<void> {
  if (!credential) {
    sessionState.value = { kind: 'signedOut' };
    return;
  }
  if (credential.kind === 'malformed') {
    sessionState.value = { kind: 'signedOut', message: MALFORMED, tone: 'error' };
    return;
  }
  await openWithKey(credential.value, { isFresh: true });
}

/** Opens a session with an API key, which stays valid. `isFresh` says that a sign-in just issued it. */
export async function openWithKey(key: string, { isFresh = false } = {}): Promise<void> {
  const client = createClient({ baseUrl: location.origin, apiKey: key });
  try {
    const { email } = await client.account.get();
    sessionState.value = { kind: 'signedIn', session: { client, email, freshKey: isFresh ? key : undefined } };
  } catch (error) {
    sessionState.value = { kind: 'signedOut', message: describeError(error), tone: 'error' };
  }
}

/** Ends the session and forgets everything loaded, by loading the page anew. */
export async function signOut(): Promise<void> {
  location.replace('/dashboard');
}

/** Returns to the sign-in screen if an error says that the session is over. */
export function endSessionOn(error: unknown): void {
  if (!(error instanceof ApiError) || error.status !== 401) return;
  sessionState.value = { kind: 'signedOut', message: error.detail || REFUSED, tone: 'error' };
}

/** The client of the signed-in session. Throws outside of one. */
export function currentSession(): Session {
  const state = sessionState.value;
  if (state.kind !== 'signedIn') throw new Error('Nobody is signed in.');
  return state.session;
}

import { batch, signal } from '@preact/signals';
import { ApiError, type Session as BrowserSession, type Client, createClient, type Space } from '../client/client.ts';
import { SCOPES } from '../contract/scopes.ts';
import { SCOPE_OF_ROLE } from '../contract/space-names.ts';
import type { AddressCredential } from './credential-in.ts';
import { guarded, watched } from './daemon-state.ts';
import { describeError } from './errors.ts';
import { finishWaiting } from './parts/toasts.tsx';
import { patient } from './rate-limit.ts';
import { currentView, spaceOfPage } from './router.ts';
import { openOperator, operatorMessage, operatorTransport } from './shell/operator-session.ts';
import { currentSpace, invitations, noticingRefusals, scope, spaceMakers, spaces } from './space.ts';
import { pageFetch } from './upload-fetch.ts';

/** A signed-in session. */
export interface Session {
  /** Calls where the page acts: in its space, or in the own account. */
  readonly client: Client;
  /** Calls that are about the own account, also while the page shows a space. */
  readonly account: Client;
  readonly email: string;
  /** The key that a sign-in just issued, which the daemon cannot show again. It exists only here. */
  readonly freshKey: string | undefined;
}

export type SessionState =
  | { kind: 'opening' }
  | { kind: 'signedOut'; message?: string | undefined; tone?: 'info' | 'error' }
  /** A link was opened in a browser without a session of its account. */
  | { kind: 'asking'; email: string; link: AccountLink }
  /** Only the operator's view is open: nobody is signed in to an account. */
  | { kind: 'operator' }
  /** The page is of a space that the account is not in: any more, or not yet if it is invited. */
  | { kind: 'outside'; email: string; was?: Space | undefined; invitation?: Space | undefined }
  | { kind: 'signedIn'; session: Session };

/** A link that opens an account: with the key that a sign-in issued, or with a ticket of `svc open`. */
export type AccountLink = AddressCredential & { kind: 'key' | 'ticket' };

/** Whether somebody is signed in. Every view but the operator's is below a signed-in session. */
export const sessionState = signal<SessionState>({ kind: 'opening' });

const ORIGIN = { baseUrl: location.origin, fetch: patient(pageFetch) };
const sessionFetch = patient(guarded(watched(pageFetch)));
const MALFORMED = 'The link to this page was incomplete. It may have been cut off when it was copied.';
const REFUSED = 'Your session has ended. Sign in again.';

/** Opens the session of a credential from the address, or else the one that this browser already has. */
export async function openSession(credential: AddressCredential | undefined): Promise<void> {
  const ticket = credential?.kind === 'operator' ? credential.value : undefined;
  if (ticket !== undefined || currentView.peek() === 'operator') await openOperator(ticket);
  if (credential?.kind === 'malformed') {
    showSignedOut(MALFORMED);
  } else if (isAccountLink(credential)) await askAbout(credential);
  else await open(createClient(ORIGIN).session.get(), { isOptional: true });
}

function isAccountLink(credential: AddressCredential | undefined): credential is AccountLink {
  return credential?.kind === 'key' || credential?.kind === 'ticket';
}

/**
 * Opens the account of a link. Asks first, unless this browser has a session: a sign-in begins one with its redirect, and
 * the daemon refuses a link to an account other than the session's.
 */
async function askAbout(link: AccountLink): Promise<void> {
  try {
    if (await hasSession()) return await openLink(link);
    const { email } =
      link.kind === 'key'
        ? await createClient({ ...ORIGIN, apiKey: link.value }).account.get()
        : await createClient(ORIGIN).session.checkTicket({ ticket: link.value });
    sessionState.value = { kind: 'asking', email, link };
  } catch (error) {
    showSignedOut(describeError(error));
  }
}

async function hasSession(): Promise<boolean> {
  try {
    await createClient(ORIGIN).session.get();
    return true;
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return false;
    throw error;
  }
}

/** Opens the account of a link that the person wants to open. */
export async function openLink({ kind, value }: AccountLink): Promise<void> {
  if (kind === 'key') await openWithKey(value, { isFresh: true });
  else await open(createClient(ORIGIN).session.create({ ticket: value }));
}

/** Forgets a link that the person did not want to open. */
export function refuseLink(): void {
  showSignedOut(undefined);
}

/** Opens a session with an API key, which stays valid. `isFresh` says that a sign-in just issued it. */
export async function openWithKey(key: string, { isFresh = false } = {}): Promise<void> {
  await open(createClient({ ...ORIGIN, apiKey: key }).session.create(), { freshKey: isFresh ? key : undefined });
}

/** Signs in with what the daemon answered. Without a session where that is expected, shows the sign-in screen in silence. */
async function open(
  answer: PromiseLike<BrowserSession>,
  { freshKey, isOptional = false }: { freshKey?: string | undefined; isOptional?: boolean } = {},
): Promise<void> {
  try {
    const { csrf } = await answer;
    const headers = { 'x-svc-csrf': csrf };
    const account = createClient({ ...ORIGIN, headers, fetch: sessionFetch });
    const client =
      spaceOfPage === undefined
        ? account
        : createClient({
            ...ORIGIN,
            headers,
            space: spaceOfPage,
            fetch: noticingRefusals(sessionFetch, () => void lookAtMembership()),
          });
    const email = await enter(account);
    if (email !== undefined && isOfAnother(email) && freshKey === undefined) return location.replace('/dashboard');
    if (email !== undefined) sessionState.value = { kind: 'signedIn', session: { client, account, email, freshKey } };
  } catch (error) {
    const isExpected = isOptional && error instanceof ApiError && error.status === 401;
    if (isExpected && operatorTransport.peek()) sessionState.value = { kind: 'operator' };
    else if (isExpected) showSignedOut(operatorMessage.peek());
    else showSignedOut(describeError(error));
  }
}

let lastEmail: string | undefined;

/** Whether another account was signed in on this page: what its views hold is to go. */
function isOfAnother(email: string): boolean {
  const isOther = lastEmail !== undefined && lastEmail !== email;
  lastEmail = email;
  return isOther;
}

/**
 * Reads the spaces of the account and what the page may do where it acts. If the account is not in the space of the page, it
 * shows that instead, and nothing of the space stays on the screen. Returns the address of the account, unless it is outside.
 */
async function enter(account: Client): Promise<string | undefined> {
  const was = currentSpace.peek();
  const [{ email, credential }, { data, makers }] = await Promise.all([account.account.get(), account.spaces.list()]);
  return batch(() => {
    spaces.value = data;
    spaceMakers.value = makers;
    const space = currentSpace.peek();
    if (spaceOfPage !== undefined && !space) {
      const invitation = invitations.peek().find(({ id }) => id === spaceOfPage);
      sessionState.value = { kind: 'outside', email, was, invitation };
      return undefined;
    }
    const ofRole = SCOPES.indexOf(SCOPE_OF_ROLE[space?.role ?? 'owner']);
    scope.value = SCOPES[Math.min(SCOPES.indexOf(credential.scope), ofRole)]!;
    return email;
  });
}

/** Reads the spaces of the account again, after a change of them. Throws what the daemon answers. */
export async function reloadSpaces(): Promise<void> {
  await enter(currentSession().account);
}

let looking: Promise<void> | undefined;

/** Looks whether the account is still in the space of the page, and with which role. Never throws. */
export function lookAtMembership(): Promise<void> {
  if (sessionState.peek().kind !== 'signedIn') return Promise.resolve();
  looking ??= reloadSpaces()
    .catch((error: unknown) => {
      // Any other failure says nothing about the membership: the next refusal looks again.
      if (error instanceof ApiError && error.status === 401) showSignedOut(error.detail || REFUSED);
    })
    .finally(() => {
      looking = undefined;
    });
  return looking;
}

function showSignedOut(message: string | undefined): void {
  sessionState.value = { kind: 'signedOut', ...(message !== undefined && { message, tone: 'error' }) };
}

/** Carries out what waits for an undo, ends the session, and forgets everything loaded by loading the page anew. */
export async function signOut(): Promise<void> {
  try {
    await finishWaiting();
    await currentSession().account.session.delete();
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 401)) throw error;
  }
  location.replace('/dashboard');
}

/** Returns to the sign-in screen if an error says that the session is over. */
export function endSessionOn(error: unknown): void {
  if (!(error instanceof ApiError) || error.status !== 401) return;
  // In a space, it may also say that the membership is over.
  if (spaceOfPage !== undefined) void lookAtMembership();
  else showSignedOut(error.detail || REFUSED);
}

/** The client of the signed-in session. Throws outside of one. */
export function currentSession(): Session {
  const state = sessionState.value;
  if (state.kind !== 'signedIn') throw new Error('Nobody is signed in.');
  return state.session;
}

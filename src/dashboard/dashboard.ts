import { clearAccount, showAccount, showActivity } from './account-view.ts';
import { type Api, ApiError, createApi } from './api.ts';
import { type ConnectView, createConnectView } from './connect-view.ts';
import { byId, element } from './dom.ts';
import { describeError } from './format.ts';
import { createMemoriesView, type MemoriesView } from './memories-view.ts';
import { createProvidersView, type ProvidersView } from './providers-view.ts';
import { type Session, takeKeyFromAddress } from './session.ts';
import { wireSignIn } from './sign-in-view.ts';
import { confirmWith, dismissConfirm, notify, showScreen } from './view.ts';

// Runs before anything else, and before the page renders, to remove the key from the address bar.
let initialSession = takeKeyFromAddress();

const KEY_REFUSED =
  'This key is not valid. It may have been revoked or replaced by a newer sign-in. Sign in again, or enter your current key.';
const KEY_MALFORMED = 'The link to this page contained an invalid key. It may have been cut off when it was copied.';
const SIGNED_OUT = 'Signed out. This page has forgotten your key, which stays valid for your assistants.';
const SIGNED_OUT_QUERY = 'signed-out';
const KEY_REVOKED = 'Key revoked. Sign in again to get a new one.';

interface Page {
  /** API of the current session, if any. Responses to earlier sessions are ignored. */
  current: Api | undefined;
  readonly connect: ConnectView;
  readonly memories: MemoriesView;
  readonly providers: ProvidersView;
}

function enter(page: Page, session: Session): void {
  const api = createApi(session.key);
  page.current = api;
  dismissConfirm();
  page.memories.clear();
  page.providers.clear();
  clearAccount();
  notify('');
  page.connect.show(session);
  showScreen('signed-in');
  byId('main').focus();
  void Promise.all([
    refreshAccount(page, api),
    refreshActivity(page, api),
    page.memories.show(api),
    page.providers.show(api),
  ]);
}

function leave(page: Page, message: string, tone: 'info' | 'error' = 'info'): void {
  page.current = undefined;
  dismissConfirm();
  page.connect.clear();
  page.memories.clear();
  page.providers.clear();
  clearAccount();
  showScreen('signed-out');
  notify(message, tone);
  byId('main').focus();
}

/** Ends the session if its key is no longer valid. True if the session is over, so that there is no error to show. */
function handleSessionError(page: Page, error: unknown, api: Api): boolean {
  if (api !== page.current) return true;
  if (!(error instanceof ApiError && error.kind === 'unauthenticated')) return false;
  leave(page, KEY_REFUSED, 'error');
  return true;
}

async function refreshAccount(page: Page, api: Api): Promise<void> {
  try {
    const account = await api.account();
    if (api !== page.current) return;
    showAccount(account);
    page.connect.describe(account);
    notify('');
  } catch (error) {
    if (!handleSessionError(page, error, api)) notify(describeError(error), 'error');
  }
}

async function refreshActivity(page: Page, api: Api): Promise<void> {
  try {
    const usage = await api.usage(30);
    if (api === page.current) showActivity(usage);
  } catch (error) {
    if (handleSessionError(page, error, api)) return;
    byId('activity').replaceChildren(element('p', { class: 'error' }, describeError(error)));
  }
}

async function revokeKey(page: Page): Promise<void> {
  const api = page.current;
  const text = 'Every assistant and terminal that uses it stops working immediately. Sign in again to get a new key.';
  if (!api || !(await confirmWith({ title: 'Revoke this key?', text, yes: 'Revoke' }))) return;
  try {
    await api.revokeKey();
    if (api === page.current) leave(page, KEY_REVOKED);
  } catch (error) {
    if (!handleSessionError(page, error, api)) notify(describeError(error), 'error');
  }
}

function openSession(page: Page, found: Session | 'malformed' | undefined): void {
  if (found === 'malformed') leave(page, KEY_MALFORMED, 'error');
  else if (found) enter(page, found);
}

/** Reloads the page, so that not even the browser's navigation record of this document contains the key. */
function signOut(page: Page): void {
  leave(page, SIGNED_OUT);
  location.replace(`${location.pathname}?${SIGNED_OUT_QUERY}`);
}

function showSignedOutNotice(): void {
  if (location.search !== `?${SIGNED_OUT_QUERY}`) return;
  history.replaceState(null, '', location.pathname);
  notify(SIGNED_OUT);
}

function startPage(): void {
  const memories = createMemoriesView({
    onError: (error, api) => handleSessionError(page, error, api),
    onChange: (api) => void refreshAccount(page, api),
  });
  const providers = createProvidersView({ onError: (error, api) => handleSessionError(page, error, api) });
  const page: Page = { current: undefined, connect: createConnectView(), memories, providers };
  wireSignIn((session) => enter(page, session));
  byId('sign-out').addEventListener('click', () => signOut(page));
  byId('key-revoke').addEventListener('click', () => void revokeKey(page));
  addEventListener('hashchange', () => openSession(page, takeKeyFromAddress()));
  showScreen('signed-out');
  showSignedOutNotice();
  openSession(page, initialSession);
  initialSession = undefined;
}

document.addEventListener('DOMContentLoaded', startPage);

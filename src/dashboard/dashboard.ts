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

// Before anything else, and before the page is drawn: the key leaves the address bar.
let arrived = takeKeyFromAddress();

const KEY_REFUSED =
  'This key is not valid, or no longer: a newer sign-in replaced it, or it was invalidated. Sign in again, or open the page with the newest key.';
const KEY_MALFORMED = 'The address of this page held no usable key. It may have been cut off when it was copied.';
const SIGNED_OUT = 'Signed out: this page has forgotten the key. The key itself stays valid for your assistants.';
const SIGNED_OUT_MARK = 'signed-out';
const INVALIDATED = 'The key is invalid from now on. Sign in again for a new one.';

interface Page {
  /** The calls of the session on view, if any; what an earlier session still answers concerns nobody. */
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

/** True where nothing is left to say: the session is over, or this failure has just ended it. */
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

async function invalidateKey(page: Page): Promise<void> {
  const api = page.current;
  const text = 'Every assistant and terminal that uses it stops working at once. To get a new key, sign in again.';
  if (!api || !(await confirmWith({ title: 'Invalidate this key?', text, yes: 'Invalidate' }))) return;
  try {
    await api.invalidateKey();
    if (api === page.current) leave(page, INVALIDATED);
  } catch (error) {
    if (!handleSessionError(page, error, api)) notify(describeError(error), 'error');
  }
}

function follow(page: Page, found: Session | 'malformed' | undefined): void {
  if (found === 'malformed') leave(page, KEY_MALFORMED, 'error');
  else if (found) enter(page, found);
}

/** Loads the page anew, so that the key is not even in the browser's own record of how this document was opened. */
function signOut(page: Page): void {
  leave(page, SIGNED_OUT);
  location.replace(`${location.pathname}?${SIGNED_OUT_MARK}`);
}

function showSignedOutNotice(): void {
  if (location.search !== `?${SIGNED_OUT_MARK}`) return;
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
  byId('key-invalidate').addEventListener('click', () => void invalidateKey(page));
  addEventListener('hashchange', () => follow(page, takeKeyFromAddress()));
  showScreen('signed-out');
  showSignedOutNotice();
  follow(page, arrived);
  arrived = undefined;
}

document.addEventListener('DOMContentLoaded', startPage);

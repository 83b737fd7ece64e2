import { useEffect, useErrorBoundary } from 'preact/hooks';
import { UnreachableError } from '../../client/client.ts';
import type { ViewName } from '../../contract/view-names.ts';
import { daemonState, lookAtDaemon, recoveries, watchDaemon } from '../daemon-state.ts';
import { formatCount } from '../format.ts';
import { announceAll, followChanges } from '../live.ts';
import { Confirmation } from '../parts/confirmation.tsx';
import { Empty } from '../parts/empty.tsx';
import { Failure } from '../parts/failure.tsx';
import { Loading } from '../parts/loading.tsx';
import { SpaceCopyDialog } from '../parts/space-copy.tsx';
import { Toasts } from '../parts/toasts.tsx';
import { isTyping, leaveKeysToInputMethods } from '../parts/typing.ts';
import { describeState } from '../readiness.ts';
import { useResource } from '../resource.ts';
import { currentView, hrefOf, navigate } from '../router.ts';
import { lookAtMembership, type Session } from '../session.ts';
import { currentSpace, invitations } from '../space.ts';
import { Icon } from './icon.tsx';
import { isPaletteOpen, Palette } from './palette.tsx';
import { isOffered, Rail } from './rail.tsx';
import { TopBar } from './top-bar.tsx';
import { VIEWS } from './views.ts';

/** The signed-in app: navigation, top bar and the current view. Without an account there is only the operator's view. */
export function Shell({ session }: { session: Session | undefined }) {
  useEffect(watchDaemon, []);
  useEffect(leaveKeysToInputMethods, []);
  useEffect(() => {
    if (recoveries.value > 0) announceAll();
  }, [recoveries.value]);
  useEffect(() => session && followChanges(session.client), [session]);
  useEffect(() => listenToKeys({ hasAccount: session !== undefined }), [session]);
  useEffect(() => (session ? lookWhenShown() : undefined), [session]);
  const space = currentSpace.value;
  const view = session ? currentView.value : 'operator';
  const title = view ? VIEWS[view].title : 'Not found';
  useEffect(() => {
    document.title = `${[title, space?.name].filter(Boolean).join(' · ')} – svc`;
  }, [title, space?.name]);
  return (
    <div class={`shell${space ? ' is-space' : ''}`}>
      <a
        class="skip"
        href="#main"
        onClick={(event) => {
          // It leads to no other view.
          event.preventDefault();
          document.getElementById('main')?.focus();
        }}
      >
        Skip to content
      </a>
      <Rail hasAccount={session !== undefined} />
      <TopBar session={session} title={title} />
      <div class="banners">
        <DaemonBanner />
        {session && view !== 'spaces' && <InvitationBanner />}
      </div>
      <main id="main" class="main" tabIndex={-1}>
        <Outlet view={view} />
      </main>
      {isPaletteOpen.value && <Palette />}
      <Confirmation />
      <SpaceCopyDialog />
      <Toasts />
    </div>
  );
}

/** Looks for invitations, and for roles that have changed, whenever the page is shown again. Returns a function that stops it. */
function lookWhenShown(): () => void {
  const onShown = () => document.visibilityState === 'visible' && void lookAtMembership();
  document.addEventListener('visibilitychange', onShown);
  return () => document.removeEventListener('visibilitychange', onShown);
}

/** `Ctrl-K` opens the palette, `/` focuses the search of the view, and `g` with a letter shows a view. Without an account there is one view. */
function listenToKeys({ hasAccount }: { hasAccount: boolean }): () => void {
  let afterG = 0;
  const onKey = (event: KeyboardEvent) => {
    if (hasAccount && (event.metaKey || event.ctrlKey) && event.key.toLowerCase() === 'k') {
      event.preventDefault();
      isPaletteOpen.value = !isPaletteOpen.peek();
      return;
    }
    if (event.metaKey || event.ctrlKey || event.altKey || isTyping(event.target)) return;
    if (event.key === '/') {
      const search = document.querySelector<HTMLInputElement>('main input[type=search]');
      if (search) {
        event.preventDefault();
        search.focus();
        search.select();
      }
    } else if (event.key === 'g' && hasAccount) afterG = event.timeStamp;
    else if (afterG > 0 && event.timeStamp - afterG < 1500) {
      afterG = 0;
      const found = Object.entries(VIEWS).find(([, { letter }]) => letter === event.key);
      if (found) navigate(found[0] as keyof typeof VIEWS);
    }
  };
  addEventListener('keydown', onKey);
  return () => removeEventListener('keydown', onKey);
}

/** A banner on every view if the daemon cannot store, does not respond, or needs attention. */
function DaemonBanner() {
  const { kind } = daemonState.value;
  const said = describeState(daemonState.value);
  return (
    <div class="daemon-banner" role="status">
      {said && (
        <p class={kind === 'warned' ? 'caution' : 'notice is-error'}>
          <Icon name="warning" />
          <span>
            <strong>{said.title}</strong> {said.text}
          </span>
        </p>
      )}
    </div>
  );
}

/** Says on every view that somebody invites the account to a space. */
function InvitationBanner() {
  const [first, ...others] = invitations.value;
  if (!first) return null;
  return (
    <p class="notice invitation-banner" role="status">
      <Icon name="spaces" />
      <span>
        {others.length === 0
          ? `${first.invitedBy} invites you to the space “${first.name}”.`
          : `You have ${formatCount(others.length + 1, 'invitation', 'invitations')} to spaces.`}{' '}
        <a href={hrefOf('spaces')}>Join or decline</a>
      </span>
    </p>
  );
}

/** Loads and shows a view. */
function Outlet({ view }: { view: ViewName | undefined }) {
  if (view === undefined) {
    return (
      <div class="empty">
        <h2>There is nothing at this address</h2>
        <p>
          <a href={hrefOf('home')}>Go to Home</a>
        </p>
      </div>
    );
  }
  if (!isOffered(view)) {
    return (
      <Empty icon={VIEWS[view].icon} title={`${VIEWS[view].title} is about your own account`}>
        <p>A space has neither keys nor connections: people act in it through their accounts.</p>
        <a class="button" href={hrefOf(view, { space: undefined })}>
          Open it in your memory
        </a>
      </Empty>
    );
  }
  return <LoadedView key={view} view={view} />;
}

/** The daemon serves the modules of the views, too. */
function notLoaded(cause: unknown): never {
  void lookAtDaemon();
  throw new UnreachableError('The view could not be loaded.', { cause });
}

function LoadedView({ view }: { view: ViewName }) {
  const [crash, recover] = useErrorBoundary();
  const { state, reload } = useResource(view, () => VIEWS[view].load().catch(notLoaded));
  const { value, error } = state.value;
  if (crash) return <Failure error={crash} onRetry={recover} />;
  if (error) return <Failure error={error} onRetry={reload} />;
  if (!value) return <Loading label={`Loading ${VIEWS[view].title}`} />;
  return <value.View />;
}

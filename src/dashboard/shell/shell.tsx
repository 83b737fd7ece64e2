import { useEffect } from 'preact/hooks';
import { recoveries, watchDaemon } from '../daemon-state.ts';
import { announceAll, followChanges } from '../live.ts';
import { Confirmation } from '../parts/confirmation.tsx';
import { SpaceCopyDialog } from '../parts/space-copy.tsx';
import { Toasts } from '../parts/toasts.tsx';
import { isTyping, leaveKeysToInputMethods } from '../parts/typing.ts';
import { currentView, navigate } from '../router.ts';
import { lookAtMembership, type Session } from '../session.ts';
import { currentSpace } from '../space.ts';
import { DaemonBanner } from './daemon-banner.tsx';
import { InvitationBanner } from './invitation-banner.tsx';
import { Outlet } from './outlet.tsx';
import { isPaletteOpen, Palette } from './palette.tsx';
import { Rail } from './rail.tsx';
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
      <a class="skip" href="#main">
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

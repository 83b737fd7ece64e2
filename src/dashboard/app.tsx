import { render } from 'preact';
import { followLinks, spaceOfPage } from './router.ts';
import { openSession, sessionState } from './session.ts';
import { ConfirmAccount } from './shell/confirm-account.tsx';
import { Outside } from './shell/outside.tsx';
import { RateLimitNotice } from './shell/rate-limit-notice.tsx';
import { Shell } from './shell/shell.tsx';
import { SignIn } from './shell/sign-in.tsx';
import { applyPreferences } from './theme.ts';

function App() {
  return (
    <>
      <RateLimitNotice />
      <Screen />
    </>
  );
}

function Screen() {
  const state = sessionState.value;
  if (state.kind === 'opening')
    return (
      <p class="unseen" role="status">
        Opening…
      </p>
    );
  if (state.kind === 'signedOut') return <SignIn message={state.message} tone={state.tone} />;
  if (state.kind === 'asking') return <ConfirmAccount email={state.email} link={state.link} />;
  if (state.kind === 'outside') return <Outside {...state} />;
  if (state.kind === 'operator') return <Shell key="operator" session={undefined} />;
  return <Shell key={state.session.email} session={state.session} />;
}

applyPreferences();
// Spaces have another accent.
document.documentElement.toggleAttribute('data-space', spaceOfPage !== undefined);
followLinks();
// A link of `svc open` or a sign-in may reach a tab that shows the app already.
addEventListener('hashchange', () => location.reload());
render(<App />, document.getElementById('app')!);
void openSession(globalThis.takeCredential());

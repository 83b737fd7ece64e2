import { useSignal } from '@preact/signals';
import { type AccountLink, openLink, refuseLink } from '../session.ts';

/**
 * Asks before a link opens an account in a browser that did not begin this sign-in: somebody else's link would otherwise
 * sign a person in to somebody else's account unnoticed.
 */
export function ConfirmAccount({ email, link }: { email: string; link: AccountLink }) {
  const isBusy = useSignal(false);
  const open = async () => {
    isBusy.value = true;
    await openLink(link);
  };
  return (
    <div class="sign-in-screen">
      <main class="sign-in" id="main" tabIndex={-1}>
        <p class="brand brand-large">
          <img src="/dashboard/favicon.svg" alt="" width="40" height="40" />
          <span>svc</span>
        </p>
        <h1>Open this account?</h1>
        <div class="card form">
          <p>
            This link opens the account of <strong class="person">{email}</strong>.
          </p>
          <p class="caution">
            <strong>Continue only if this is your account.</strong> If somebody sent you the link, everything that you
            store here could be read by them: memories, conversations and provider keys.
          </p>
          <div class="buttons">
            <button type="button" class="primary" disabled={isBusy.value} onClick={() => void open()}>
              Open the account
            </button>
            <button type="button" disabled={isBusy.value} onClick={refuseLink}>
              Cancel
            </button>
          </div>
          <p class="hint">Nothing is stored in this browser until you open it.</p>
        </div>
      </main>
    </div>
  );
}

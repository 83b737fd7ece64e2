import { useSignal } from '@preact/signals';
import { Loaded } from '../../parts/loaded.tsx';
import { Moment } from '../../parts/moment.tsx';
import { showToast } from '../../parts/toasts.tsx';
import { useResource } from '../../resource.ts';
import { operatorCalls, sayFailure } from './operator-calls.ts';

/** The addresses that may sign up where sign-ups need an invitation. */
export function InvitationsCard() {
  const invitations = useResource('invitations', (signal) => operatorCalls.invitations(signal));
  const isBusy = useSignal(false);
  const run = async (act: () => PromiseLike<void>, done: string) => {
    isBusy.value = true;
    try {
      await act();
      showToast(done);
    } catch (error) {
      sayFailure(error);
    }
    isBusy.value = false;
    invitations.reload();
  };
  const invite = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    const email = String(new FormData(form).get('email')).trim();
    await run(() => operatorCalls.invite(email), `${email} can now sign up.`);
    form.reset();
  };
  return (
    <section class="card stack" aria-labelledby="invitations-title">
      <h2 id="invitations-title">Invitations</h2>
      <form class="field-row" onSubmit={(event) => void invite(event)}>
        <input
          type="email"
          name="email"
          required
          maxLength={254}
          aria-label="Address to invite"
          placeholder="Address"
        />
        <button type="submit" disabled={isBusy.value}>
          Invite
        </button>
      </form>
      <p class="hint">Needed only with SVC_SIGNUP=invite. No mail is sent: tell the person to sign in.</p>
      <Loaded resource={invitations} rows={2}>
        {({ data }) =>
          data.length === 0 ? (
            <p class="hint">No open invitations.</p>
          ) : (
            <ul class="operator-list" aria-label="Open invitations">
              {data.map(({ email, createdAt }) => (
                <li key={email}>
                  <span class="row-text">{email}</span>
                  <span class="row-meta">
                    <Moment at={createdAt} isBrief />
                  </span>
                  <button
                    type="button"
                    class="small"
                    aria-label={`Withdraw the invitation of ${email}`}
                    disabled={isBusy.value}
                    onClick={() => void run(() => operatorCalls.withdraw(email), `${email} can no longer sign up.`)}
                  >
                    Withdraw
                  </button>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </section>
  );
}

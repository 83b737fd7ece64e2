import { useSignal } from '@preact/signals';
import { createClient } from '../../client/client.ts';
import { parseTimestamp } from '../../lib/clock.ts';
import { isApiKey } from '../credential-in.ts';
import { describeError } from '../errors.ts';
import { formatClockTime } from '../format.ts';
import { patient } from '../rate-limit.ts';
import { parameters } from '../router.ts';
import { openWithKey } from '../session.ts';
import { pageFetch } from '../upload-fetch.ts';

/** The screen of a visitor without a session: request a link, or open the app with an existing key. */
export function SignIn({
  message,
  tone = 'info',
}: {
  message?: string | undefined;
  tone?: 'info' | 'error' | undefined;
}) {
  return (
    <div class="sign-in-screen">
      <main class="sign-in" id="main" tabIndex={-1}>
        <p class="brand brand-large">
          <img src="/dashboard/favicon.svg" alt="" width="40" height="40" />
          <span>svc</span>
        </p>
        <h1>See what your assistants remember</h1>
        {message && (
          <p class={`notice is-${tone}`} role="status">
            {message}
          </p>
        )}
        {parameters.value.get('device') && (
          <p class="notice is-info">
            A terminal asks to connect to an account. If you just ran <code>svc login --device</code>, open the link
            that svc mailed to you and type the code that the terminal shows: your API key stays. Or run{' '}
            <code>svc open</code> where you are signed in, and open this page again. Otherwise close this page.
          </p>
        )}
        <LinkForm />
        <KeyForm />
        <p class="hint">
          On the machine where you signed in, <code>svc open</code> opens this page without a new key.
        </p>
      </main>
    </div>
  );
}

function LinkForm() {
  const answer = useSignal<{ text: string; failed: boolean } | undefined>(undefined);
  const isBusy = useSignal(false);
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const email = String(new FormData(event.currentTarget as HTMLFormElement).get('email')).trim();
    isBusy.value = true;
    answer.value = undefined;
    try {
      const { expiresAt } = await createClient({
        baseUrl: location.origin,
        fetch: patient(pageFetch),
      }).auth.requestLink({ email });
      const until = parseTimestamp(expiresAt);
      const when = until === undefined ? '' : ` It works once, until ${formatClockTime(until)}.`;
      answer.value = {
        text: `If this address may sign in, a link is on its way to ${email}.${when} Open it in this browser.`,
        failed: false,
      };
    } catch (error) {
      answer.value = { text: describeError(error), failed: true };
    } finally {
      isBusy.value = false;
    }
  };
  return (
    <form class="card form" onSubmit={(event) => void submit(event)}>
      <label for="link-email">Email address</label>
      <div class="field-row">
        <input
          id="link-email"
          name="email"
          type="email"
          autocomplete="email"
          required
          maxLength={320}
          placeholder="you@example.com"
          aria-describedby="link-warning"
        />
        <button type="submit" class="primary" disabled={isBusy.value}>
          Email me a link
        </button>
      </div>
      <div role="status">
        {answer.value && <p class={answer.value.failed ? 'error' : 'success'}>{answer.value.text}</p>}
      </div>
      <p class="caution" id="link-warning">
        <strong>Signing in creates a new API key.</strong> If you already have one, it stops working immediately, and
        assistants that use it disconnect until you give them the new one.
      </p>
    </form>
  );
}

function KeyForm() {
  const error = useSignal('');
  const isBusy = useSignal(false);
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    const key = String(new FormData(form).get('key')).trim();
    error.value = isApiKey(key) ? '' : 'An API key is svc_live_ followed by 32 characters (0–9, a–f).';
    if (error.value) return;
    form.reset();
    isBusy.value = true;
    await openWithKey(key);
    isBusy.value = false;
  };
  return (
    <form class="card form" onSubmit={(event) => void submit(event)}>
      <label for="key-field">Already have an API key?</label>
      <div class="field-row">
        <input
          id="key-field"
          name="key"
          type="password"
          autocomplete="off"
          autocapitalize="none"
          spellcheck={false}
          required
          placeholder="svc_live_…"
          aria-describedby="key-hint key-error"
          aria-invalid={error.value !== ''}
        />
        <button type="submit" disabled={isBusy.value}>
          Open
        </button>
      </div>
      <p class="error" id="key-error" role="alert" hidden={error.value === ''}>
        {error.value}
      </p>
      <p class="hint" id="key-hint">
        Your key stays valid and your assistants stay connected. The key itself is not stored in the browser.
      </p>
    </form>
  );
}

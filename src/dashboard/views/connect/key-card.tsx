import { useSignal } from '@preact/signals';
import type { Account } from '../../../client/client.ts';
import { describeError } from '../../errors.ts';
import { confirm } from '../../parts/confirmation.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Moment } from '../../parts/moment.tsx';
import { showToast } from '../../parts/toasts.tsx';
import type { Resource } from '../../resource.ts';
import { currentSession, endSessionOn } from '../../session.ts';
import { maskKey } from './setup.ts';
import { keyToShow, RevealButton } from './shown-key.tsx';

/** The key that a sign-in just issued, which the daemon cannot show again. */
export function FreshKey({ apiKey }: { apiKey: string }) {
  return (
    <section class="notice fresh-key" aria-labelledby="fresh-key-title">
      <div>
        <h2 id="fresh-key-title">Copy this key now</h2>
        <p>svc stores only its hash and cannot show it again. The snippets below contain it.</p>
      </div>
      <code class="fresh-key-text">{keyToShow()}</code>
      <div class="buttons">
        <RevealButton />
        <CopyButton text={() => apiKey} label="Copy key" class="small primary" />
      </div>
    </section>
  );
}

/** The account's API key: its age and last use, and how to replace or revoke it. */
export function KeyCard({ account }: { account: Resource<Account> }) {
  return (
    <section class="card" aria-labelledby="key-title">
      <h2 id="key-title">API key</h2>
      <Loaded resource={account} rows={3}>
        {({ email, key }) => (
          <div class="stack">
            {key ? (
              <dl class="facts">
                <dt>Key</dt>
                <dd>
                  <code>{maskKey(key.last4)}</code>
                </dd>
                <dt>Created</dt>
                <dd>
                  <Moment at={key.createdAt} />
                </dd>
                <dt>Last used</dt>
                <dd>{key.lastUsedAt ? <Moment at={key.lastUsedAt} /> : 'never'}</dd>
              </dl>
            ) : (
              <p>The account has no API key: it was revoked. Assistants and the command line cannot connect.</p>
            )}
            <KeyActions email={email} hasKey={Boolean(key)} onChange={account.reload} />
          </div>
        )}
      </Loaded>
    </section>
  );
}

function KeyActions({ email, hasKey, onChange }: { email: string; hasKey: boolean; onChange: () => void }) {
  const status = useSignal<string | undefined>(undefined);
  const { client } = currentSession();
  const replace = async () => {
    const effect = hasKey
      ? ' and the current one stops working: assistants that use it disconnect until you give them the new one.'
      : '.';
    const text = `svc mails a sign-in link to ${email}. Opening it issues a new key${effect}`;
    const title = hasKey ? 'Replace the API key?' : 'Get an API key?';
    if (!(await confirm({ title, text, yes: 'Email me a link' }))) return;
    await attempt(async () => {
      await client.auth.requestLink({ email });
      status.value = `A link is on its way to ${email}.${hasKey ? ' The current key works until you open it.' : ''}`;
    });
  };
  const revoke = async () => {
    const text =
      'It stops working immediately, and every assistant that uses it disconnects. Nothing stored is lost. To get a new key, sign in by email.';
    if (!(await confirm({ title: 'Revoke the API key?', text, yes: 'Revoke' }))) return;
    await attempt(async () => {
      await client.auth.revokeKey();
      showToast('Revoked the API key.');
      onChange();
    });
  };
  return (
    <>
      <div class="buttons">
        <button type="button" class="small" onClick={() => void replace()}>
          {hasKey ? 'Replace key…' : 'Get a key…'}
        </button>
        {hasKey && (
          <button type="button" class="small danger" onClick={() => void revoke()}>
            Revoke…
          </button>
        )}
      </div>
      <p class="hint" role="status">
        {status.value ?? 'Every completed sign-in by email, here or with “svc login”, replaces it too.'}
      </p>
    </>
  );
}

async function attempt(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    endSessionOn(error);
    showToast(describeError(error), 'error');
  }
}

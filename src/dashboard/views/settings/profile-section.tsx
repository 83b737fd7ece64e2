import { useEffect } from 'preact/hooks';
import { formatNumber } from '../../format.ts';
import { onChanges } from '../../live.ts';
import { CopyButton } from '../../parts/copy-button.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Meter } from '../../parts/meter.tsx';
import { useResource } from '../../resource.ts';
import { chosenUser } from '../../router.ts';
import { currentSession } from '../../session.ts';
import { hasSeveralUsers } from '../../users.ts';

/** The digest of a user, as assistants read it. */
export function ProfileSection() {
  const { client } = currentSession();
  const user = chosenUser.value;
  const profile = useResource(user ?? '', (signal) =>
    client.users.profile(user === undefined ? {} : { user }, { signal }),
  );
  useEffect(() => onChanges(['memory', 'conversation', 'episode'], profile.reload), []);
  return (
    <section class="card stack" aria-labelledby="profile-title">
      <h2 id="profile-title">Profile</h2>
      <p class="hint">
        What assistants read as <code>memory://profile</code> when they ask what is remembered. svc makes it without a
        model. Pin a memory to keep it at the top.
        {user === undefined &&
          hasSeveralUsers.value &&
          ' It describes one user: choose another than the default in the top bar.'}
      </p>
      <Loaded resource={profile}>
        {({ text, tokens, maxTokens, user: described }) => (
          <>
            <div class="card-head">
              <strong class="content">{described}</strong>
              <CopyButton text={() => text} />
            </div>
            <Meter label="Tokens" used={tokens} limit={maxTokens} format={formatNumber} />
            <pre class="snippet content">{text}</pre>
          </>
        )}
      </Loaded>
    </section>
  );
}

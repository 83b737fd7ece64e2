import { useSignal } from '@preact/signals';
import type { User } from '../../../client/client.ts';
import { describeError } from '../../errors.ts';
import { formatCount } from '../../format.ts';
import { announce } from '../../live.ts';
import { confirm } from '../../parts/confirmation.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { showToast } from '../../parts/toasts.tsx';
import { useResource } from '../../resource.ts';
import { chosenUser, hrefOf, navigate } from '../../router.ts';
import { currentSession, endSessionOn, signOut } from '../../session.ts';
import { currentSpace } from '../../space.ts';

/** Erases one end user, or the account; of a space, one end user. */
export function EraseSection() {
  return (
    <>
      <EraseUser />
      {currentSpace.value ? <EraseSpaceHint id={currentSpace.value.id} /> : <EraseAccount />}
    </>
  );
}

function EraseUser() {
  const { client } = currentSession();
  const resource = useResource('users', (signal) =>
    client.users.list({ limit: 200 }, { signal }).then(({ data }) => data),
  );
  return (
    <section class="card stack" aria-labelledby="erase-user-title">
      <h2 id="erase-user-title">Erase one user</h2>
      <p class="hint">
        Removes everything stored and learned about the user: memories with their history, conversations, episodes and
        the ranking. The other users stay.
      </p>
      <Loaded resource={resource} rows={2}>
        {(users) =>
          users.length === 0 ? (
            <p class="hint">Nothing is stored about anyone yet.</p>
          ) : (
            <EraseUserForm users={users} onErased={resource.reload} />
          )
        }
      </Loaded>
    </section>
  );
}

function EraseUserForm({ users, onErased }: { users: readonly User[]; onErased: () => void }) {
  const preset = chosenUser.value !== undefined && users.some(({ user }) => user === chosenUser.value);
  const chosen = useSignal(preset ? chosenUser.value! : users[0]!.user);
  const isBusy = useSignal(false);
  const found = users.find(({ user }) => user === chosen.value) ?? users[0]!;
  const erase = async (event: SubmitEvent) => {
    event.preventDefault();
    const { user } = found;
    const text = `${contentsOf(found)}. This cannot be undone. Export the user first if you may need it.`;
    if (!(await confirm({ title: `Erase ${user}?`, text, yes: 'Erase user', typed: user }))) return;
    isBusy.value = true;
    try {
      await currentSession().client.users.delete(user);
      showToast(`Erased ${user}.`);
      announce('memory');
      announce('conversation');
      if (chosenUser.value === user) navigate('settings', { section: 'erase', user: undefined });
    } catch (error) {
      endSessionOn(error);
      showToast(describeError(error), 'error');
    }
    isBusy.value = false;
    onErased();
  };
  return (
    <form class="stack" onSubmit={(event) => void erase(event)}>
      <div class="field-row">
        <select
          class="user-choice"
          aria-label="User"
          value={found.user}
          onChange={(event) => (chosen.value = event.currentTarget.value)}
        >
          {users.map(({ user }) => (
            <option key={user}>{user}</option>
          ))}
        </select>
        <a class="button" href={hrefOf('settings', { section: 'export', user: found.user })}>
          Export first
        </a>
        <button type="submit" class="danger" disabled={isBusy.value}>
          {isBusy.value ? 'Erasing…' : 'Erase user…'}
        </button>
      </div>
      <p class="hint">{contentsOf(found)}</p>
    </form>
  );
}

function contentsOf({ memories, conversations, messages, episodes }: User): string {
  return [
    formatCount(memories, 'memory', 'memories'),
    `${formatCount(conversations, 'conversation', 'conversations')} with ${formatCount(messages, 'message', 'messages')}`,
    formatCount(episodes, 'episode', 'episodes'),
  ].join(', ');
}

/** Members leave a space, and owners erase it, on its own page. */
function EraseSpaceHint({ id }: { id: string }) {
  return (
    <p class="hint">
      To leave the space, or to erase all of it, go to <a href={hrefOf('spaces', { id })}>its page</a>.
    </p>
  );
}

function EraseAccount() {
  const { client, email } = currentSession();
  const isBusy = useSignal(false);
  const erase = async () => {
    const text =
      'Everything the account stores is erased, for all users, and its key stops working. This cannot be undone. Export the account first if you may need it.';
    if (!(await confirm({ title: 'Erase the account?', text, yes: 'Erase account', typed: email }))) return;
    isBusy.value = true;
    try {
      await client.account.delete();
      await signOut();
    } catch (error) {
      endSessionOn(error);
      showToast(describeError(error), 'error');
      isBusy.value = false;
    }
  };
  return (
    <section class="card stack" aria-labelledby="erase-account-title">
      <h2 id="erase-account-title">Erase the account</h2>
      <p class="hint">
        Erases everything of {email}, keys and settings included. Signing in later starts an empty account.
      </p>
      <div class="buttons">
        <a class="button" href={hrefOf('settings', { section: 'export', user: undefined })}>
          Export first
        </a>
        <button type="button" class="danger" disabled={isBusy.value} onClick={() => void erase()}>
          {isBusy.value ? 'Erasing…' : 'Erase account…'}
        </button>
      </div>
    </section>
  );
}

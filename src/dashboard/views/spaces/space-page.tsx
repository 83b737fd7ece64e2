import { useSignal } from '@preact/signals';
import type { Space } from '../../../client/client.ts';
import { formatSize } from '../../../contract/byte-size.ts';
import { useAttempts } from '../../parts/attempts.tsx';
import { confirm } from '../../parts/confirmation.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Loading } from '../../parts/loading.tsx';
import { Moment } from '../../parts/moment.tsx';
import { usePageList } from '../../parts/page-list.ts';
import { showToast } from '../../parts/toasts.tsx';
import { useResource } from '../../resource.ts';
import { hrefOf, navigate, spaceOfPage } from '../../router.ts';
import { currentSession, lookAtMembership, reloadSpaces } from '../../session.ts';
import { Icon } from '../../shell/icon.tsx';
import { MembersCard } from './members-card.tsx';
import { OpenSpace } from './space-list.tsx';
import { describeEntry, ROLE_WORDS } from './space-words.ts';

const ROWS = 20;

/** Who invited, joined, changed roles, left, copied, exported and imported, the latest first. Loads again after `changes`. */
function SpaceLog({ id, changes }: { id: string; changes: number }) {
  const { account } = currentSession();
  const list = usePageList(`log ${id} ${changes}`, (cursor, signal) =>
    account.spaces.log(id, { limit: ROWS, ...(cursor !== undefined && { cursor }) }, { signal }),
  );
  const { rows, total, error, isLoading } = list;
  return (
    <section class="card stack" aria-labelledby="space-log-title">
      <h2 id="space-log-title">Log</h2>
      <p class="hint">What members did to the space, for 400 days. Only owners see it.</p>
      {error !== undefined && <Failure error={error} onRetry={list.retry} />}
      {rows.length === 0 && isLoading && <Loading label="Loading the log" rows={3} />}
      <ol class="space-log" aria-label="Log">
        {rows.map((entry) => (
          <li key={entry.id}>
            <span class="content">
              <strong>{entry.actor}</strong> {describeEntry(entry)}
            </span>{' '}
            <span class="hint">
              <Moment isBrief at={entry.at} />
            </span>
          </li>
        ))}
      </ol>
      {total !== undefined && rows.length < total && (
        <div class="buttons">
          <button type="button" class="small" disabled={isLoading} onClick={list.loadMore}>
            Show more
          </button>
        </div>
      )}
    </section>
  );
}

/** A space with its members and, for owners, what happened in it and how to end it. */
export function SpacePage({ space }: { space: Space }) {
  const { id, name, role, tier, storedBytes, createdAt } = space;
  const { account, email } = currentSession();
  const isOwner = role === 'owner';
  const members = useResource(`members ${id}`, (signal) =>
    account.spaces.members.list(id, { signal }).then(({ data }) => data),
  );
  const changes = useSignal(0);
  const { attempt, statusLine, focus } = useAttempts(() => {
    members.reload();
    changes.value += 1;
    void lookAtMembership();
  });
  const isRenaming = useSignal(false);
  const rename = async (event: SubmitEvent) => {
    event.preventDefault();
    const given = String(new FormData(event.currentTarget as HTMLFormElement).get('name')).trim();
    const isDone = await attempt(async () => {
      await account.spaces.update(id, { name: given });
      return `Renamed to “${given}”.`;
    });
    if (isDone) isRenaming.value = false;
  };
  /** Ends the space for the account: the page of it is then of no use. */
  const end = async (work: () => PromiseLike<void>, done: string) => {
    const isDone = await attempt(async () => {
      await work();
      return done;
    });
    if (!isDone) return focus();
    await reloadSpaces();
    showToast(done);
    if (spaceOfPage !== id) navigate('spaces');
  };
  const leave = async () => {
    const text = 'You can come back only if an owner invites you again. What you wrote stays in the space.';
    if (!(await confirm({ title: `Leave “${name}”?`, text, yes: 'Leave' }))) return;
    await end(() => account.spaces.leave(id), `You left “${name}”.`);
  };
  const erase = async () => {
    const text =
      'Everything in the space is erased, for all members: memories, conversations, keys and settings. This cannot be undone.';
    if (!(await confirm({ title: `Erase “${name}”?`, text, yes: 'Erase space', typed: name }))) return;
    await end(() => account.spaces.delete(id), `Erased “${name}”.`);
  };
  return (
    <div class="stack spaces">
      <p>
        <a href={hrefOf('spaces')} class="bar">
          <Icon name="left" size={16} /> All spaces
        </a>
      </p>
      <section class="card stack" aria-labelledby="space-title">
        <div class="card-head">
          <h2 id="space-title">
            {name} <span class="chip">{role}</span>
          </h2>
          <div class="buttons">
            {id === spaceOfPage ? <span class="chip is-accent">shown now</span> : <OpenSpace space={space} />}
            {isOwner && !isRenaming.value && (
              <button type="button" onClick={() => (isRenaming.value = true)}>
                Rename
              </button>
            )}
            <button type="button" onClick={() => void leave()}>
              Leave
            </button>
          </div>
        </div>
        {isRenaming.value && (
          <form class="field-row" onSubmit={(event) => void rename(event)}>
            <input
              name="name"
              aria-label="Name of the space"
              required
              maxLength={64}
              autocomplete="off"
              defaultValue={name}
              ref={(field) => field?.focus()}
            />
            <button type="submit" class="primary">
              Rename
            </button>
            <button type="button" onClick={() => (isRenaming.value = false)}>
              Cancel
            </button>
          </form>
        )}
        {statusLine}
        <p>
          As {role} you may {ROLE_WORDS[role]}. All members see everything in it, with the address of who wrote it.
        </p>
        <p class="hint">
          {tier} · {formatSize(storedBytes ?? 0)} stored · created <Moment at={createdAt} />
        </p>
      </section>
      <MembersCard space={space} members={members} ownEmail={email} attempt={attempt} focus={focus} />
      <Assistants id={id} />
      {isOwner && <SpaceLog id={id} changes={changes.value} />}
      {isOwner && (
        <section class="card stack" aria-labelledby="erase-space-title">
          <h2 id="erase-space-title">Erase the space</h2>
          <p class="hint">Erases everything in “{name}” for all members. Their own accounts stay.</p>
          <div class="buttons">
            <a
              class="button"
              href={hrefOf('settings', { space: id, section: 'export', user: undefined, id: undefined })}
            >
              Export first
            </a>
            <button type="button" class="danger" onClick={() => void erase()}>
              Erase space…
            </button>
          </div>
        </section>
      )}
    </div>
  );
}

/** How an assistant of a member uses the space. */
function Assistants({ id }: { id: string }) {
  const address = `${location.origin}/v1/mcp?space=${id}`;
  return (
    <section class="card stack" aria-labelledby="space-assistants-title">
      <h2 id="space-assistants-title">Use it from an assistant</h2>
      <p class="hint">
        Your assistants write to your own memory until you say otherwise. One that should use this space connects to the
        address below with your key; over REST, send the header <code>X-Svc-Space: {id}</code>.
      </p>
      <p class="bar">
        <code class="content">{address}</code>
        <CopyButton text={() => address} label="Copy address" />
      </p>
    </section>
  );
}

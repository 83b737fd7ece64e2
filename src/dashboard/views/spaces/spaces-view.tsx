import { useSignal } from '@preact/signals';
import type { Space } from '../../../client/client.ts';
import { useAttempts } from '../../parts/attempts.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { useResource } from '../../resource.ts';
import { navigate, parameters } from '../../router.ts';
import { currentSession, reloadSpaces } from '../../session.ts';
import { invitations, joinedSpaces, spaceMakers } from '../../space.ts';
import { SpaceList } from './space-list.tsx';
import { SpacePage } from './space-page.tsx';
import { ROLE_WORDS } from './space-words.ts';

/** The spaces that the account has joined or is invited to, or one of them with its members. */
export function View() {
  const { account } = currentSession();
  const loaded = useResource('spaces', async () => {
    await reloadSpaces();
    return true;
  });
  const { attempt, statusLine, focus } = useAttempts(loaded.reload);
  const id = parameters.value.get('id');
  const chosen = joinedSpaces.value.find((space) => space.id === id);
  if (chosen) return <SpacePage key={chosen.id} space={chosen} />;

  const create = (name: string) =>
    attempt(async () => {
      const space = await account.spaces.create({ name });
      await reloadSpaces();
      navigate('spaces', { id: space.id });
      return `Created “${name}”.`;
    });
  const answer = (work: () => Promise<string>) => void attempt(work).finally(focus);
  return (
    <div class="stack spaces">
      {statusLine}
      <Loaded resource={loaded} label="Loading your spaces">
        {() => (
          <>
            {id !== null && <p class="notice">You are not in the space of this address.</p>}
            <InvitationList
              invitations={invitations.value}
              onJoin={({ id: invited, name, role }) =>
                answer(async () => {
                  await account.spaces.join(invited);
                  return `You are ${role} of “${name}” now.`;
                })
              }
              onDecline={({ id: invited, name }) =>
                answer(async () => {
                  await account.spaces.leave(invited);
                  return `Declined the invitation to “${name}”.`;
                })
              }
            />
            {joinedSpaces.value.length > 0 ? (
              <>
                <SpaceList spaces={joinedSpaces.value} />
                <NewSpaceForm onCreate={create} />
              </>
            ) : (
              <Empty icon="spaces" title="No spaces yet">
                <p>
                  A space is a memory that several people share, for a family, a team or a project, while your own
                  memory stays yours alone. Everybody in a space sees all that is in it and who wrote it; only those who
                  are invited can join.
                </p>
                <NewSpaceForm onCreate={create} />
              </Empty>
            )}
          </>
        )}
      </Loaded>
    </div>
  );
}

/** A field for the name of a new space, or who makes spaces here. */
export function NewSpaceForm({ onCreate }: { onCreate: (name: string) => Promise<boolean> }) {
  const isBusy = useSignal(false);
  if (spaceMakers.value === 'operator') {
    return <p class="hint">Only the operator of this svc makes spaces. Ask them for one, or to be invited.</p>;
  }
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    isBusy.value = true;
    if (await onCreate(String(new FormData(form).get('name')).trim())) form.reset();
    isBusy.value = false;
  };
  return (
    <form class="form new-space" onSubmit={(event) => void submit(event)}>
      <label for="new-space">New space</label>
      <div class="field-row">
        <input id="new-space" name="name" required maxLength={64} autocomplete="off" placeholder="team" />
        <button type="submit" class="primary" disabled={isBusy.value}>
          Create space
        </button>
      </div>
    </form>
  );
}

interface InvitationListProps {
  invitations: readonly Space[];
  onJoin(space: Space): void;
  onDecline(space: Space): void;
}

/** The spaces that the account is invited to. */
export function InvitationList({ invitations, onJoin, onDecline }: InvitationListProps) {
  if (invitations.length === 0) return null;
  return (
    <section class="card stack" aria-labelledby="invitations-title">
      <h2 id="invitations-title">Invitations</h2>
      <ul class="space-rows" aria-label="Invitations">
        {invitations.map((space) => (
          <li key={space.id} class="card-head">
            <div>
              <p>
                <strong>{space.name}</strong> <span class="chip">{space.role}</span>
              </p>
              <p class="hint">
                {space.invitedBy} invites you. You could {ROLE_WORDS[space.role]}; your own memories stay yours alone.
              </p>
            </div>
            <div class="buttons">
              <button type="button" class="primary" aria-label={`Join ${space.name}`} onClick={() => onJoin(space)}>
                Join
              </button>
              <button type="button" aria-label={`Decline ${space.name}`} onClick={() => onDecline(space)}>
                Decline
              </button>
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}

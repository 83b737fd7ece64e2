import { useAttempts } from '../../parts/attempts.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { useResource } from '../../resource.ts';
import { navigate, parameters } from '../../router.ts';
import { currentSession, reloadSpaces } from '../../session.ts';
import { invitations, joinedSpaces } from '../../space.ts';
import { InvitationList } from './invitation-list.tsx';
import { NewSpaceForm } from './new-space-form.tsx';
import { SpaceList } from './space-list.tsx';
import { SpacePage } from './space-page.tsx';

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

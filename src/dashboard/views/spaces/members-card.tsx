import { useSignal } from '@preact/signals';
import type { Space, SpaceMember } from '../../../client/client.ts';
import { ROLES_IN_SPACE, type SpaceRole } from '../../../contract/space-names.ts';
import { confirm } from '../../parts/confirmation.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Moment } from '../../parts/moment.tsx';
import type { Resource } from '../../resource.ts';
import { currentSession } from '../../session.ts';
import { ROLE_WORDS } from './space-words.ts';

interface MembersCardProps {
  space: Space;
  members: Resource<readonly SpaceMember[]>;
  /** The address of the account. */
  ownEmail: string;
  attempt(work: () => Promise<string>): Promise<boolean>;
  /** Moves the focus to what came of the last attempt. */
  focus(): void;
}

/** Who is in a space and who is invited; owners change it here. */
export function MembersCard({ space: { id, name, role }, members, ownEmail, attempt, focus }: MembersCardProps) {
  const calls = currentSession().account.spaces.members;
  const isOwner = role === 'owner';
  const invite = (email: string, as: SpaceRole) =>
    attempt(async () => {
      await calls.invite(id, { email, role: as });
      return `Invited ${email}. Only the account with this address can join, for 7 days.`;
    }).finally(focus);
  const change = (member: SpaceMember, as: SpaceRole) =>
    attempt(async () => {
      await calls.update(id, member.id, { role: as });
      return `${member.email} is ${as} now.`;
    });
  const remove = async ({ id: memberId, email, state }: SpaceMember) => {
    const isMember = state === 'joined';
    const text = isMember
      ? 'The access ends with the next request. What this member wrote stays in the space.'
      : 'The link of the invitation stops working.';
    const title = isMember ? `Remove ${email} from “${name}”?` : `Withdraw the invitation of ${email}?`;
    if (!(await confirm({ title, text, yes: isMember ? 'Remove' : 'Withdraw' }))) return;
    await attempt(async () => {
      await calls.remove(id, memberId);
      return isMember ? `Removed ${email}.` : `Withdrew the invitation of ${email}.`;
    });
    focus();
  };
  return (
    <section class="card stack" aria-labelledby="members-title">
      <h2 id="members-title">Members</h2>
      {isOwner && <InviteForm onInvite={invite} />}
      <Loaded resource={members} label="Loading the members" rows={3}>
        {(rows) => (
          <ul class="space-rows" aria-label="Members">
            {rows.map((member) => (
              <li key={member.id} class="card-head">
                <div>
                  <p class="content">
                    <strong>{member.email}</strong> {member.email === ownEmail && <span class="chip">you</span>}
                  </p>
                  <p class="hint">
                    <Standing member={member} />
                  </p>
                </div>
                {isOwner ? (
                  <div class="buttons">
                    <RoleChoice member={member} onChange={(as) => void change(member, as)} />
                    {member.state === 'invited' && (
                      <button
                        type="button"
                        aria-label={`Send again: ${member.email}`}
                        onClick={() => void invite(member.email, member.role)}
                      >
                        Send again
                      </button>
                    )}
                    {member.email !== ownEmail && (
                      <button
                        type="button"
                        class="danger"
                        aria-label={`${member.state === 'joined' ? 'Remove' : 'Withdraw'}: ${member.email}`}
                        onClick={() => void remove(member)}
                      >
                        {member.state === 'joined' ? 'Remove' : 'Withdraw'}
                      </button>
                    )}
                  </div>
                ) : (
                  <span class="chip">{member.role}</span>
                )}
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </section>
  );
}

/** Since when somebody is a member, or until when invited. */
function Standing({ member: { state, joinedAt, invitedBy, expiresAt } }: { member: SpaceMember }) {
  if (state === 'joined') return <>joined {joinedAt !== null && <Moment at={joinedAt} />}</>;
  return (
    <>
      invited by {invitedBy}, ends {expiresAt !== null && <Moment isUpcoming at={expiresAt} />}
    </>
  );
}

function RoleChoice({ member: { email, role }, onChange }: { member: SpaceMember; onChange: (as: SpaceRole) => void }) {
  return (
    <select
      aria-label={`Role of ${email}`}
      value={role}
      onChange={({ currentTarget }) => {
        const as = currentTarget.value as SpaceRole;
        // Shows the present role until the daemon has changed it.
        currentTarget.value = role;
        onChange(as);
      }}
    >
      {ROLES_IN_SPACE.map((one) => (
        <option key={one}>{one}</option>
      ))}
    </select>
  );
}

/** Invites an address to a space, with a role. */
function InviteForm({ onInvite }: { onInvite: (email: string, role: SpaceRole) => Promise<boolean> }) {
  const role = useSignal<SpaceRole>('writer');
  const isBusy = useSignal(false);
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    isBusy.value = true;
    if (await onInvite(String(new FormData(form).get('email')).trim(), role.peek())) form.reset();
    isBusy.value = false;
  };
  return (
    <form class="form" autocomplete="off" onSubmit={(event) => void submit(event)}>
      <label for="invite-email">Invite by email address</label>
      <div class="field-row">
        <input
          id="invite-email"
          name="email"
          type="email"
          required
          maxLength={254}
          placeholder="lin@example.com"
          aria-describedby="invite-role-words"
        />
        <select
          aria-label="Role"
          value={role.value}
          onChange={(event) => (role.value = event.currentTarget.value as SpaceRole)}
        >
          {ROLES_IN_SPACE.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
        <button type="submit" class="primary" disabled={isBusy.value}>
          Invite
        </button>
      </div>
      <p class="hint" id="invite-role-words">
        A {role.value} may {ROLE_WORDS[role.value]}.
      </p>
    </form>
  );
}

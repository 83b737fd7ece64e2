import { useSignal } from '@preact/signals';
import { ROLES_IN_SPACE, type SpaceRole } from '../../../contract/space-names.ts';
import { ROLE_WORDS } from './space-words.ts';

/** Invites an address to a space, with a role. */
export function InviteForm({ onInvite }: { onInvite: (email: string, role: SpaceRole) => Promise<boolean> }) {
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

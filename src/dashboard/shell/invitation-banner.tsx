import { formatCount } from '../format.ts';
import { hrefOf } from '../router.ts';
import { invitations } from '../space.ts';
import { Icon } from './icon.tsx';

/** Says on every view that somebody invites the account to a space. */
export function InvitationBanner() {
  const [first, ...others] = invitations.value;
  if (!first) return null;
  return (
    <p class="notice invitation-banner" role="status">
      <Icon name="spaces" />
      <span>
        {others.length === 0
          ? `${first.invitedBy} invites you to the space “${first.name}”.`
          : `You have ${formatCount(others.length + 1, 'invitation', 'invitations')} to spaces.`}{' '}
        <a href={hrefOf('spaces')}>Join or decline</a>
      </span>
    </p>
  );
}

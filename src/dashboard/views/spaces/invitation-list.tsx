import type { Space } from '../../../client/client.ts';
import { ROLE_WORDS } from './space-words.ts';

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

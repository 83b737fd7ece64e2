import type { Space } from '../../client/client.ts';
import { hrefOf } from '../router.ts';

/** The screen of a page of a space that the account is not in. */
export function Outside({ email, was, invitation }: { email: string; was?: Space; invitation?: Space }) {
  return (
    <div class="sign-in-screen">
      <main class="sign-in" id="main" tabIndex={-1}>
        <p class="brand brand-large">
          <img src="/dashboard/favicon.svg" alt="" width="40" height="40" />
          <span>svc</span>
        </p>
        <h1>{titleOf(was, invitation)}</h1>
        <div class="card form" role="status">
          <p>{textOf(was, invitation)}</p>
          <p class="hint">
            Signed in as <span class="person">{email}</span>.
          </p>
          <div class="buttons">
            {invitation && (
              <a class="button primary" href={hrefOf('spaces', { space: undefined })}>
                See the invitation
              </a>
            )}
            <a class={`button${invitation ? '' : ' primary'}`} href={hrefOf('home', { space: undefined })}>
              Open your memory
            </a>
            {!invitation && (
              <a class="button" href={hrefOf('spaces', { space: undefined })}>
                Your spaces
              </a>
            )}
          </div>
        </div>
      </main>
    </div>
  );
}

function titleOf(was: Space | undefined, invitation: Space | undefined): string {
  if (was) return `You are no longer in “${was.name}”`;
  return invitation ? `You are invited to “${invitation.name}”` : 'You are not in this space';
}

function textOf(was: Space | undefined, invitation: Space | undefined): string {
  if (was) return 'You have left the space, an owner has removed you, or it was erased. What you wrote stays in it.';
  if (invitation) return `${invitation.invitedBy} invites you. You see what is in it once you have joined.`;
  return 'The address of this page names a space that does not exist, or that this account has not joined. Ask an owner of it to invite you.';
}

import type { SpaceRole } from '../../contract/spaces.ts';
import { displayable, type Mail, mailOf } from '../mail/mail-layout.ts';

export interface InvitationMailOptions {
  to: string;
  /** The address of who invites. */
  invitedBy: string;
  space: string;
  role: SpaceRole;
  link: string;
  days: number;
}

const MAY: Record<SpaceRole, string> = {
  reader: 'search and read what is in it',
  writer: 'read, add and change what is in it',
  owner: 'read and change what is in it, and manage its members',
};

/** Builds the mail of an invitation. The name of the space, which a stranger may choose, is stripped of what mail clients turn into links. */
export function invitationMail({ to, invitedBy, space, role, link, days }: InvitationMailOptions): Mail {
  const name = displayable(space);
  return mailOf(to, {
    title: 'You are invited to a shared memory',
    opening: `${invitedBy} invites you to the space “${name}” in svc. Open this link to join or decline:`,
    button: 'See the invitation',
    link,
    validity: `Only the account of ${to} can join. The invitation ends in ${days} days.`,
    effect: `You could then ${MAY[role]}. Your own memories stay yours alone.`,
    disclaimer: `If you do not know ${invitedBy}, ignore this email: nothing happens unless you join.`,
  });
}

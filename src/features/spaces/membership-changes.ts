import { AppError } from '../../contract/errors.ts';
import { OWNED_SPACES, type SpaceAction, type SpaceRole } from '../../contract/spaces.ts';
import type { Connection, Reader } from '../../db/connection.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Ids } from '../../lib/ids.ts';
import { countOwned, deleteMember, insertLog, listMembers, type MemberRow, updateMember } from './spaces-store.ts';

/** What memberships and spaces do alike, each in the caller's transaction. */
export interface MembershipChanges {
  log(connection: Connection, tenantId: string, entry: LogEntry): Promise<void>;
  /** Ends a membership or an invitation, what its member has set up, and the open invitations of an owner. */
  end(connection: Connection, row: MemberRow, entry: LogEntry): Promise<void>;
  /** Gives a member another role, on behalf of `actor`. The open invitations of a former owner end. */
  give(connection: Connection, row: MemberRow, role: SpaceRole, actor: string): Promise<MemberRow>;
  /**
   * Returns the others who have joined the space of a member. Throws `conflict` if they, or nobody, would be left without an
   * owner; an account that is `erased` may leave nobody.
   */
  othersBehind(reader: Reader, row: MemberRow, erased?: { name: string }): Promise<MemberRow[]>;
  /** Throws `unprocessable` for an account that owns as many spaces as its tier allows, in a transaction of the daemon. */
  requireMayOwn(connection: Connection, memberId: string): Promise<void>;
}

/** An entry of the log, without where and when. */
interface LogEntry {
  actor: string;
  action: SpaceAction;
  subject?: string | null;
  detail?: string | null;
}

/** A member whose role has ended or was lowered. */
interface Departed {
  tenantId: string;
  author: string;
  /** The role that is left. */
  role: SpaceRole | undefined;
}

interface Parts {
  clock: Clock;
  ids: Ids;
  /** Ends what a member has set up and may not any more, in the caller's transaction. */
  departed(connection: Connection, member: Departed): Promise<void>;
}

/** Creates the changes of memberships. */
export function createMembershipChanges({ clock, ids, departed }: Parts): MembershipChanges {
  async function log(connection: Connection, tenantId: string, entry: LogEntry): Promise<void> {
    const at = clock.nowMs();
    await insertLog(connection, { subject: null, detail: null, ...entry, tenantId, id: ids.next('log'), at });
  }

  /** Ends the open invitations of a member who is no longer an owner. */
  async function withdrawInvitations(connection: Connection, { tenantId, email }: MemberRow, actor: string) {
    for (const { id, email: subject, memberId, invitedBy, role } of await listMembers(connection, tenantId)) {
      if (memberId !== null || invitedBy !== email) continue;
      await deleteMember(connection, tenantId, id);
      await log(connection, tenantId, { actor, action: 'removed', subject, detail: role });
    }
  }

  return {
    log,
    async end(connection, row, entry) {
      const { tenantId, id, email, memberId, role } = row;
      await deleteMember(connection, tenantId, id);
      if (memberId !== null) {
        await departed(connection, { tenantId, author: email, role: undefined });
        if (role === 'owner') await withdrawInvitations(connection, row, entry.actor);
      }
      await log(connection, tenantId, entry);
    },
    async give(connection, row, role, actor) {
      const changed = { ...row, role };
      await updateMember(connection, changed);
      const { tenantId, email, memberId } = row;
      if (memberId !== null) {
        await departed(connection, { tenantId, author: email, role });
        if (role !== 'owner') await withdrawInvitations(connection, row, actor);
      }
      return changed;
    },
    async othersBehind(reader, { tenantId, id, role, memberId }, erased) {
      const others = (await listMembers(reader, tenantId)).filter((row) => row.id !== id && row.memberId !== null);
      const isOwned = role !== 'owner' || memberId === null || others.some((other) => other.role === 'owner');
      if (isOwned || (erased && others.length === 0)) return others;
      if (erased) {
        const space = JSON.stringify(erased.name);
        const advice = 'Make another member owner, or erase the space first.';
        throw new AppError('conflict', `This account is the only owner of the space ${space}. ${advice}`);
      }
      const advice = others.length === 0 ? 'Erase the space instead.' : 'Make another member owner first.';
      throw new AppError('conflict', `A space has at least one owner, and this is the only one. ${advice}`);
    },
    async requireMayOwn(connection, memberId) {
      const account = await countOwned(connection, memberId);
      if (!account) throw new AppError('not_found', 'Tenant not found.');
      const { tier, owned } = account;
      const most = OWNED_SPACES[tier];
      if (owned < most) return;
      const advice = 'Erase one, or make somebody else owner and leave it.';
      throw new AppError('unprocessable', `An account of the tier ${tier} owns at most ${most} spaces. ${advice}`);
    },
  };
}

import type { AddedMemory, Memory, NewMemory } from '../../contract/memories.ts';
import type { SpaceCopies } from '../../contract/spaces.ts';
import type { Claim, Created } from '../idempotency/idempotency.ts';
import type { Principal } from '../keys/keys.ts';
import { requireScope } from '../keys/keys.ts';
import type { Memories } from '../memories/memories.ts';
import type { Memberships } from './memberships.ts';
import type { Spaces } from './spaces.ts';

/**
 * Copies memories of the caller's own account into a space that it may write to. What is in the space already is answered as
 * `duplicate`; ids that do not exist, or whose memory is no longer valid, are left out.
 */
export type CopyIntoSpace = (
  principal: Principal,
  spaceId: string,
  copies: SpaceCopies,
  claim: Claim | undefined,
) => Promise<Created<{ data: AddedMemory[]; notFound: string[] }>>;

interface Parts {
  memories: Pick<Memories, 'bulk' | 'addBatchOnce'>;
  memberships: Pick<Memberships, 'enter' | 'act'>;
  spaces: Pick<Spaces, 'note'>;
}

/** Composes copying: reads as the account, and writes as the member. */
export function createSpaceCopies({ memories, memberships, spaces }: Parts): CopyIntoSpace {
  return async (principal, spaceId, { memoryIds }, claim) => {
    const member = await memberships.enter(principal, spaceId);
    requireScope(member, 'memory');
    const { data, notFound: missing = [] } = await memories.bulk.query(principal, {
      ids: memoryIds,
      limit: memoryIds.length,
    });
    // A copy of one that was superseded or is outdated would hold again.
    const found = data.filter(({ validTo }) => validTo === null);
    const notFound = [...missing, ...data.filter(({ validTo }) => validTo !== null).map(({ id }) => id)];
    if (found.length === 0 && !claim) return { status: 201, body: { data: [], notFound }, replayed: false };
    return memberships.act(member, async () => {
      // The answer is stored in the space, so that it is erased with what it holds.
      const inSpace = claim && { ...claim, tenantId: member.tenantId };
      const { status, body, replayed } = await memories.addBatchOnce(member, found.map(toCopy), inSpace);
      if (!replayed && found.length > 0) await spaces.note(member, 'copied', String(body.data.length));
      return { status, body: { ...body, notFound }, replayed };
    });
  };
}

/** A copy without what points into the account it comes from. */
function toCopy({ id, content, project, tags, metadata, origin, occurredAt, expiresAt }: Memory): NewMemory {
  // `extraction` names conversations and messages of the account.
  const { extraction: _, ...own } = metadata;
  return {
    ...{ content, tags, metadata: { ...own, copiedFrom: id } },
    ...(project !== null && { project }),
    ...(origin !== null && { origin }),
    ...(occurredAt !== null && { occurredAt }),
    ...(expiresAt !== null && { expiresAt }),
  };
}

import type { Remembered, RememberRequest } from '../../contract/remember.ts';
import type { Conversations } from '../conversations/conversations.ts';
import type { Extraction } from '../extraction/extraction.ts';
import type { Claim, Created } from '../idempotency/idempotency.ts';
import type { Principal } from '../keys/keys.ts';

/** Stores what was said, and extracts memories from it where the account has switched that on. */
export interface Remember {
  /** Conversation, messages and job are stored in one transaction. Throws like appending and creating. */
  once(principal: Principal, request: RememberRequest, claim: Claim | undefined): Promise<Created<Remembered>>;
}

export function createRemember({
  conversations,
  extraction,
}: {
  conversations: Conversations;
  extraction: Extraction;
}): Remember {
  return {
    async once(principal, request, claim) {
      const remembered = await conversations.appendTo(
        principal,
        request,
        claim,
        async (connection, conversationId) => ({
          jobId: await extraction.requestOnAppend(connection, principal, conversationId),
        }),
      );
      if (remembered.body.jobId !== null) extraction.wake();
      return remembered;
    },
  };
}

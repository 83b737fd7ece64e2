import { redactContents, withRedacted } from '../text/redacted-contents.ts';
import type { Conversations } from './conversations.ts';

/** Masks credentials in the messages that callers append and change. Imports are stored unchanged. */
export function redactMessages(conversations: Conversations): Conversations {
  return {
    ...conversations,
    async appendOnce(principal, id, messages, claim) {
      const { items, counts } = await redactContents(principal.tenantId, messages);
      const created = await conversations.appendOnce(principal, id, items, claim);
      const data = created.body.data.map((message, index) => withRedacted(message, counts[index]));
      return { ...created, body: { data } };
    },
    async appendTo(principal, request, claim, extend) {
      const { items, counts } = await redactContents(principal.tenantId, request.messages);
      const created = await conversations.appendTo(principal, { ...request, messages: items }, claim, extend);
      const messages = created.body.messages.map((message, index) => withRedacted(message, counts[index]));
      return { ...created, body: { ...created.body, messages } };
    },
    async append(principal, request) {
      const { items, counts } = await redactContents(principal.tenantId, request.messages);
      const appended = await conversations.append(principal, { ...request, messages: items });
      return withRedacted(
        appended,
        counts.reduce((sum, count) => sum + count, 0),
      );
    },
    async changeMessage(principal, id, messageId, change, ifMatch) {
      const { items, counts } = await redactContents(principal.tenantId, [change]);
      const changed = await conversations.changeMessage(principal, id, messageId, items[0]!, ifMatch);
      return withRedacted(changed, counts[0]);
    },
  };
}

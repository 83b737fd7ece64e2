import type { NewMessage } from '../../contract/conversations.ts';
import { type Clock, parseTimestamp } from '../../lib/clock.ts';
import type { Conversations } from '../conversations/conversations.ts';
import { textOf } from '../conversations/message-content.ts';
import { hasScope, type Principal } from '../keys/keys.ts';
import type { Memories } from '../memories/memories.ts';
import { ANSWERED_MS } from './answered-searches.ts';
import type { Learning } from './learning.ts';

interface Parts {
  learning: Pick<Learning, 'noteAnswer'>;
  clock: Clock;
}

/**
 * Wraps conversations so that an appended answer counts as a use of what the same client was given for it. One that was said
 * long ago was given something else.
 */
export function observeAnswers(conversations: Conversations, { learning, clock }: Parts): Conversations {
  const isRecent = ({ createdAt }: NewMessage) =>
    createdAt === undefined || (parseTimestamp(createdAt) ?? 0) >= clock.nowMs() - ANSWERED_MS;
  const note = (principal: Principal, conversationId: string, appended: readonly NewMessage[]) => {
    const messages = appended.filter(isRecent);
    const textBy = (role: NewMessage['role']) =>
      messages.flatMap((message) => (message.role === role ? [writtenTextOf(message)] : [])).join('\n');
    const answer = textBy('assistant');
    if (answer.trim() === '') return;
    const userOf = async () => (await conversations.get(principal, conversationId)).user;
    learning.noteAnswer(principal, { userOf, asked: textBy('user'), answer });
  };
  return {
    ...conversations,
    async appendOnce(principal, id, messages, claim) {
      const created = await conversations.appendOnce(principal, id, messages, claim);
      note(principal, id, messages);
      return created;
    },
    async appendTo(principal, request, claim, extend) {
      const created = await conversations.appendTo(principal, request, claim, extend);
      note(principal, created.body.conversationId, request.messages);
      return created;
    },
    async append(principal, request) {
      const appended = await conversations.append(principal, request);
      note(principal, appended.conversationId, request.messages);
      return appended;
    },
  };
}

/** What was written, without calls of tools. */
function writtenTextOf({ content }: NewMessage): string {
  return typeof content === 'string' ? content : textOf(content.filter(({ type }) => type === 'text'));
}

/**
 * Wraps memories so that reading or changing one counts as a use of a search result. A person who looks through them in the
 * web app is left out: what ranking learns there is said with thumbs. So is a member of a space who may only read it.
 */
export function observeUse(memories: Memories, learning: Pick<Learning, 'noteUse'>): Memories {
  const noteUse = (principal: Principal, memoryId: string) => {
    const mayTeach = principal.space === undefined || hasScope(principal, 'memory');
    if (principal.credential.kind !== 'session' && mayTeach) learning.noteUse(principal, memoryId);
  };
  return {
    ...memories,
    external: {
      ...memories.external,
      async get(principal, key) {
        const memory = await memories.external.get(principal, key);
        noteUse(principal, memory.id);
        return memory;
      },
      async put(principal, externalId, memory, ifMatch) {
        const stored = await memories.external.put(principal, externalId, memory, ifMatch);
        if (!stored.isNew) noteUse(principal, stored.memory.id);
        return stored;
      },
    },
    async get(principal, id) {
      const memory = await memories.get(principal, id);
      noteUse(principal, id);
      return memory;
    },
    async change(principal, id, change, ifMatch) {
      const memory = await memories.change(principal, id, change, ifMatch);
      noteUse(principal, id);
      return memory;
    },
  };
}

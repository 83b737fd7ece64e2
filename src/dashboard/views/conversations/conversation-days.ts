import type { Conversation } from '../../../contract/conversations.ts';
import { parseTimestamp } from '../../../lib/clock.ts';

/** The conversations of one day, in the order given. */
export interface ConversationDay {
  title: string;
  conversations: Conversation[];
}

/** Groups conversations by the day of their start, in the reader's time zone. `formatDay` names a day. */
export function groupByDay(
  conversations: readonly Conversation[],
  formatDay: (epochMs: number) => string,
): ConversationDay[] {
  const days: ConversationDay[] = [];
  for (const conversation of conversations) {
    const title = formatDay(parseTimestamp(conversation.createdAt) ?? 0);
    const last = days.at(-1);
    if (last?.title === title) last.conversations.push(conversation);
    else days.push({ title, conversations: [conversation] });
  }
  return days;
}

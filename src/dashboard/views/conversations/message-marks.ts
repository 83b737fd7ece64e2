import type { Message } from '../../../contract/conversations.ts';
import type { Episode } from '../../../contract/episodes.ts';
import type { Memory } from '../../../contract/memories.ts';

/** A message with the episode it belongs to, whether the episode begins here, and the memories that came from it. */
export interface MarkedMessage {
  message: Message;
  episode: Episode | undefined;
  beginsEpisode: boolean;
  memories: readonly Memory[];
}

/** Joins messages, in the order of the conversation, with its episodes and memories. Episodes are matched by time. */
export function markMessages(
  messages: readonly Message[],
  episodes: readonly Episode[],
  memories: readonly Memory[],
): MarkedMessage[] {
  const ordered = [...episodes].sort((one, other) => (one.startedAt < other.startedAt ? -1 : 1));
  let previous: Episode | undefined;
  return messages.map((message) => {
    const episode = ordered.find((one) => isWithin(message, one));
    const beginsEpisode = episode !== undefined && episode !== previous;
    previous = episode;
    return {
      message,
      episode,
      beginsEpisode,
      memories: memories.filter(({ source }) => source?.messageId === message.id),
    };
  });
}

function isWithin({ id, createdAt }: Message, { fromMessageId, toMessageId, startedAt, endedAt }: Episode): boolean {
  if (id === fromMessageId || id === toMessageId) return true;
  return startedAt <= createdAt && createdAt <= endedAt;
}

/** Memories that name the conversation as their source, but no message of it. */
export function memoriesOfWhole(memories: readonly Memory[]): Memory[] {
  return memories.filter(({ source }) => source?.messageId === undefined);
}

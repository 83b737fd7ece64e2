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

const NONE: readonly Memory[] = [];

/** Joins messages, in the order of the conversation, with its episodes and memories. Episodes are matched by time. */
export function markMessages(
  messages: readonly Message[],
  episodes: readonly Episode[],
  memories: readonly Memory[],
): MarkedMessage[] {
  const ordered = inOrder(episodes);
  const byMessage = new Map<string, Memory[]>();
  for (const memory of memories) {
    const messageId = memory.source?.messageId;
    if (messageId !== undefined) byMessage.set(messageId, [...(byMessage.get(messageId) ?? []), memory]);
  }
  let previous: Episode | undefined;
  return messages.map((message) => {
    const episode = ordered.find((one) => isWithin(message, one));
    const beginsEpisode = episode !== undefined && episode !== previous;
    previous = episode;
    return { message, episode, beginsEpisode, memories: byMessage.get(message.id) ?? NONE };
  });
}

/** Whether two marks show the same. */
export function isSameMark(one: MarkedMessage, other: MarkedMessage): boolean {
  return (
    one.message === other.message &&
    one.episode === other.episode &&
    one.beginsEpisode === other.beginsEpisode &&
    one.memories.length === other.memories.length &&
    one.memories.every((memory, index) => memory === other.memories[index])
  );
}

/** Episodes in the order in which they began. */
export function inOrder(episodes: readonly Episode[]): Episode[] {
  return [...episodes].sort((one, other) => (one.startedAt < other.startedAt ? -1 : 1));
}

function isWithin({ id, createdAt }: Message, { fromMessageId, toMessageId, startedAt, endedAt }: Episode): boolean {
  if (id === fromMessageId || id === toMessageId) return true;
  return startedAt <= createdAt && createdAt <= endedAt;
}

/** Memories that name the conversation as their source, but no message of it. */
export function memoriesOfWhole(memories: readonly Memory[]): Memory[] {
  return memories.filter(({ source }) => source?.messageId === undefined);
}

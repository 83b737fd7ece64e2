import type { Episode } from '../../contract/episodes.ts';
import { parseTimestamp } from '../../lib/clock.ts';
import type { ItemKind } from '../items/item-kind.ts';
import { ownerFacts } from '../items/titled-card.ts';
import { EPISODE } from '../memory/find-id.ts';
import { formatRelativeTime } from '../memory/relative-time.ts';
import { shortId } from '../memory/short-id.ts';

export const EPISODES: ItemKind<Episode> = {
  id: EPISODE,
  list: (client, query) => client.episodes.list(query),
  get: (client, id) => client.episodes.get(id),
  delete: (client, id, options) => client.episodes.delete(id, options),
  facts: episodeFacts,
  cells: ({ startedAt, endedAt, user, project, conversationId }) => [
    startedAt,
    endedAt,
    user,
    project ?? '',
    conversationId ?? '',
  ],
  emptyText: 'No episodes yet. Cut a conversation into episodes: svc episodes cut CONVERSATION',
  forgetText: 'Erases the episode. Its messages and memories stay.',
};

/** When it began, the conversation it was cut from, the user and the project. */
function episodeFacts(episode: Episode, nowMs: number): string[] {
  const { startedAt, conversationId } = episode;
  return [
    formatRelativeTime(parseTimestamp(startedAt) ?? nowMs, nowMs),
    ...(conversationId === null ? [] : [`conversation ${shortId(conversationId)}`]),
    ...ownerFacts(episode),
  ];
}

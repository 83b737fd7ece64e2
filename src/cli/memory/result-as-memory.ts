import type { SearchResult } from '../../contract/search.ts';
import type { ListedMemory } from './memory-facts.ts';

/** Converts any search result to a memory for display: a message with its speaker, an episode with its start time. */
export function resultAsMemory(result: SearchResult): ListedMemory {
  if (result.type === 'memory') return result;
  const { id, user, project, createdAt, restatedBy } = result;
  const message = result.type === 'message';
  return {
    id,
    user,
    project,
    createdAt,
    content: message ? `${result.name ?? result.role}: ${result.content}` : result.content,
    occurredAt: message ? null : result.startedAt,
    tags: [],
    ...(message && { author: result.author }),
    ...(restatedBy !== undefined && { restatedBy }),
  };
}

import type { Memory } from '../../contract/memories.ts';
import type { SearchResult } from '../../contract/search.ts';

/** Converts any search result to a memory for display: a message with its speaker, an episode with its start time. */
export function resultAsMemory(result: SearchResult): Memory {
  if (result.type === 'memory') return result;
  const { id, user, metadata, createdAt } = result;
  const message = result.type === 'message';
  return {
    id,
    user,
    metadata,
    createdAt,
    content: message ? `${result.name ?? result.role}: ${result.content}` : result.content,
    occurredAt: message ? null : result.startedAt,
    tags: [],
    source: null,
    expiresAt: null,
    validFrom: createdAt,
    validTo: null,
    supersededBy: null,
    version: 1,
    updatedAt: createdAt,
  };
}

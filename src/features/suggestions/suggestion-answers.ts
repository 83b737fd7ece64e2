import { AppError } from '../../contract/errors.ts';
import type { Evidence, Suggestion } from '../../contract/suggestions.ts';
import { toTimestamp, toTimestampOrNull } from '../../lib/clock.ts';
import { contentTagOf } from '../../lib/entity-tag.ts';
import type { SuggestionRow } from './suggestions-store.ts';

/** The entity tag of a suggestion. */
export function etagOfSuggestion(suggestion: Suggestion): string {
  return contentTagOf(suggestion);
}

/** Converts a row to the API's value. */
export function toSuggestion(row: SuggestionRow): Suggestion {
  return {
    id: row.id,
    kind: row.kind,
    user: row.endUser,
    project: row.project,
    memoryIds: JSON.parse(row.memoryIds) as string[],
    content: row.content,
    validFrom: toTimestampOrNull(row.validFrom),
    evidence: JSON.parse(row.evidence) as Evidence[],
    reason: row.reason,
    confidence: row.confidence,
    by: row.suggester,
    byName: row.suggesterName,
    state: row.state,
    createdAt: toTimestamp(row.createdAt),
    decidedAt: toTimestampOrNull(row.decidedAt),
    decidedBy: row.decidedBy,
    undoneAt: toTimestampOrNull(row.undoneAt),
  };
}

/** The memories and messages that a suggestion is about. */
export function aboutOf({ memoryIds, evidence }: SuggestionRow): string[] {
  const cited = (JSON.parse(evidence) as { id: string }[]).map(({ id }) => id);
  return [...new Set([...(JSON.parse(memoryIds) as string[]), ...cited])];
}

/** The error for a suggestion that does not exist. */
export function noSuggestion(): AppError {
  return new AppError('not_found', 'There is no suggestion with this id.');
}

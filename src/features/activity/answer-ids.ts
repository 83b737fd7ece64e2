/** The ids of the items that an answer is about. */
export interface AnswerIds {
  /** 20 at most. */
  ids: string[];
  /** How many items it is about. */
  itemCount: number;
  searchId: string | null;
}

const MAX_IDS = 20;
const ID = /^(?:mem|conv|msg|ep|job|pk|whk|whd)_[0-9a-f]{32}$/;
const SEARCH_ID = /^srch_[0-9a-f]{32}$/;

/** The fields of answers that hold ids or items with ids. */
interface Answer {
  id?: unknown;
  searchId?: unknown;
  conversationId?: unknown;
  messageIds?: unknown;
  jobId?: unknown;
  data?: unknown;
  results?: unknown;
  citations?: unknown;
  updated?: unknown;
  deleted?: unknown;
}

/** Returns the ids of svc's own that an answer carries: those of its items, or else its own; and how many there are. */
export function idsOfAnswer(answer: unknown): AnswerIds {
  if (typeof answer !== 'object' || answer === null) return { ids: [], itemCount: 0, searchId: null };
  const { id, searchId, conversationId, messageIds, jobId, data, results, citations, updated, deleted } =
    answer as Answer;
  const items = [data, results, citations].find(Array.isArray) ?? [];
  const own = id === undefined ? [conversationId, jobId, ...(Array.isArray(messageIds) ? messageIds : [])] : [id];
  const found = ownIds(items.length > 0 ? items.map((item) => (item as Answer | null)?.id) : own);
  // Bulk calls count the items without naming them.
  const counted = [updated, deleted].find((count) => typeof count === 'number') ?? 0;
  return { ids: found.slice(0, MAX_IDS), itemCount: found.length || counted, searchId: searchIdOf(searchId) };
}

/** Returns the ids of svc's own in the path of a request. */
export function idsOfPath(parameters: unknown): AnswerIds {
  const { id, messageId, searchId } = (parameters ?? {}) as Answer & { messageId?: unknown };
  const ids = ownIds([messageId ?? id]);
  return { ids, itemCount: ids.length, searchId: searchIdOf(searchId) };
}

function ownIds(values: readonly unknown[]): string[] {
  const ids = values.filter((value): value is string => typeof value === 'string' && ID.test(value));
  return [...new Set(ids)];
}

function searchIdOf(value: unknown): string | null {
  return typeof value === 'string' && SEARCH_ID.test(value) ? value : null;
}

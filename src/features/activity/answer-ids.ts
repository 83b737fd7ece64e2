/** The ids of the items that an answer is about. */
export interface AnswerIds {
  /** 20 at most. */
  ids: string[];
  searchId: string | null;
}

const MAX_IDS = 20;
const ID = /^(?:mem|conv|msg|ep|job|pk)_[0-9a-f]{32}$/;
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
}

/** Returns the ids of svc's own that an answer carries: those of its items, or else its own. */
export function idsOfAnswer(answer: unknown): AnswerIds {
  if (typeof answer !== 'object' || answer === null) return { ids: [], searchId: null };
  const { id, searchId, conversationId, messageIds, jobId, data, results, citations } = answer as Answer;
  const items = [data, results, citations].find(Array.isArray) ?? [];
  const own = id === undefined ? [conversationId, jobId, ...(Array.isArray(messageIds) ? messageIds : [])] : [id];
  const found = items.length > 0 ? items.slice(0, MAX_IDS).map((item) => (item as Answer | null)?.id) : own;
  return { ids: ownIds(found), searchId: searchIdOf(searchId) };
}

/** Returns the ids of svc's own in the path of a request. */
export function idsOfPath(parameters: unknown): AnswerIds {
  const { id, messageId, searchId } = (parameters ?? {}) as Answer & { messageId?: unknown };
  return { ids: ownIds([messageId ?? id]), searchId: searchIdOf(searchId) };
}

function ownIds(values: readonly unknown[]): string[] {
  const ids = values.filter((value): value is string => typeof value === 'string' && ID.test(value));
  return [...new Set(ids)].slice(0, MAX_IDS);
}

function searchIdOf(value: unknown): string | null {
  return typeof value === 'string' && SEARCH_ID.test(value) ? value : null;
}

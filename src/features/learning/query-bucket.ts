/** Kinds of questions that are learned apart, the first that fits. Their order is part of the kept state. */
export const QUERY_BUCKETS = ['id', 'date', 'recency', 'unknown', 'speaker', 'count', 'short', 'other'] as const;
export type QueryBucket = (typeof QUERY_BUCKETS)[number];

/** What of a query tells its kind. */
export interface QueryTraits {
  /** Distinct words without stop words. */
  terms: number;
  /** Holds something like an id, a number of many digits, a file's name. */
  isIdLike: boolean;
  hasDate: boolean;
  /** Says "latest", "now" and the like. */
  hasRecencyCue: boolean;
  /** The share (0 to 1) of its words that the tenant's vocabulary lacks. */
  unknownShare: number;
  namesSpeaker: boolean;
  asksWhenOrCount: boolean;
}

const UNKNOWN_SHARE = 0.3;
const SHORT_TERMS = 2;

/** The first kind that fits. */
export function bucketOf(traits: QueryTraits): QueryBucket {
  if (traits.isIdLike) return 'id';
  if (traits.hasDate) return 'date';
  if (traits.hasRecencyCue) return 'recency';
  if (traits.unknownShare >= UNKNOWN_SHARE) return 'unknown';
  if (traits.namesSpeaker) return 'speaker';
  if (traits.asksWhenOrCount) return 'count';
  return traits.terms <= SHORT_TERMS ? 'short' : 'other';
}

const ID_LIKE =
  /(?<![\p{L}\p{N}])(?=[\p{L}\p{N}_./:-]{5,})(?=\S*\p{N})(?=\S*[\p{L}_/])[\p{L}\p{N}]+[\p{L}\p{N}_./:-]*|\d{6,}/u;
const RECENCY_CUE = /\b(latest|last|newest|recent|recently|current|currently|now|nowadays|today|lately|still)\b/i;
const WHEN_OR_COUNT = /\b(when|how (many|much|long|often|old))\b/i;

/** What the text of a query alone tells. */
export function textTraitsOf(query: string): Pick<QueryTraits, 'isIdLike' | 'hasRecencyCue' | 'asksWhenOrCount'> {
  return {
    isIdLike: ID_LIKE.test(query),
    hasRecencyCue: RECENCY_CUE.test(query),
    asksWhenOrCount: WHEN_OR_COUNT.test(query),
  };
}

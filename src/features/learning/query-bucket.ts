/** Query classes that weights are learned for separately. Learned states are stored in this order. */
export const QUERY_BUCKETS = ['id', 'date', 'recency', 'unknown', 'speaker', 'count', 'short', 'other'] as const;
export type QueryBucket = (typeof QUERY_BUCKETS)[number];

/** The features of a query that determine its bucket. */
export interface QueryTraits {
  /** Distinct terms without stop words. */
  terms: number;
  /** Contains something like an id, a long number or a file name. */
  isIdLike: boolean;
  hasDate: boolean;
  /** Contains "latest", "now" or the like. */
  hasRecencyCue: boolean;
  /** Share (0 to 1) of its terms that are not in the user's vocabulary. */
  unknownShare: number;
  namesSpeaker: boolean;
  asksWhenOrCount: boolean;
}

const MIN_UNKNOWN_SHARE = 0.3;
const MAX_SHORT_TERMS = 2;

/** Returns the first bucket that fits. */
export function bucketOf(traits: QueryTraits): QueryBucket {
  if (traits.isIdLike) return 'id';
  if (traits.hasDate) return 'date';
  if (traits.hasRecencyCue) return 'recency';
  if (traits.unknownShare >= MIN_UNKNOWN_SHARE) return 'unknown';
  if (traits.namesSpeaker) return 'speaker';
  if (traits.asksWhenOrCount) return 'count';
  return traits.terms <= MAX_SHORT_TERMS ? 'short' : 'other';
}

/** What may be an identifier, to the next blank. */
const TOKEN = /(?<![\p{L}\p{N}])(?=[\p{L}\p{N}_./:-]{5})[\p{L}\p{N}]\S*/gu;
const NUMBER = /\p{N}/u;
const NO_NUMBER = /[\p{L}_/]/u;
const LONG_NUMBER = /\d{6}/;
const RECENCY_CUE = /\b(latest|last|newest|recent|recently|current|currently|now|nowadays|today|lately|still)\b/i;
const WHEN_OR_COUNT = /\b(when|how (many|much|long|often|old))\b/i;

/** The features that follow from the text alone. */
export function textTraitsOf(query: string): Pick<QueryTraits, 'isIdLike' | 'hasRecencyCue' | 'asksWhenOrCount'> {
  return {
    isIdLike: isIdLike(query),
    hasRecencyCue: RECENCY_CUE.test(query),
    asksWhenOrCount: WHEN_OR_COUNT.test(query),
  };
}

function isIdLike(query: string): boolean {
  const tokens = query.match(TOKEN) ?? [];
  return LONG_NUMBER.test(query) || tokens.some((token) => NUMBER.test(token) && NO_NUMBER.test(token));
}

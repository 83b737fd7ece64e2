/** Retrieval metrics of one question, or their mean over many. */
export interface Recall {
  'recall@5': number;
  'recall@10': number;
  'hit@10': number;
  mrr: number;
}

/**
 * Evidence recall@k is the share of a question's evidence among the first k results, hit@10 whether any of it is among the
 * first ten, and the reciprocal rank that of the first evidence among them. Turns with the same text are one memory and
 * count as found together.
 */
export function recallOf(evidence: readonly string[], results: readonly string[]): Recall {
  const found = (count: number) => {
    const first = new Set(results.slice(0, count));
    return evidence.filter((id) => first.has(id)).length / evidence.length;
  };
  const rank = results.slice(0, 10).findIndex((id) => evidence.includes(id)) + 1;
  return { 'recall@5': found(5), 'recall@10': found(10), 'hit@10': rank > 0 ? 1 : 0, mrr: rank > 0 ? 1 / rank : 0 };
}

export function meanRecall(recalls: readonly Recall[]): Recall {
  const mean = (name: keyof Recall) => recalls.reduce((sum, recall) => sum + recall[name], 0) / recalls.length;
  return { 'recall@5': mean('recall@5'), 'recall@10': mean('recall@10'), 'hit@10': mean('hit@10'), mrr: mean('mrr') };
}

import type { Candidate } from './candidates-sqlite.ts';

/** What speaks for a candidate; each value is between 0 and 1, the best of the query being 1. */
export type Signals = Record<SignalName, number>;
export type SignalName = 'lex' | 'rec';
export const SIGNAL_NAMES: readonly SignalName[] = ['lex', 'rec'];

/** After this time half of a thing's recency is left. */
const RECENCY_HALF_LIFE_MS = 30 * 86_400_000;

/** The signals of all candidates of one query, in their order: `lex` the full-text score, `rec` the recency. */
export function signalsOf(candidates: readonly Candidate[], nowMs: number): Signals[] {
  const best = Math.max(...candidates.map(({ scores }) => scores.lex), Number.MIN_VALUE);
  return candidates.map((candidate) => {
    const ageMs = Math.max(0, nowMs - momentOf(candidate));
    return { lex: Math.max(0, candidate.scores.lex) / best, rec: 2 ** (-ageMs / RECENCY_HALF_LIFE_MS) };
  });
}

function momentOf({ type, row }: Candidate): number {
  if (type === 'memory') return row.occurredAt ?? row.createdAt;
  return type === 'episode' ? row.endedAt : row.createdAt;
}

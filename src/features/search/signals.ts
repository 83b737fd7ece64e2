import type { Candidate } from './candidates-sqlite.ts';

/** What speaks for a candidate; each value is between 0 and 1, the best of the query being 1. */
export type Signals = Record<SignalName, number>;
export type SignalName = 'lex' | 'rec';
export const SIGNAL_NAMES: readonly SignalName[] = ['lex', 'rec'];

/** After this time half of a memory's recency is left. */
const RECENCY_HALF_LIFE_MS = 30 * 86_400_000;

/** The signals of all candidates of one query, in their order: `lex` the full-text score, `rec` the recency. */
export function signalsOf(candidates: readonly Candidate[], nowMs: number): Signals[] {
  const best = Math.max(...candidates.map(({ scores }) => scores.lex), Number.MIN_VALUE);
  return candidates.map(({ row, scores }) => {
    const ageMs = Math.max(0, nowMs - (row.occurredAt ?? row.createdAt));
    return { lex: Math.max(0, scores.lex) / best, rec: 2 ** (-ageMs / RECENCY_HALF_LIFE_MS) };
  });
}

import fc from 'fast-check';
import type { Candidate, CandidateFacts } from '../../../src/features/search/candidate.ts';
import type { ParsedQuery } from '../../../src/features/search/parsed-query.ts';

export const DAY_MS = 86_400_000;
export const NOW = 20_000 * DAY_MS;

type Scores = Partial<Candidate['scores']>;
let made = 0;

/** A candidate with the given scores and facts, and defaults for the rest. */
export function candidate(
  type: Candidate['type'],
  scores: Scores = {},
  { at = NOW, ...facts }: Partial<CandidateFacts> = {},
): Candidate {
  made += 1;
  const none = { lexical: 0, trigram: 0, window: 0, session: 0, context: 0, before: 0 };
  const plain = {
    rowId: made,
    id: `x_${made}`,
    speaker: null,
    role: null,
    length: 0,
    traits: 0,
    dates: null,
    traitsBefore: 0,
  };
  const coverage = { own: 0, near: 0, rare: 0, information: 0, way: 0 };
  return {
    type,
    coverage,
    category: 0,
    learnedWords: 0,
    scores: { ...none, ...scores },
    facts: { ...plain, at, until: at, ...facts },
  };
}

export const parsedQuery = (more: Partial<ParsedQuery> = {}): ParsedQuery => ({
  terms: [],
  phrases: { joined: new Map(), pairs: [], names: new Set() },
  dates: [],
  months: [],
  answerTraits: 0,
  asksForRecent: false,
  asksForPast: false,
  voice: null,
  ...more,
});

const score = fc.oneof(fc.constant(0), fc.double({ min: 0.001, max: 3, noNaN: true }));
/** Any candidate that an engine may find. */
export const anyCandidate = fc
  .record({
    type: fc.constantFrom('memory' as const, 'message' as const, 'episode' as const),
    scores: fc.record({ lexical: score, trigram: score, window: score, session: score, context: score, before: score }),
    facts: fc.record({
      at: fc.integer({ min: -10 * DAY_MS, max: NOW + 10 * DAY_MS }),
      speaker: fc.constantFrom(null, 'Ann', 'Bob', 'Ann Lee'),
      role: fc.constantFrom('user' as const, 'assistant' as const, 'tool' as const),
      length: fc.nat(5000),
      traits: fc.nat(127),
      traitsBefore: fc.nat(127),
      dates: fc.constantFrom(null, '[[19000,19006]]'),
    }),
  })
  .map(({ type, scores, facts }) =>
    // Items outside conversations have neither neighbors nor a speaker.
    type === 'message'
      ? candidate(type, scores, facts)
      : candidate(
          type,
          { lexical: scores.lexical, trigram: scores.trigram },
          { ...facts, speaker: null, role: null, traitsBefore: 0 },
        ),
  );

import { stemOf } from '../text/porter.ts';
import { STOP_WORDS } from '../text/stop-words.ts';
import { termsOf } from '../text/terms.ts';
import { rootOf } from '../text/word-forms.ts';

/** Two texts that share so many words, and this share of those of the shorter one, are about the same thing. */
export const MIN_SHARED = 2;
export const MIN_SHARED_SHARE = 0.6;
/** Words that announce another value. */
const CHANGES: ReadonlySet<string> = new Set(
  `anymore became become bought broke change changed died dropped got instead left longer lowered moved new now
  postponed promoted quit raised renamed replaced retired since sold stopped switched updated upgraded`
    .split(/\s+/)
    .map(stemOf),
);

export interface Words {
  /** Terms in order, including stop words. */
  terms: string[];
  /** Roots without stop words and without words of change. */
  roots: ReadonlySet<string>;
  hasChange: boolean;
}

/** Reads a text once, to compare it with many. */
export function wordsOf(content: string): Words {
  const terms = termsOf(content);
  const said = terms.filter((term) => !STOP_WORDS.has(term));
  const others = said.filter((term) => !CHANGES.has(stemOf(term)));
  return { terms, roots: new Set(others.map(rootOf)), hasChange: others.length < said.length };
}

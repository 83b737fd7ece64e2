import type { SearchReading } from '../languages/search-words.ts';
import { isCommonTerm } from '../text/common-words.ts';
import { stemOfWord } from '../text/porter.ts';
import { STOP_WORDS } from '../text/stop-words.ts';
import { termsOf } from '../text/terms.ts';
import { rootOf } from '../text/word-forms.ts';
import { wordsIn } from './foreign-query.ts';

/** Two texts that share so many words, and this share of those of the shorter one, are about the same thing. */
export const MIN_SHARED = 2;
export const MIN_SHARED_SHARE = 0.6;
/** Words that announce another value. */
const CHANGES: ReadonlySet<string> = new Set(
  `anymore became become bought broke change changed died dropped got instead left longer lowered moved new now
  postponed promoted quit raised renamed replaced retired since sold stopped switched updated upgraded`
    .split(/\s+/)
    .map(stemOfWord),
);

export interface Words {
  /** Terms in order, including stop words. */
  terms: string[];
  /** Roots without stop words and without words of change. */
  roots: ReadonlySet<string>;
  hasChange: boolean;
}

/** How statements of a language are read. Roots of other languages than English are names of groups of words, too. */
export interface StatementReader {
  /** Absent for English. */
  reading?: SearchReading;
  wordsOf(content: string): Words;
  rootOf(term: string): string;
  /** The roots that a query asks for, of which the index has the stems of words. */
  askedOf(stems: ReadonlySet<string>): ReadonlySet<string>;
  isStopWord(term: string): boolean;
  /** Whether a term, or a root, says little. */
  isCommon(term: string): boolean;
}

const ENGLISH: StatementReader = {
  wordsOf(content) {
    const terms = termsOf(content);
    const said = terms.filter((term) => !STOP_WORDS.has(term));
    const others = said.filter((term) => !CHANGES.has(stemOfWord(term)));
    return { terms, roots: new Set(others.map(rootOf)), hasChange: others.length < said.length };
  },
  rootOf,
  askedOf: (stems) => stems,
  isStopWord: (term) => STOP_WORDS.has(term),
  isCommon: isCommonTerm,
};

/** Returns how to read statements that are compared for a query; by default, as English. */
export function statementReader(reading?: SearchReading): StatementReader {
  if (reading === undefined) return ENGLISH;
  const { replaces, transitions } = reading.language.statements;
  return {
    reading,
    wordsOf(content) {
      const terms = wordsIn(content, reading);
      const said = terms.filter((term) => !reading.isFunctionWord(term));
      const hasChange = replaces.test(content) || transitions.some(({ changes }) => changes.test(content));
      return { terms, roots: new Set(said.map(reading.meaningOf)), hasChange };
    },
    rootOf: reading.meaningOf,
    askedOf: (stems) => new Set([...stems].map(reading.meaningOf)),
    isStopWord: reading.isFunctionWord,
    isCommon: reading.isCommon,
  };
}

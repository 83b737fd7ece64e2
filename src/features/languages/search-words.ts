import { createBoundedMap } from '../../lib/bounded-map.ts';
import { stemOfTerm } from '../text/document-terms.ts';
import { termsOf } from '../text/terms.ts';
import type { Language, SearchWords } from './language.ts';

/** The words of a language, read for searches. Terms and stems are those of the index: folded, and stemmed as English. */
export interface SearchReading {
  language: Language;
  /** Whether a term does not say what a question is about. */
  isFraming(term: string): boolean;
  isFunctionWord(term: string): boolean;
  isCommon(term: string): boolean;
  /** What is the same for all forms of a word: its root, or the name of a group of words that mean about the same. */
  rootOf(term: string): string;
  meaningOf(term: string): string;
  /** Roots of the words that mean about the same as a term, and of what it includes. */
  relatedTo(term: string): { synonyms: readonly string[]; members: readonly string[] };
}

const MAX_CACHED = 20_000;
const MIN_ROOT = 3;
/** What is left of an English "Theo's": stemmers make nothing of it, which all such words would share. */
const POSSESSIVE = 's';
const readings = new Map<string, SearchReading>();

/** Reads the words of a language when they are first needed; `undefined` for English, which searches know by themselves. */
export function searchReadingOf(language: Language): SearchReading | undefined {
  if (language.search === undefined) return undefined;
  const known = readings.get(language.code);
  if (known !== undefined) return known;
  const reading = read(language, language.search);
  readings.set(language.code, reading);
  return reading;
}

function read(language: Language, { framing, common, meanings, endings, isUnspaced }: SearchWords): SearchReading {
  const listed = (text: string) => (isUnspaced ? text.trim().split(/\s+/) : termsOf(text));
  const roots = createBoundedMap<string, string>(MAX_CACHED);
  const rootOf = (term: string): string => {
    const found = roots.get(term);
    if (found !== undefined) return found;
    const stem = language.rootOf(isUnspaced ? term : stemOfTerm('0_', term));
    const bare = endings === undefined ? stem : stem.replace(endings, '');
    const root = bare.length < MIN_ROOT ? stem : bare;
    roots.set(term, root);
    return root;
  };
  const functionWords = new Set(listed([...language.functionWords].join(' ')));
  const framingWords = new Set(listed(framing));
  const commonRoots = new Set(listed(common).map(rootOf));
  const groups = new Map<string, { synonyms: string[]; members: string[] }>();
  const groupsOf = new Map<string, string[]>();
  for (const line of meanings.trim().split('\n')) {
    const [name = '', words = ''] = line.trim().split(':');
    const [same = '', included = ''] = words.split('>');
    const [synonyms, members] = [same, included].map((list) => [...new Set(listed(list).map(rootOf))]);
    groups.set(name, { synonyms: synonyms!, members: members! });
    for (const root of synonyms!) groupsOf.set(root, [...(groupsOf.get(root) ?? []), name]);
  }
  const isFunctionWord = (term: string) =>
    term === POSSESSIVE || functionWords.has(term) || language.functionWords.has(term);
  return {
    language,
    isFunctionWord,
    isFraming: (term) => isFunctionWord(term) || framingWords.has(term),
    isCommon: (term) => commonRoots.has(rootOf(term)),
    rootOf,
    meaningOf(term) {
      const root = rootOf(term);
      return groupsOf.get(root)?.[0] ?? root;
    },
    relatedTo(term) {
      const own = rootOf(term);
      const all = (groupsOf.get(own) ?? []).map((name) => groups.get(name)!);
      const of = (kind: 'synonyms' | 'members') => [...new Set(all.flatMap((group) => group[kind]))];
      return {
        synonyms: of('synonyms').filter((root) => root !== own),
        members: of('members').filter((root) => root !== own),
      };
    },
  };
}

import type { AttributeWords, Language } from '../languages/language.ts';
import { termsOf } from '../text/terms.ts';
import { rootOf } from '../text/word-forms.ts';

/** How a text mentions an attribute. */
export interface Mention {
  attribute: string;
  /** By a word of its values or its change alone, rather than by one that asks for it. */
  isValue: boolean;
  /** By a word that asks for it, as another one: "new phone". */
  isNew: boolean;
  /** Whether it is among the first words, as the subject. */
  isFirst: boolean;
}

/** Reads what people have one of at a time: see `AttributeWords`. */
export interface AttributeReader extends Omit<AttributeWords, 'groups' | 'new' | 'verbs'> {
  mentionsIn(text: string): readonly Mention[];
  /** Roots of the words that ask for attributes, or state them. */
  rootsOf(attributes: ReadonlySet<string>): ReadonlySet<string>;
  /** Words by which the index finds what states attributes. */
  wordsOf(attributes: ReadonlySet<string>): readonly string[];
  isVerb(root: string): boolean;
}

interface Entry {
  attribute: string;
  isValue: boolean;
  terms: readonly string[];
}

const CLAUSE = /(?<![.,;:!?–—()])[.,;:!?–—()]+(?=\s|$)|(?<!\s)\s+[-–—]\s+/;
/** Words of an entry: of one place in a text, the longest one counts. */
const LENGTHS = [3, 2, 1];
/** Words before a noun among which "new" is. */
const MAX_BEFORE = 2;
/** The first words of a statement, among which its subject is. */
const MAX_SUBJECT = 3;

const readers = new Map<Language, AttributeReader>();

/** Returns how to read the attributes of a language; `undefined` where none are known. */
export function attributeReaderOf(language: Language): AttributeReader | undefined {
  if (language.attributes === undefined) return undefined;
  const known = readers.get(language) ?? read(language.attributes);
  readers.set(language, known);
  return known;
}

function read({ groups, new: announcing, verbs, ...rest }: AttributeWords): AttributeReader {
  const entries = new Map<string, Entry[]>();
  for (const line of groups.trim().split('\n')) {
    const [attribute = '', words = ''] = line.trim().split(':');
    for (const [at, list] of words.split('>').entries()) {
      for (const word of list.trim().split(/\s+/).filter(Boolean)) {
        const terms = termsOf(word.replaceAll('-', ' '));
        const key = keyOf(terms.map(rootOf));
        entries.set(key, [...(entries.get(key) ?? []), { attribute, isValue: at === 1, terms }]);
      }
    }
  }
  const beginnings = new Set([...entries.keys()].map((key) => key.split(' ')[0]!));
  const all = [...entries.values()].flat();
  const of = (attributes: ReadonlySet<string>) => all.filter(({ attribute }) => attributes.has(attribute));
  const announcingRoots = new Set([...announcing].map(rootOf));
  const verbRoots = new Set([...verbs].map(rootOf));
  const mentionsInClause = (clause: string, isFirstClause: boolean) => {
    const roots = termsOf(clause).map(rootOf);
    const found: Mention[] = [];
    for (let at = 0; at < roots.length; ) {
      const lengths = beginnings.has(roots[at]!) ? LENGTHS : [];
      const length = lengths.find((count) => entries.has(keyOf(roots.slice(at, at + count))));
      if (length === undefined) {
        at += 1;
        continue;
      }
      const isNew = roots.slice(Math.max(0, at - MAX_BEFORE), at).some((root) => announcingRoots.has(root));
      for (const { attribute, isValue } of entries.get(keyOf(roots.slice(at, at + length)))!) {
        found.push({ attribute, isValue, isNew, isFirst: isFirstClause && at < MAX_SUBJECT });
      }
      at += length;
    }
    return found;
  };
  return {
    ...rest,
    mentionsIn: (text) => text.split(CLAUSE).flatMap((clause, at) => mentionsInClause(clause, at === 0)),
    rootsOf: (attributes) => new Set(of(attributes).flatMap(({ terms }) => terms.map(rootOf))),
    wordsOf: (attributes) => [...new Set(of(attributes).flatMap(({ terms }) => (terms.length === 1 ? terms : [])))],
    isVerb: (root) => verbRoots.has(root),
  };
}

function keyOf(roots: readonly string[]): string {
  return roots.join(' ');
}

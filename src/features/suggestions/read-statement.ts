import type { Language } from '../languages/language.ts';
import { languageOf } from '../languages/languages.ts';
import { isCapitalized } from '../languages/state-subject.ts';
import { type SentenceWords, sentenceWordsOf } from '../search/sentence-replacement.ts';

/** A statement, read for comparisons. */
export interface ReadStatement {
  text: string;
  language: Language;
  terms: readonly string[];
  /** The words that say something, by root. */
  roots: ReadonlyMap<string, string>;
  numbers: ReadonlySet<string>;
  limits: ReadonlySet<string>;
  /** Of English, for the rules that searches have too. */
  sentence: SentenceWords | undefined;
  /** Roots of the words before the verb. */
  subject: ReadonlySet<string>;
  attribute: Attribute | undefined;
  /** Roots of what it says is over. */
  over: ReadonlySet<string>;
}

/** "The standup | is | at | half past nine": what has which kind of value. */
interface Attribute {
  verb: string;
  kind: string | undefined;
  value: readonly string[];
}

const MAX_VALUE_TERMS = 8;
/** Ends the value of an attribute: "my manager is Priya; she prefers short notes". */
const CLAUSE_END = /[;(–—]|,\s/;
export const STARTS_WITH_DIGIT = /^\d/;

/** Reads a statement once, to compare it with many. */
export function readStatement(text: string): ReadStatement {
  const language = languageOf(text);
  const { limits, negations } = language.statements;
  const terms = language.wordsOf(text);
  const said = (term: string) => saysSomething(term, language);
  // A correction says that it holds now: "ich wohne jetzt in Graz".
  const timeless = text.replace(language.present, ' ');
  const [clause = timeless] = timeless.split(CLAUSE_END);
  return {
    text,
    language,
    terms,
    roots: new Map(terms.filter(said).map((term) => [meaningOf(term, language), term])),
    numbers: new Set(terms.filter((term) => STARTS_WITH_DIGIT.test(term))),
    limits: new Set(terms.filter((term) => limits.has(term)).map((term) => (negations.has(term) ? 'not' : term))),
    sentence: language.code === 'en' ? sentenceWordsOf(text) : undefined,
    subject: subjectIn(timeless === text ? terms : language.wordsOf(timeless), language),
    attribute: attributeIn(clause, language.wordsOf(clause), language),
    over: new Set(
      overIn(text, language)
        .filter(said)
        .map((term) => meaningOf(term, language)),
    ),
  };
}

/** Whether a word says something beside the others. */
export function saysSomething(term: string, { functionWords, statements: { limits, lightWords } }: Language): boolean {
  return !functionWords.has(term) && !limits.has(term) && !lightWords.has(term);
}

/** The root of a word, or of the first word that means the same. */
export function meaningOf(term: string, { rootOf, statements: { synonyms } }: Language): string {
  const root = rootOf(term);
  return synonyms.get(root) ?? root;
}

function overIn(text: string, { wordsOf, statements: { over } }: Language): string[] {
  return over.flatMap((pattern) => wordsOf(pattern.exec(text)?.[1] ?? ''));
}

function subjectIn(terms: readonly string[], language: Language): ReadonlySet<string> {
  const { functionWords, statements } = language;
  const at = terms.findIndex((term) => statements.singleValued.has(term));
  const isSubject = (term: string) => !statements.determiners.has(term) && !functionWords.has(term);
  return new Set(
    terms
      .slice(0, Math.max(0, at))
      .filter(isSubject)
      .map((term) => meaningOf(term, language)),
  );
}

function attributeIn(text: string, terms: readonly string[], language: Language): Attribute | undefined {
  const { singleValued, limits, determiners, copulas, dropsPronouns } = language.statements;
  const at = terms.findIndex((term) => singleValued.has(term));
  if (at < (dropsPronouns ? 0 : 1) || terms.some((term) => limits.has(term))) return undefined;
  const before = terms.slice(0, at);
  const value = terms.slice(at + 1);
  if (value.length === 0 || value.length > MAX_VALUE_TERMS || text.includes('?')) return undefined;
  if (at > 0 && before.every((term) => determiners.has(term))) return undefined;
  const verb = terms[at]!;
  const kind = kindOf(verb, before, value, text, language);
  // Without a pronoun, its form tells the person.
  const meaning = at === 0 ? verb : meaningOf(verb, language);
  return { verb: copulas.has(verb) ? 'is' : meaning, kind, value };
}

/**
 * What kind of value a verb has: the preposition before it and whether a name follows ("in Graz" and "in finance" hold at once), a
 * number, a name, or anything where the subject is an attribute. Somebody's thing has many: "my dog is brown" and "is sick".
 */
function kindOf(
  verb: string,
  before: readonly string[],
  value: readonly string[],
  text: string,
  { statements: { prepositions, determiners, copulas, possessives, relatives, capitalizesNouns } }: Language,
): string | undefined {
  const [first = ''] = value;
  if (prepositions.has(first)) {
    const object = value.find((term, at) => at > 0 && !determiners.has(term)) ?? '';
    const isName = capitalizesNouns ? !determiners.has(value[1] ?? '') : isCapitalized(text, object);
    return isName ? `${first} name` : first;
  }
  if (STARTS_WITH_DIGIT.test(first)) return 'number';
  const named = value.find((term) => !determiners.has(term)) ?? '';
  if (!capitalizesNouns && isCapitalized(text, named)) return 'name';
  if (!copulas.has(verb) || value.length > 3 || !before.some((term) => possessives.has(term))) return undefined;
  const things = before.filter((term) => !determiners.has(term) && !possessives.has(term));
  const isAttribute = things.length > 1;
  // Who is a nurse may be a vegetarian too.
  if (!isAttribute && things.some((term) => relatives.has(term))) return undefined;
  if (determiners.has(first)) return 'one of a kind';
  return isAttribute || (capitalizesNouns && isCapitalized(text, named)) ? `any ${verb}` : undefined;
}

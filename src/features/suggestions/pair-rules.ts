import { replacementOf, type SentenceWords, sentenceWordsOf } from '../search/sentence-replacement.ts';
import { STOP_WORDS } from '../text/stop-words.ts';
import { termsOf } from '../text/terms.ts';
import { rootOf } from '../text/word-forms.ts';
import {
  COPULAS,
  DETERMINERS,
  LIGHT_WORDS,
  LIMITS,
  NEGATIONS,
  NUMBER_WORDS,
  POSSESSIVES,
  PREPOSITIONS,
  QUALIFIERS,
  RELATIVES,
  REPLACES,
  SINGLE_VALUED,
  TRANSITIONS,
} from './english-tables.ts';

/** How two statements of one user are related; `older` and `newer` by when they were said. */
export interface Relation {
  kind: 'merge' | 'supersede';
  /** For a reader: why. */
  reason: string;
  /** The share of such pairs that are right, on pairs that the rules were not made with; see docs/suggestions.md. */
  confidence: number;
}

/** A statement, read for comparisons. */
export interface ReadStatement {
  text: string;
  terms: readonly string[];
  /** The words that say something, by root. */
  roots: ReadonlyMap<string, string>;
  numbers: ReadonlySet<string>;
  limits: ReadonlySet<string>;
  sentence: SentenceWords;
  attribute: Attribute | undefined;
}

/** "The standup | is | at | half past nine": what has which kind of value. */
interface Attribute {
  subject: ReadonlySet<string>;
  verb: string;
  kind: string;
  value: string;
}

/** Longer texts say several things. */
export const MAX_COMPARED_CHARACTERS = 240;
const MAX_VALUE_TERMS = 8;
const MIN_ROOTS = 2;
/** Words at the beginning, among which the subject is. */
const SUBJECT_TERMS = 5;
const STARTS_WITH_DIGIT = /^\d/;
/** Letters with a number are the name of a thing: `4b`, `t480`. */
const NUMBERED = /^(?:\d+[a-z]|[a-z]+\d)(?!m$)/;

/** Whether two words mean about the same, by a table of related words. */
export type AreRelated = (one: string, other: string) => boolean;

/** Reads a statement once, to compare it with many. */
export function readStatement(text: string): ReadStatement {
  const terms = withNumbers(termsOf(text.replace(/n['’]t\b/gi, ' not')));
  const content = terms.filter((term) => !STOP_WORDS.has(term) && !LIMITS.has(term) && !LIGHT_WORDS.has(term));
  return {
    text,
    terms,
    roots: new Map(content.map((term) => [rootOf(term), term])),
    numbers: new Set(terms.filter((term) => STARTS_WITH_DIGIT.test(term))),
    limits: new Set(terms.filter((term) => LIMITS.has(term)).map((term) => (NEGATIONS.has(term) ? 'not' : term))),
    sentence: sentenceWordsOf(text),
    attribute: attributeIn(text, terms),
  };
}

/** Puts digits in the place of number words: "twenty-eight" and "28" are one. */
function withNumbers(terms: readonly string[]): string[] {
  const written: string[] = [];
  let tens = 0;
  for (const [index, term] of terms.entries()) {
    const number = NUMBER_WORDS.get(term);
    if (number === undefined) written.push(term);
    else if (number >= 20 && (NUMBER_WORDS.get(terms[index + 1] ?? '') ?? 20) < 10) tens = number;
    else {
      written.push(String(tens + number));
      tens = 0;
    }
  }
  return written;
}

/** Texts that find the statements to compare one with: itself, and for a state or its change the words of both. */
export function queriesFor(text: string): string[] {
  const transitions = TRANSITIONS.filter(({ states, changes }) => states.test(text) || changes.test(text));
  return [text, ...transitions.map(({ words }) => words)];
}

/**
 * Relates a newer statement to an older one, if they say the same or the newer takes the place of the older. Precision comes
 * before recall: a person reads what is suggested.
 */
export function relationOf(newer: ReadStatement, older: ReadStatement, areRelated: AreRelated): Relation | undefined {
  if (areApart(newer, older)) return undefined;
  if (saysTheSame(newer, older, areRelated)) return { kind: 'merge', reason: 'Both say the same.', confidence: 0.95 };
  if (hasOtherValue(newer.attribute, older.attribute)) {
    return { kind: 'supersede', reason: 'The newer one states another value.', confidence: 0.8 };
  }
  if (TRANSITIONS.some(({ states, changes }) => isTransition(newer, older, states, changes))) {
    return { kind: 'supersede', reason: 'The newer one announces a change.', confidence: 0.8 };
  }
  const replacement = replacementOf(newer.sentence, older.sentence, () => 1);
  if (replacement === 'end')
    return { kind: 'supersede', reason: 'The newer one says that it is over.', confidence: 0.6 };
  const isAnnounced = REPLACES.test(newer.text);
  if (isAnnounced && (replacement !== undefined || hasOtherNumber(newer, older))) {
    return { kind: 'supersede', reason: 'The newer one announces a change.', confidence: 0.7 };
  }
  return undefined;
}

/** Whether they are about different things of one kind: of another person, another time of the day, or with another number. */
function areApart(one: ReadStatement, other: ReadStatement): boolean {
  const isOfAnother = [one, other].map(({ terms }) =>
    terms.slice(0, SUBJECT_TERMS).some((term) => RELATIVES.has(term)),
  );
  if (isOfAnother[0] !== isOfAnother[1]) return true;
  const differIn = (isKind: (term: string) => boolean, within: number) => {
    const [ofOne, ofOther] = [one, other].map(({ terms }) => terms.slice(0, within).filter(isKind));
    return ofOne!.length > 0 && ofOther!.length > 0 && !ofOne!.some((term) => ofOther!.includes(term));
  };
  return (
    QUALIFIERS.some((kind) => differIn((term) => kind.has(term), SUBJECT_TERMS)) ||
    differIn((term) => NUMBERED.test(term), one.terms.length + other.terms.length)
  );
}

/** Whether both have other numbers beside at least two words that both have. */
function hasOtherNumber(newer: ReadStatement, older: ReadStatement): boolean {
  if (newer.numbers.size === 0 || older.numbers.size === 0) return false;
  if ([...newer.numbers].some((number) => older.numbers.has(number))) return false;
  const shared = [...newer.roots.keys()].filter((root) => older.roots.has(root));
  return shared.length >= MIN_ROOTS;
}

/** Whether both have the same words or related ones, or one has all words of the other and only adds to them. */
function saysTheSame(one: ReadStatement, other: ReadStatement, areRelated: AreRelated): boolean {
  const [short, long] = one.roots.size <= other.roots.size ? [one, other] : [other, one];
  if (short.roots.size < MIN_ROOTS || !isSubset(short.numbers, long.numbers)) return false;
  if (short.limits.size !== long.limits.size || !isSubset(short.limits, long.limits)) return false;
  const others = [...short.roots].filter(([root]) => !long.roots.has(root));
  if (short.roots.size - others.length < MIN_ROOTS) return false;
  return others.every(([, term]) => [...long.roots.values()].some((word) => areRelated(term, word)));
}

function isSubset(some: ReadonlySet<string>, all: ReadonlySet<string>): boolean {
  return [...some].every((one) => all.has(one));
}

function hasOtherValue(newer: Attribute | undefined, older: Attribute | undefined): boolean {
  return (
    newer !== undefined &&
    older !== undefined &&
    newer.verb === older.verb &&
    newer.kind === older.kind &&
    newer.value !== older.value &&
    newer.subject.size === older.subject.size &&
    [...newer.subject].every((root) => older.subject.has(root))
  );
}

/** Whether the newer announces that a state of the older has ended, of the same person: of the speaker or of one named in both. */
function isTransition(newer: ReadStatement, older: ReadStatement, states: RegExp, changes: RegExp): boolean {
  if (!states.test(older.text) || !changes.test(newer.text)) return false;
  const [now, then] = [subjectOf(newer), subjectOf(older)];
  return now === then || (then === 'i' && now === '');
}

/** The speaker as `i`, a name as its first root; empty where a sentence begins with its verb. */
function subjectOf({ text, terms }: ReadStatement): string {
  const before = terms.findIndex(
    (term) => SINGLE_VALUED.has(term) || /^(?:moved|moving|joined|left|quit|started|have|has|am)$/.test(term),
  );
  if (before === 0) return '';
  if (/^(?:i|i['’]\w+|my|we|we['’]\w+|our)\b/i.test(text)) return 'i';
  return (
    terms
      .slice(0, Math.max(1, before))
      .filter((term) => !DETERMINERS.has(term))
      .map(rootOf)[0] ?? ''
  );
}

function attributeIn(text: string, terms: readonly string[]): Attribute | undefined {
  const at = terms.findIndex((term) => SINGLE_VALUED.has(term));
  if (at < 1 || terms.some((term) => LIMITS.has(term))) return undefined;
  const before = terms.slice(0, at);
  const value = terms.slice(at + 1);
  if (value.length === 0 || value.length > MAX_VALUE_TERMS || text.includes('?')) return undefined;
  const verb = terms[at]!;
  const kind = kindOf(verb, before, value, text);
  const subject = new Set(before.filter((term) => !DETERMINERS.has(term)).map(rootOf));
  if (kind === undefined || subject.size === 0) return undefined;
  return { subject, verb: COPULAS.has(verb) ? 'is' : rootOf(verb), kind, value: value.join(' ') };
}

/** What kind of value a verb has: the preposition before it, a number, a name, or anything where the subject is an attribute. */
function kindOf(verb: string, before: readonly string[], value: readonly string[], text: string): string | undefined {
  const [first = ''] = value;
  if (PREPOSITIONS.has(first)) return first;
  if (STARTS_WITH_DIGIT.test(first)) return 'number';
  const named = value.find((term) => !DETERMINERS.has(term)) ?? '';
  const isName = new RegExp(`\\b\\p{Lu}${escaped(named.slice(1))}`, 'u').test(text) && named.length > 1;
  if (isName) return 'name';
  return COPULAS.has(verb) && before.some((term) => POSSESSIVES.has(term)) && value.length <= 3 ? 'any' : undefined;
}

function escaped(text: string): string {
  return text.replace(/[^\p{L}\p{N}]/gu, '\\$&');
}

import type { Transition } from '../languages/language.ts';
import { languageOf } from '../languages/languages.ts';
import { isForRelative, stateSubject } from '../languages/state-subject.ts';
import { endsOther, endsPart, replacementOf } from '../search/sentence-replacement.ts';
import { meaningOf, type ReadStatement, STARTS_WITH_DIGIT, saysSomething } from './read-statement.ts';
import {
  type AreRelated,
  areAlike,
  beginsWith,
  isSubset,
  keepOrder,
  MIN_ROOTS,
  saysItEnds,
  saysTheSame,
} from './same-statement.ts';

/** How two statements of one user are related; `older` and `newer` by when they were said. */
export interface Relation {
  kind: 'merge' | 'supersede';
  /** For a reader: why. */
  reason: string;
  /** The share of such pairs that are right, on pairs that the rules were not made with; see docs/suggestions.md. */
  confidence: number;
}

/** Longer texts say several things. */
export const MAX_COMPARED_CHARACTERS = 240;
/** Words at the beginning, among which the subject is. */
const SUBJECT_TERMS = 5;
/** A statement of so few words about a change says nothing else. */
const MAX_CHANGE_ROOTS = 4;
/** Letters with a number are the name of a thing: `4b`, `t480`. */
const NUMBERED = /^(?:\d+[a-z]|[a-z]+\d)(?!m$)/;
const ALLERGY = /all?erg|alérg|过敏|アレルギー/iu;

/** Texts that find the statements to compare one with: itself, and for a state or its change the words of both. */
export function queriesFor(text: string): string[] {
  const { transitions: all } = languageOf(text).statements;
  const transitions = all.filter(({ states, changes }) => states.test(text) || changes.test(text));
  return [text, ...transitions.map(({ words }) => words)];
}

/**
 * Relates a newer statement to an older one, if they say the same or the newer takes the place of the older. Precision comes
 * before recall: a person reads what is suggested.
 */
export function relationOf(newer: ReadStatement, older: ReadStatement, areRelated: AreRelated): Relation | undefined {
  if (newer.language !== older.language || areApart(newer, older)) return undefined;
  const { transitions, replaces } = newer.language.statements;
  const isAnnounced = replaces.test(newer.text);
  if (isAnnounced === replaces.test(older.text) && saysTheSame(newer, older, areRelated)) {
    // In another order a person reads them first.
    return {
      kind: 'merge',
      reason: 'Both say the same.',
      confidence: keepOrder(newer, older, () => true) ? 0.95 : 0.8,
    };
  }
  if (haveSameTerms(newer, older)) return undefined;
  if (hasOtherValue(newer, older)) {
    return { kind: 'supersede', reason: 'The newer one states another value.', confidence: 0.8 };
  }
  if (transitions.some((transition) => isTransition(newer, older, transition))) {
    return { kind: 'supersede', reason: 'The newer one announces a change.', confidence: 0.8 };
  }
  if (endsAnother(newer, older)) return undefined;
  const replacement = newer.sentence && older.sentence && replacementOf(newer.sentence, older.sentence, () => 1);
  if (isOfSomebodyElse(newer, older)) return undefined;
  const isOverNow = { kind: 'supersede', reason: 'The newer one says that it is over.', confidence: 0.6 } as const;
  if (replacement === 'end' || isOver(newer, older)) return isOverNow;
  const isOfIt = isSubset(newer.subject, older.subject) || isSubset(older.subject, newer.subject);
  if (
    isAnnounced &&
    isOfIt &&
    ((replacement !== undefined && replacement !== 'changed value') ||
      hasOtherNumber(newer, older) ||
      keepsSubject(newer, older))
  ) {
    return { kind: 'supersede', reason: 'The newer one announces a change.', confidence: 0.7 };
  }
  return endsAllOf(newer, older) ? isOverNow : undefined;
}

/** Whether the newer says that another thing of the kind is over than the older states, or one of several. */
function endsAnother(newer: ReadStatement, older: ReadStatement): boolean {
  if (newer.sentence && older.sentence) return endsOther(newer.sentence, older.sentence);
  const isNamed = (word: string) => newer.roots.has(meaningOf(word, older.language));
  return newer.over.size > 0 && endsPart(older.text, isNamed, older.language.wordsOf);
}

/** In another order they say something else, which may hold as well. */
function haveSameTerms({ terms }: ReadStatement, other: ReadStatement): boolean {
  const [some, all] = [new Set(terms), new Set(other.terms)];
  return some.size === all.size && isSubset(some, all);
}

/** Whether they are about different things of one kind: of another person, another time of the day, or with another number. */
function areApart(one: ReadStatement, other: ReadStatement): boolean {
  const { relatives, qualifiers } = one.language.statements;
  const [first, second] = [one, other].map(beginningOf) as [readonly string[], readonly string[]];
  const [ofOne, ofOther] = [first, second].map((terms) => terms.filter((term) => relatives.has(term)));
  const isOfAnother = ofOne!.length > 0 || ofOther!.length > 0;
  if (isOfAnother && !ofOne!.some((term) => ofOther!.includes(term))) return true;
  const differIn = (isKind: (term: string) => boolean, within: readonly (readonly string[])[]) => {
    const [ofOne, ofOther] = within.map((terms) => terms.filter(isKind));
    return ofOne!.length > 0 && ofOther!.length > 0 && !ofOne!.some((term) => ofOther!.includes(term));
  };
  return (
    qualifiers.some((kind) => differIn((term) => kind.has(term), [first, second])) ||
    differIn((term) => NUMBERED.test(term), [one.terms, other.terms])
  );
}

/** The words up to the verb, among which the subject is. */
function beginningOf({ terms, language }: ReadStatement): readonly string[] {
  const beginning = terms.slice(0, SUBJECT_TERMS);
  const at = beginning.findIndex((term) => language.statements.singleValued.has(term));
  return at > 0 ? beginning.slice(0, at) : beginning;
}

/** A sentence about somebody with a name. */
const OF_SOMEBODY = /^(\p{Lu}\p{L}+) (?:has|is|was|had|stopped|started|moved|quit|left|got|joined|took|went|will)\b/u;
const OF_SPEAKER = /^(?:\S+ ){0,3}?(?:I|my|we|our|the user)\b/i;

/** Whether the newer is about somebody whom the older, which is about the speaker, does not name. */
function isOfSomebodyElse(newer: ReadStatement, older: ReadStatement): boolean {
  const [, name] = OF_SOMEBODY.exec(newer.text) ?? [];
  return name !== undefined && OF_SPEAKER.test(older.text) && !older.text.includes(name);
}

/** Whether both have other numbers beside at least two words that both have. */
function hasOtherNumber(newer: ReadStatement, older: ReadStatement): boolean {
  if (newer.numbers.size === 0 || older.numbers.size === 0) return false;
  if ([...newer.numbers].some((number) => older.numbers.has(number))) return false;
  if (!isSubset(older.subject, newer.roots)) return false;
  if (sharedRoots(newer, older).length >= MIN_ROOTS) return true;
  const said = [...older.roots.keys()].filter((root) => !STARTS_WITH_DIGIT.test(root));
  return !older.sentence && said.length <= MIN_ROOTS && newer.roots.has(said[0] ?? '');
}

/** Whether the newer names all that the older says something of, and states a value of the same kind. */
function keepsSubject(newer: ReadStatement, older: ReadStatement): boolean {
  const { subject } = older;
  if (subject.size === 0 || !isSubset(subject, newer.roots)) return false;
  const isCounted = newer.numbers.size > 0 && older.numbers.size > 0;
  if (subject.size >= MIN_ROOTS || (isCounted && sharedRoots(newer, older).length >= MIN_ROOTS)) return true;
  return (
    newer.attribute !== undefined && newer.attribute.verb === older.attribute?.verb && isSubset(newer.subject, subject)
  );
}

/** Whether what the newer says is over is what the older says: they share more, or the newer says nothing else. */
function isOver(newer: ReadStatement, older: ReadStatement): boolean {
  const { qualifiers } = older.language.statements;
  const over = [...newer.over].filter((root) => !STARTS_WITH_DIGIT.test(root) || older.numbers.has(root));
  const isDay = (root: string) => qualifiers.some((kind) => kind.has(newer.roots.get(root) ?? root));
  const isNamed = over.some((root) => !isDay(root) && [...older.roots.keys()].some((other) => beginsWith(other, root)));
  if (!isNamed) return false;
  // Who is not allergic to cats any more may still be to nuts.
  if (ALLERGY.test(newer.text) && !isSubset(new Set(newer.roots.keys()), new Set(older.roots.keys()))) return false;
  const { attribute } = older;
  const isRole =
    attribute?.verb === 'is' && attribute.value.some((term) => newer.over.has(meaningOf(term, older.language)));
  if (isRole || sharedRoots(newer, older).length >= MIN_ROOTS) return true;
  const isPart = (other: string) => over.some((root) => beginsWith(other, root));
  const named = [...older.roots.keys()].filter(isPart);
  // Who drinks no coffee still has "my coffee machine".
  const isOfPart = named.every((root) => older.subject.has(root)) && ![...older.subject].every((r) => over.includes(r));
  if (isOfPart) return false;
  const isOfAnother = newer.subject.size > 0 && older.subject.size > 0;
  const hasPurpose = newer.terms.some((term) => newer.language.statements.purposes.has(term));
  return newer.roots.size <= MAX_CHANGE_ROOTS && !isOfAnother && !hasPurpose;
}

function sharedRoots(newer: ReadStatement, older: ReadStatement): string[] {
  if (newer.sentence) return [...newer.roots.keys()].filter((root) => older.roots.has(root));
  return [...newer.roots.keys()].filter(
    (root) => older.roots.has(root) || [...older.roots.keys()].some((other) => areAlike(root, other)),
  );
}

/** Whether the newer has all words of the older, and says that it is over. */
function endsAllOf(newer: ReadStatement, older: ReadStatement): boolean {
  if (!older.sentence || !saysItEnds(newer) || saysItEnds(older) || older.limits.size > 0) return false;
  return older.roots.size >= MIN_ROOTS && isSubset(new Set(older.roots.keys()), newer.roots);
}

function hasOtherValue(newer: ReadStatement, older: ReadStatement): boolean {
  const [now, then] = [newer.attribute, older.attribute];
  return (
    now !== undefined &&
    then !== undefined &&
    now.verb === then.verb &&
    now.value.join(' ') !== then.value.join(' ') &&
    newer.subject.size === older.subject.size &&
    isSubset(newer.subject, older.subject) &&
    (newer.sentence
      ? now.kind !== undefined && now.kind === then.kind && differencesOf(newer, older).length <= 1
      : hasOneOtherValue(newer, older))
  );
}

/** The kinds of values in which both differ: numbers, days, parts of the day. */
function differencesOf(newer: ReadStatement, older: ReadStatement): [string, string][] {
  const kinds = [{ has: (term: string) => STARTS_WITH_DIGIT.test(term) }, ...newer.language.statements.qualifiers];
  return kinds
    .map((kind) => {
      const [now = '', then = ''] = [newer, older].map(({ attribute }) =>
        attribute!.value.filter((term) => kind.has(term)).join(' '),
      );
      return [now, then] as [string, string];
    })
    .filter(([now, then]) => now !== then);
}

/** Whether the values are of one kind, or differ in a number or a day alone. */
function hasOneOtherValue(one: ReadStatement, other: ReadStatement): boolean {
  const { language } = one;
  const { qualifiers } = language.statements;
  const [newer, older] = [one.attribute, other.attribute];
  const different = differencesOf(one, other);
  const rest = [newer, older].map((one) =>
    one!.value
      .filter((term) => !STARTS_WITH_DIGIT.test(term) && !qualifiers.some((kind) => kind.has(term)))
      .filter((term) => saysSomething(term, language))
      .map((term) => meaningOf(term, language))
      .join(' '),
  );
  if (rest[0] === rest[1]) return different.length === 1 && different[0]!.every((value) => value !== '');
  return different.length === 0 && newer!.kind !== undefined && newer!.kind === older!.kind;
}

/** Whether the newer announces that a state of the older has ended, of the same person: of the speaker or of one named in both. */
function isTransition(newer: ReadStatement, older: ReadStatement, { states, changes, others }: Transition): boolean {
  const [state, change] = [states.exec(older.text), changes.exec(newer.text)];
  if (state === null || change === null) return false;
  if (others.test(newer.text) || others.test(older.text.slice(0, state.index))) return false;
  if (isForRelative(newer.terms, newer.language)) return false;
  return (
    stateSubject(newer.text, change.index, newer.language) === stateSubject(older.text, state.index, older.language)
  );
}

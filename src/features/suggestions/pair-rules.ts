import type { Language, Transition } from '../languages/language.ts';
import { languageOf } from '../languages/languages.ts';
import { isCapitalized, isForRelative, stateSubject } from '../languages/state-subject.ts';
import {
  endsOther,
  endsPart,
  replacementOf,
  type SentenceWords,
  sentenceWordsOf,
} from '../search/sentence-replacement.ts';

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

/** Longer texts say several things. */
export const MAX_COMPARED_CHARACTERS = 240;
const MAX_VALUE_TERMS = 8;
const MIN_ROOTS = 2;
/** Words at the beginning, among which the subject is. */
const SUBJECT_TERMS = 5;
/** A statement of so few words about a change says nothing else. */
const MAX_CHANGE_ROOTS = 4;
/** Ends the value of an attribute: "my manager is Priya; she prefers short notes". */
const CLAUSE_END = /[;(–—]|,\s/;
const STARTS_WITH_DIGIT = /^\d/;
/** Letters with a number are the name of a thing: `4b`, `t480`. */
const NUMBERED = /^(?:\d+[a-z]|[a-z]+\d)(?!m$)/;
/** Forms of one word that a stemmer keeps apart: they begin alike and differ in their endings. */
const MIN_ALIKE = 5;
const MAX_ENDING = 3;

/** What a statement says ends, or never came to be. */
const ENDS =
  /\b(?:left|leaving|quit|sold|stopped|ended|closed|cancell?ed|broke|died|lost|gone|retired|resigned|declined|refused|almost|nearly|planned|supposed|former(?:ly)?|until|used to|no longer|any ?more|any longer|after all|(?:gave|given) (?:up|away|back))\b/i;

const ALLERGY = /all?erg|alérg|过敏|アレルギー/iu;

/** Whether two words mean about the same, by a table of related words. */
export type AreRelated = (one: string, other: string) => boolean;

/** Reads a statement once, to compare it with many. */
export function readStatement(text: string): ReadStatement {
  const language = languageOf(text);
  const { limits, negations } = language.statements;
  const terms = language.wordsOf(text);
  const said = (term: string) => saysSomething(term, language);
  // A correction says that it holds now: "ich wohne jetzt in Graz".
  const timeless = text.replace(language.present, ' ').trim();
  const [clause = timeless] = timeless.split(CLAUSE_END);
  return {
    text,
    language,
    terms,
    roots: new Map(terms.filter(said).map((term) => [meaningOf(term, language), term])),
    numbers: new Set(terms.filter((term) => STARTS_WITH_DIGIT.test(term))),
    limits: new Set(terms.filter((term) => limits.has(term)).map((term) => (negations.has(term) ? 'not' : term))),
    sentence: language.code === 'en' ? sentenceWordsOf(text) : undefined,
    subject: subjectIn(language.wordsOf(timeless), language),
    attribute: attributeIn(clause, language.wordsOf(clause), language),
    over: new Set(
      overIn(text, language)
        .filter(said)
        .map((term) => meaningOf(term, language)),
    ),
  };
}

function saysSomething(term: string, { functionWords, statements: { limits, lightWords } }: Language): boolean {
  return !functionWords.has(term) && !limits.has(term) && !lightWords.has(term);
}

/** The root of a word, or of the first word that means the same. */
function meaningOf(term: string, { rootOf, statements: { synonyms } }: Language): string {
  const root = rootOf(term);
  return synonyms.get(root) ?? root;
}

function overIn(text: string, { wordsOf, statements: { over } }: Language): string[] {
  return over.flatMap((pattern) => wordsOf(pattern.exec(text)?.[1] ?? ''));
}

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

/** Whether both have the same words or related ones, or one has all words of the other and only adds to them. */
function saysTheSame(one: ReadStatement, other: ReadStatement, areRelated: AreRelated): boolean {
  const [short, long] = one.roots.size <= other.roots.size ? [one, other] : [other, one];
  if (short.roots.size < MIN_ROOTS || !isSubset(short.numbers, long.numbers)) return false;
  if (short.numbers.size > 0 && short.numbers.size !== long.numbers.size) return false;
  if (short.limits.size !== long.limits.size || !isSubset(short.limits, long.limits)) return false;
  if (saysItEnds(one) !== saysItEnds(other) || areTurned(short, long)) return false;
  if (isOfOwned(short, long)) return false;
  const others = [...short.roots].filter(([root]) => !long.roots.has(root));
  if (short.roots.size - others.length < MIN_ROOTS) return false;
  const areSame = short.sentence ? areRelated : areAlike;
  return others.every(([, term]) => [...long.roots.values()].some((word) => areSame(term, word)));
}

/** Whether one turns the other around: it has the opposite of a word, or says the same of things that have changed places. */
function areTurned(one: ReadStatement, other: ReadStatement): boolean {
  if (hasOpposite(one, other) || hasOpposite(other, one)) return true;
  const { ordered, relatives, qualifiers } = one.language.statements;
  if (ordered.test(one.text) || ordered.test(other.text)) return !keepOrder(one, other, () => true);
  if (one.sentence && !movesOnePart(one, other)) return true;
  const isName = (term: string) => isCapitalized(one.text, term);
  const kinds = [relatives, ...qualifiers].map((kind) => (term: string) => kind.has(term));
  return [isName, (term: string) => STARTS_WITH_DIGIT.test(term), ...kinds].some(
    (isKind) => !keepOrder(one, other, isKind),
  );
}

/** Whether the words of a kind that both have are in the same order in both. */
function keepOrder(one: ReadStatement, other: ReadStatement, isKind: (term: string) => boolean): boolean {
  const [order, otherOrder] = ordersOf(one, other).map((roots) => roots.filter((root) => isKind(one.roots.get(root)!)));
  return order!.every((root, at) => root === otherOrder![at]);
}

/** Whether the words that both have are in the same order, but for a part that one begins with and the other ends with. */
function movesOnePart(one: ReadStatement, other: ReadStatement): boolean {
  const [order, otherOrder] = ordersOf(one, other);
  const start = order.indexOf(otherOrder[0] ?? '');
  return otherOrder.every((root, at) => root === order[(start + at) % order.length]);
}

/** The roots that both have, as they follow each other in each. */
function ordersOf({ roots: ofOne }: ReadStatement, { roots: ofOther }: ReadStatement): [string[], string[]] {
  return [[...ofOne.keys()].filter((root) => ofOther.has(root)), [...ofOther.keys()].filter((root) => ofOne.has(root))];
}

/** Begins the opposite of a word: "disabled", "ungern". */
const OPPOSITE = /^(?:un|dis|in|im|ir|non|mis|mal|dés|dé|des|ent|anti)(?=\p{L}{4})/u;

function hasOpposite(one: ReadStatement, { terms }: ReadStatement): boolean {
  return one.terms.some((term) => {
    const word = term.replace(OPPOSITE, '');
    return word !== term && !terms.includes(term) && terms.some((other) => other === word || areAlike(other, word));
  });
}

/** Whose: "my brother's wife". A contraction is no owner. */
const OWNER = /(?<!\p{L})(?!(?:it|that|there|he|she|what|who|here|let)['’])(\p{L}+)['’]s(?!\p{L})/giu;

/** Whether the longer one is about somebody or something of what the other is about. */
function isOfOwned(short: ReadStatement, long: ReadStatement): boolean {
  const { relatives } = short.language.statements;
  const [of, ofMore] = [short, long].map(({ terms }) => terms.filter((term) => relatives.has(term)).length);
  if (of !== ofMore) return true;
  if (!short.sentence) return beginsWithOther(long, short);
  const [owners, more] = [short, long].map(({ text }) => [...text.matchAll(OWNER)].length);
  const head = headOf(long);
  return (owners! < more! && !short.text.includes(' of ')) || (head !== undefined && !short.roots.has(head));
}

/** Whether it begins with a noun that the other lacks, before the first that both have: "la piscina del gimnasio". */
function beginsWithOther({ text, roots, language }: ReadStatement, short: ReadStatement): boolean {
  const { capitalizesNouns, prepositions } = language.statements;
  const before = [...roots].slice(
    0,
    [...roots.keys()].findIndex((root) => short.roots.has(root)),
  );
  if (language.code === 'zh' || language.code === 'ja') return false;
  return before.some(([, term]) => !prepositions.has(term) && (capitalizesNouns || !isCapitalized(text, term)));
}

/** The noun before the verb, which the words before it describe; `undefined` where it is a name. */
function headOf({ text, terms, language }: ReadStatement): string | undefined {
  const at = terms.findIndex((term) => term !== 's' && language.statements.singleValued.has(term));
  const word = terms[at - 1];
  return word === undefined || !saysSomething(word, language) || isCapitalized(text, word)
    ? undefined
    : meaningOf(word, language);
}

function saysItEnds({ text, sentence, over }: ReadStatement): boolean {
  return sentence ? ENDS.test(text) : over.size > 0;
}

/** Whether the newer has all words of the older, and says that it is over. */
function endsAllOf(newer: ReadStatement, older: ReadStatement): boolean {
  if (!older.sentence || !saysItEnds(newer) || saysItEnds(older) || older.limits.size > 0) return false;
  return older.roots.size >= MIN_ROOTS && isSubset(new Set(older.roots.keys()), newer.roots);
}

/** Of compounds, the first part may mean the whole. */
function beginsWith(one: string, other: string): boolean {
  return one === other || (other.length >= MIN_ALIKE && one.startsWith(other));
}

/** Where no table tells related words. */
function areAlike(one: string, other: string): boolean {
  let same = 0;
  while (same < one.length && one[same] === other[same]) same += 1;
  return same >= MIN_ALIKE && Math.max(one.length, other.length) - same <= MAX_ENDING;
}

function isSubset(some: ReadonlySet<string>, all: { has(one: string): boolean }): boolean {
  return [...some].every((one) => all.has(one));
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

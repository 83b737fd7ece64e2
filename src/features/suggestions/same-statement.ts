import { isCapitalized } from '../languages/state-subject.ts';
import { meaningOf, type ReadStatement, STARTS_WITH_DIGIT, saysSomething } from './read-statement.ts';

/** Fewer words in common tell nothing. */
export const MIN_ROOTS = 2;
/** Forms of one word that a stemmer keeps apart: they begin alike and differ in their endings. */
const MIN_ALIKE = 5;
const MAX_ENDING = 3;

/** What a statement says ends, or never came to be. */
const ENDS =
  /\b(?:left|leaving|quit|sold|stopped|ended|closed|cancell?ed|broke|died|lost|gone|retired|resigned|declined|refused|almost|nearly|planned|supposed|former(?:ly)?|until|used to|no longer|any ?more|any longer|after all|(?:gave|given) (?:up|away|back))\b/i;

/** Whether two words mean about the same, by a table of related words. */
export type AreRelated = (one: string, other: string) => boolean;

/** Whether both have the same words or related ones, or one has all words of the other and only adds to them. */
export function saysTheSame(one: ReadStatement, other: ReadStatement, areRelated: AreRelated): boolean {
  const [short, long] = one.roots.size <= other.roots.size ? [one, other] : [other, one];
  if (short.roots.size < MIN_ROOTS || !isSubset(short.numbers, long.numbers)) return false;
  if (short.numbers.size > 0 && short.numbers.size !== long.numbers.size) return false;
  if (short.limits.size !== long.limits.size || !isSubset(short.limits, long.limits)) return false;
  if (saysItEnds(one) !== saysItEnds(other)) return false;
  if (areTurned(short, long) || isOfOwned(short, long)) return false;
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
export function keepOrder(one: ReadStatement, other: ReadStatement, isKind: (term: string) => boolean): boolean {
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
  if (language.code === 'zh' || language.code === 'ja') return false;
  const { capitalizesNouns, prepositions } = language.statements;
  const firstShared = [...roots.keys()].findIndex((root) => short.roots.has(root));
  const before = [...roots].slice(0, firstShared);
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

/** Whether it says that something is over, or never came to be. */
export function saysItEnds({ text, sentence, over }: ReadStatement): boolean {
  return sentence ? ENDS.test(text) : over.size > 0;
}

/** Of compounds, the first part may mean the whole. */
export function beginsWith(one: string, other: string): boolean {
  return one === other || (other.length >= MIN_ALIKE && one.startsWith(other));
}

/** Where no table tells related words. */
export function areAlike(one: string, other: string): boolean {
  let same = 0;
  while (same < one.length && one[same] === other[same]) same += 1;
  return same >= MIN_ALIKE && Math.max(one.length, other.length) - same <= MAX_ENDING;
}

/** Whether all of some are among others. */
export function isSubset(some: ReadonlySet<string>, all: { has(one: string): boolean }): boolean {
  return [...some].every((one) => all.has(one));
}

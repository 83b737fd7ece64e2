import { isCommonTerm } from '../text/common-words.ts';
import { STOP_WORDS } from '../text/stop-words.ts';
import { termsInSteps } from '../text/terms.ts';
import { rootOf } from '../text/word-forms.ts';

/** A text that an assistant was given for a question. */
export interface GivenText {
  id: string;
  text: string;
  /** The number that it had, by which a context asks the assistant to cite it. */
  marker?: number;
}

/** What a unit of a text says, if the question has not: names, numbers and rare words much, others little. */
const WEIGHTS = { name: 2, number: 2, word: 1, smallNumber: 0.4, common: 0.25 };
/**
 * What counts: the share of its weight that the answer has, phrases of two words, and the weight that only its code has.
 * Fitted by logistic regression to answers of which others had labelled what they used; a probability of 75 % is enough.
 * See docs/retrieval.md#what-is-inferred. Whether a sentence addresses the person, and numbers by themselves, gained nothing.
 * A citation by number is no proof: other contexts of the session had the same numbers.
 */
const EVIDENCE = { share: 4.3, phrases: 0.46, inCode: 0.83, cited: 2 };
const ENOUGH = 3.27;
/** Numbers of fewer characters stand in any text, and so do these: statuses, ports, years and round ones. */
const MIN_NUMBER_LENGTH = 3;
const USUAL_NUMBER = /^(?:100|1000|200|40[134]|429|500|443|3000|5432|8080|20[12]\d)$/;
const MIN_WORD_LENGTH = 4;
/** Words with a sign or a capital inside, or all in capitals: paths, commands, versions and names of code. */
const CODE_NAME = /^(?=.*\p{L})(?:\S*[\p{L}\p{N}][._/:@-][\p{L}\p{N}]\S*|\p{Ll}+\p{Lu}\S*|\p{Lu}{2,}\d*)$/u;
const NAME = /(?<=[\p{L}\p{N},;:)"'] )\p{Lu}\p{L}+/gu;
const DIGIT = /\d/;
const CODE_BLOCK = /```[\s\S]*?(?:```|$)/g;
const INLINE_CODE = /`[^`\n]*`/g;
/** `[2]` in prose: no index of an array, link or footnote. */
const CITATION = /(?<![\p{L}\p{N}\])])\[(\d{1,2})\](?![([:])/gu;

/** Terms to look at in one step. */
const TERMS_PER_STEP = 256;

/** An answer with the roots in it. */
export interface ReadAnswer {
  text: string;
  all: ReadonlySet<string>;
  /** Outside of code. */
  prose: ReadonlySet<string>;
  /** Pairs of roots that follow each other. */
  pairs: ReadonlySet<string>;
  /** Numbers of what it cites. */
  cited: ReadonlySet<number>;
}

/**
 * Finds the given texts that an answer used: those of which it says enough that the question did not say. What several of
 * the texts have counts less for each. Silent use is not found.
 */
export function* usesInAnswer(
  answer: ReadAnswer,
  asked: string,
  given: readonly GivenText[],
): Generator<void, string[]> {
  const known = new Set(yield* rootsOf(asked));
  const read: { units: ReadonlyMap<string, number>; pairs: readonly string[] }[] = [];
  for (const { text } of given) {
    const terms = yield* contentTermsOf(text);
    const roots = yield* rootsIn(terms);
    read.push({ units: yield* unitsOf(text, terms, roots, known), pairs: yield* pairsOf(roots, known) });
    yield;
  }
  const spread = new Map<string, number>();
  for (const { units } of read) for (const root of units.keys()) spread.set(root, (spread.get(root) ?? 0) + 1);
  return given.flatMap(({ id, marker }, index) => {
    const { units, pairs } = read[index]!;
    const phrases = pairs.filter((pair) => answer.pairs.has(pair)).length;
    const citation = marker !== undefined && answer.cited.has(marker) ? EVIDENCE.cited : 0;
    const evidence = evidenceOf(units, answer, spread) + EVIDENCE.phrases * phrases + citation;
    return answer.text.includes(id) || evidence >= ENOUGH ? [id] : [];
  });
}

function evidenceOf(
  units: ReadonlyMap<string, number>,
  { all, prose }: ReadAnswer,
  spread: ReadonlyMap<string, number>,
): number {
  let added = 0;
  let shared = 0;
  let inCode = 0;
  for (const [root, weight] of units) {
    added += weight;
    if (!all.has(root)) continue;
    const own = weight / spread.get(root)!;
    shared += own;
    if (!prose.has(root)) inCode += own;
  }
  return added === 0 ? 0 : EVIDENCE.share * (shared / added) + EVIDENCE.inCode * inCode;
}

/** Reads an answer once, for what several searches gave. */
export function* readAnswer(text: string): Generator<void, ReadAnswer> {
  const roots = yield* rootsOf(text);
  const prose = text.replace(CODE_BLOCK, ' ');
  const cited = new Set(Array.from(prose.replace(INLINE_CODE, ' ').matchAll(CITATION), ([, number]) => Number(number)));
  return {
    text,
    cited,
    all: new Set(roots),
    prose: new Set(yield* rootsOf(prose)),
    pairs: new Set(yield* pairsOf(roots)),
  };
}

/** The terms of a text that are not known, by their roots, with how much each says. */
function* unitsOf(
  text: string,
  terms: readonly string[],
  roots: readonly string[],
  known: ReadonlySet<string>,
): Generator<void, Map<string, number>> {
  const names = new Set<string>();
  for (const name of namesIn(text)) for (const term of (yield* termsInSteps(name)).terms) names.add(term);
  const units = new Map<string, number>();
  for (const [index, root] of roots.entries()) {
    if (!known.has(root)) units.set(root, weightOf(terms[index]!, names));
  }
  return units;
}

function weightOf(term: string, names: ReadonlySet<string>): number {
  if (DIGIT.test(term)) {
    return term.length >= MIN_NUMBER_LENGTH && !USUAL_NUMBER.test(term) ? WEIGHTS.number : WEIGHTS.smallNumber;
  }
  if (names.has(term)) return WEIGHTS.name;
  return isCommonTerm(term) || term.length < MIN_WORD_LENGTH ? WEIGHTS.common : WEIGHTS.word;
}

/** Words with a capital inside a sentence, and names of code. */
function namesIn(text: string): string[] {
  const words = text.split(/\s+/).map((word) => word.replace(/^[("'`]+|[)"'`.,;:!?]+$/g, ''));
  return [...words.filter((word) => CODE_NAME.test(word)), ...(text.match(NAME) ?? [])];
}

function* rootsOf(text: string): Generator<void, string[]> {
  return yield* rootsIn(yield* contentTermsOf(text));
}

function* rootsIn(terms: readonly string[]): Generator<void, string[]> {
  const roots: string[] = [];
  for (const term of terms) {
    roots.push(rootOf(term));
    if (roots.length % TERMS_PER_STEP === 0) yield;
  }
  return roots;
}

function* contentTermsOf(text: string): Generator<void, string[]> {
  return (yield* termsInSteps(text)).terms.filter((term) => !STOP_WORDS.has(term));
}

/** Pairs of roots that follow each other, without those of which both are known. */
function* pairsOf(roots: readonly string[], known: ReadonlySet<string> = new Set()): Generator<void, string[]> {
  const pairs: string[] = [];
  for (let index = 1; index < roots.length; index += 1) {
    const [before, root] = [roots[index - 1]!, roots[index]!];
    if (!known.has(root) || !known.has(before)) pairs.push(`${before} ${root}`);
    if (index % TERMS_PER_STEP === 0) yield;
  }
  return pairs;
}

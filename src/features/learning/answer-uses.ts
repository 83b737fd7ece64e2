import { finish } from '../../lib/time-slices.ts';
import { isCommonTerm } from '../text/common-words.ts';
import { STOP_WORDS } from '../text/stop-words.ts';
import { termsInSteps } from '../text/terms.ts';
import { rootOf } from '../text/word-forms.ts';

/** A text that an assistant was given for a question. */
export interface GivenText {
  id: string;
  text: string;
}

/** How much it says that an answer has a unit of a text, which the question has not. */
const WEIGHTS = { name: 2, number: 2, word: 1, common: 0.25 };
/** The weight that an answer has to share with a text, and its least share of all that the text adds to the question. */
const MIN_SHARED = 2;
const MIN_SHARE = 0.3;
/** Words with a sign or a capital inside, or all in capitals: paths, commands, versions and names of code. */
const CODE_NAME = /^(?=.*\p{L})(?:\S*[\p{L}\p{N}][._/:@-][\p{L}\p{N}]\S*|\p{Ll}+\p{Lu}\S*|\p{Lu}{2,}\d*)$/u;
const NAME = /(?<=[\p{L}\p{N},;:)"'] )\p{Lu}\p{L}+/gu;
const DIGIT = /\d/;
/** Numbers of fewer digits stand in any text. */
const MIN_DIGITS = 3;

/**
 * Finds the given texts that an answer used: those of which it says enough that the question did not say. Names, numbers and
 * rare words count; what several of the texts have counts less for each. Silent use is not found.
 */
export function* usesInAnswer(
  { asked, answer }: { asked: string; answer: string },
  given: readonly GivenText[],
): Generator<void, string[]> {
  const known = new Set(yield* rootsOf(asked));
  const said = new Set(yield* rootsOf(answer));
  const units: Map<string, number>[] = [];
  for (const { text } of given) {
    const own = new Map<string, number>();
    const names = namesIn(text);
    for (const [root, term] of yield* termsByRoot(text)) {
      if (!known.has(root)) own.set(root, weightOf(term, names));
    }
    units.push(own);
    yield;
  }
  const spread = new Map<string, number>();
  for (const own of units) for (const root of own.keys()) spread.set(root, (spread.get(root) ?? 0) + 1);
  return given.flatMap(({ id }, index) => {
    if (answer.includes(id)) return [id];
    let added = 0;
    let shared = 0;
    for (const [root, weight] of units[index]!) {
      added += weight;
      if (said.has(root)) shared += weight / spread.get(root)!;
    }
    return shared >= MIN_SHARED && shared >= MIN_SHARE * added ? [id] : [];
  });
}

function weightOf(term: string, names: ReadonlySet<string>): number {
  if (DIGIT.test(term)) return term.length >= MIN_DIGITS ? WEIGHTS.number : WEIGHTS.common;
  if (names.has(term)) return WEIGHTS.name;
  return isCommonTerm(term) ? WEIGHTS.common : WEIGHTS.word;
}

/** The terms of names in a text: of words with a capital inside a sentence, and of names of code. */
function namesIn(text: string): ReadonlySet<string> {
  const codes = text.split(/\s+/).map((word) => word.replace(/^[("'`]+|[)"'`.,;:!?]+$/g, ''));
  const names = [...codes.filter((word) => CODE_NAME.test(word)), ...(text.match(NAME) ?? [])];
  return new Set(names.flatMap((name) => finish(termsInSteps(name)).terms));
}

function* rootsOf(text: string): Generator<void, Iterable<string>> {
  return (yield* termsByRoot(text)).keys();
}

/** The terms of a text by their roots, without stop words. */
function* termsByRoot(text: string): Generator<void, Map<string, string>> {
  const { terms } = yield* termsInSteps(text);
  return new Map(terms.filter((term) => !STOP_WORDS.has(term)).map((term) => [rootOf(term), term]));
}

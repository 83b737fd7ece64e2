import { AppError } from '../../contract/errors.ts';
import { runInSlices } from '../../lib/time-slices.ts';
import { isCutText, termsInSteps } from './terms.ts';

/** The texts of an item, which are indexed as one. */
export type ItemTexts = readonly string[];

interface Found {
  /** Separated by spaces, which takes a tenth of the memory of a list. */
  terms: string;
  /** Whether the end of the text has no terms, because folding expands it too much. */
  isCut: boolean;
}

/** The terms of items, found before the transaction that stores them, so that no other write waits for them. */
export interface PreparedTerms {
  byText: ReadonlyMap<string, Found>;
  /** Whether a long text that is not among them may be read in the transaction. */
  mayReadMore: boolean;
}

export const NO_TERMS: PreparedTerms = { byText: new Map(), mayReadMore: true };

/** Texts up to this length are read wherever their terms are needed. */
const MAX_SHORT_CHARACTERS = 2000;
/** A write that needs other texts each time reads them in its transaction in the end. */
const MAX_ATTEMPTS = 3;

/** The write needs terms of long texts that were not prepared. Undoes it, so that `writeWithTerms` can repeat it. */
export class TermsMissing extends AppError {
  readonly items: readonly ItemTexts[];

  constructor(items: readonly ItemTexts[]) {
    super('unavailable', 'The item kept changing. Try again in a moment.', { retryAfterSeconds: 1 });
    this.items = items;
  }
}

/** Finds the terms of a tenant's items in time slices. */
export async function prepareTerms(tenantId: string, items: readonly ItemTexts[]): Promise<PreparedTerms> {
  function* prepare(): Generator<void, Map<string, Found>> {
    const byText = new Map<string, Found>();
    for (const item of items) {
      byText.set(keyOf(item), yield* findInSteps(item));
      yield;
    }
    return byText;
  }
  return { byText: await runInSlices(prepare(), tenantId), mayReadMore: true };
}

/**
 * Runs a write with the terms of the items that it is expected to store. A write that turns out to need those of other
 * long texts, because it changes an item whose text only its transaction reads, is repeated once they are found.
 */
export async function writeWithTerms<T>(
  tenantId: string,
  expected: readonly ItemTexts[],
  write: (terms: PreparedTerms) => Promise<T>,
): Promise<T> {
  let terms = await prepareTerms(tenantId, expected);
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await write({ ...terms, mayReadMore: attempt === MAX_ATTEMPTS });
    } catch (error) {
      if (!(error instanceof TermsMissing) || attempt === MAX_ATTEMPTS) throw error;
      terms = mergeTerms([terms, await prepareTerms(tenantId, error.items)]);
    }
  }
}

/** The terms of all; a transaction of several callers reads what is missing itself, or refuses with `requireTerms`. */
export function mergeTerms(all: readonly PreparedTerms[]): PreparedTerms {
  return { byText: new Map(all.flatMap(({ byText }) => [...byText])), mayReadMore: true };
}

/** Throws `TermsMissing` if the terms of a long text are missing and may not be found in the transaction. */
export function requireTerms({ byText, mayReadMore }: PreparedTerms, items: readonly ItemTexts[]): void {
  if (mayReadMore) return;
  const missing = items.filter((item) => {
    const text = keyOf(item);
    return text.length > MAX_SHORT_CHARACTERS && !byText.has(text);
  });
  if (missing.length > 0) throw new TermsMissing(missing);
}

/** The terms of an item, separated by spaces, in steps unless they are prepared. */
export function* termsOfItem({ byText }: PreparedTerms, item: ItemTexts): Generator<void, string> {
  return (byText.get(keyOf(item)) ?? (yield* findInSteps(item))).terms;
}

/** Whether search covers only the beginning of an item; as a member of its answer, absent if not. */
export function partlyIndexed({ byText }: PreparedTerms, item: ItemTexts): { partlyIndexed?: true } {
  const text = keyOf(item);
  return (byText.get(text)?.isCut ?? isCutText(text)) ? { partlyIndexed: true } : {};
}

function* findInSteps(item: ItemTexts): Generator<void, Found> {
  const { terms, isCut } = yield* termsInSteps(keyOf(item));
  return { terms: terms.join(' '), isCut };
}

function keyOf(item: ItemTexts): string {
  return item.join('\n');
}

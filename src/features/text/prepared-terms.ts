import { AppError } from '../../contract/errors.ts';
import { createTenantMutex } from '../../lib/tenant-mutex.ts';
import { runInSlices } from '../../lib/time-slices.ts';
import { createWorkerCalls, startModule } from '../../lib/worker-calls.ts';
import { type FoundTerms, findInSteps, isCutText } from './terms.ts';

/** The texts of an item, which are indexed as one. */
export type ItemTexts = readonly string[];

/** The terms of items, found before the transaction that stores them, so that no other write waits for them. */
export interface PreparedTerms {
  byText: ReadonlyMap<string, FoundTerms>;
  /** Whether a long text that is not among them may be read in the transaction. */
  mayReadMore: boolean;
}

export const NO_TERMS: PreparedTerms = { byText: new Map(), mayReadMore: true };

/** Texts up to this length are read wherever their terms are needed. */
const MAX_SHORT_CHARACTERS = 2000;
/** A write up to this length has its terms found in time slices: about two milliseconds. */
const MAX_SLICED_CHARACTERS = 8000;
/** Texts sent to the worker in one message, unless a single one is longer: about ten milliseconds. */
const MAX_SENT_CHARACTERS = 32_000;
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

const longWrites = createTenantMutex();

/** The characters of items together. */
export function charactersOf(items: readonly ItemTexts[]): number {
  let characters = 0;
  for (const texts of items) for (const { length } of texts) characters += length;
  return characters;
}

function isLong(items: readonly ItemTexts[]): boolean {
  let characters = 0;
  for (const item of items) {
    characters += charactersOf([item]);
    if (characters > MAX_SLICED_CHARACTERS) return true;
  }
  return false;
}

/** Finds the terms of a tenant's items: of long texts in a worker thread, of short ones in time slices. */
export async function prepareTerms(tenantId: string, items: readonly ItemTexts[]): Promise<PreparedTerms> {
  const texts = [...new Set(items.map(keyOf))];
  const found = await (isLong(items) ? findInWorker(tenantId, texts) : runInSlices(findEach(texts), tenantId));
  return { byText: new Map(texts.map((text, index) => [text, found[index]!])), mayReadMore: true };
}

function* findEach(texts: readonly string[]): Generator<void, FoundTerms[]> {
  const found: FoundTerms[] = [];
  for (const text of texts) {
    found.push(yield* findInSteps(text));
    yield;
  }
  return found;
}

/** The worker is beside this file in the source and in the build. */
const WORKER = import.meta.url.endsWith('.ts') ? './terms-worker.ts' : './terms-worker.js';

const callWorker = createWorkerCalls<readonly string[], { terms: Uint8Array; isCut: boolean }[]>(() =>
  startModule(new URL(WORKER, import.meta.url), 'terms'),
);

/** Finds the terms of texts portion by portion, between which the worker serves other tenants. */
async function findInWorker(tenantId: string, texts: readonly string[]): Promise<FoundTerms[]> {
  const portions: string[][] = [];
  let characters = Number.POSITIVE_INFINITY;
  for (const text of texts) {
    characters += text.length;
    if (characters > MAX_SENT_CHARACTERS) {
      portions.push([]);
      characters = text.length;
    }
    portions.at(-1)!.push(text);
  }
  const found = await Promise.all(portions.map((portion) => callWorker(tenantId, portion)));
  return found
    .flat()
    .map(({ terms, isCut }) => ({ terms: Buffer.from(terms.buffer, terms.byteOffset, terms.length), isCut }));
}

/**
 * Runs a write with the terms of the items that it is expected to store. A write that turns out to need those of other
 * long texts, because it changes an item whose text only its transaction reads, is repeated once they are found. Long
 * writes of a tenant run one after the other, so that one tenant does not keep all processors busy.
 */
export async function writeWithTerms<T>(
  tenantId: string,
  expected: readonly ItemTexts[],
  write: (terms: PreparedTerms) => Promise<T>,
): Promise<T> {
  if (isLong(expected)) return longWrites.run(tenantId, () => writeRepeatedly(tenantId, expected, write));
  return writeRepeatedly(tenantId, expected, write);
}

async function writeRepeatedly<T>(
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

/** The items whose terms are not prepared. */
export function itemsWithout({ byText }: PreparedTerms, items: readonly ItemTexts[]): ItemTexts[] {
  return items.filter((item) => !byText.has(keyOf(item)));
}

/** Throws `TermsMissing` if the terms of a long text are missing and may not be found in the transaction. */
export function requireTerms(prepared: PreparedTerms, items: readonly ItemTexts[]): void {
  if (prepared.mayReadMore) return;
  const missing = itemsWithout(prepared, items).filter((item) => keyOf(item).length > MAX_SHORT_CHARACTERS);
  if (missing.length > 0) throw new TermsMissing(missing);
}

/** The terms of an item with a space before each, in steps unless they are prepared. */
export function* termsOfItem({ byText }: PreparedTerms, item: ItemTexts): Generator<void, Buffer> {
  return (byText.get(keyOf(item)) ?? (yield* findInSteps(keyOf(item)))).terms;
}

/** Whether search covers only the beginning of an item; as a member of its answer, absent if not. */
export function partlyIndexed({ byText }: PreparedTerms, item: ItemTexts): { partlyIndexed?: true } {
  const text = keyOf(item);
  return (byText.get(text)?.isCut ?? isCutText(text)) ? { partlyIndexed: true } : {};
}

function keyOf(item: ItemTexts): string {
  return item.join('\n');
}

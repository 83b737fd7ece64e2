import { mayReplace } from '../../contract/origin.ts';
import type { ContextRequest, ItemType, SearchResult } from '../../contract/search.ts';
import { english } from '../languages/english.ts';
import { termsOf } from '../text/terms.ts';
import { rootOf } from '../text/word-forms.ts';
import { momentOf } from './context.ts';
import { sentenceIn } from './later-messages.ts';
import type { ParsedQuery } from './parsed-query.ts';
import { endsState, keepsAsked } from './restatements.ts';
import type { Successors } from './result-page.ts';
import {
  keepsAskedNumbers,
  replacesSentence,
  type SentenceWords,
  sentenceWordsOf,
  surelyReplaces,
} from './sentence-replacement.ts';
import { type StatementReader, statementReader } from './statement-words.ts';

/**
 * The least relevance at which a result is worth a place in a prompt that asked for no memory, by type: those of messages
 * are fitted to the hundreds of turns of a dialogue, so they are lower. See decision 0076.
 */
const WORTH: Readonly<Record<ItemType, number>> = { memory: 0.2, message: 0.07, episode: 0.35 };
/** Episodes would say again what their messages say. */
export const UNASKED_TYPES: ItemType[] = ['memory', 'message'];
/** Once anything is worth a place, others cost little and are often what is needed. */
const WORTH_BESIDE = 0.02;
/** The most results that a prompt gets. */
export const MAX_UNASKED = 5;
/** The results among which older statements are looked for. */
const COMPARED = 20;

const QUESTION = /[^.!?。！？\n]*[?？]+/gu;

export interface Unasked {
  exclude: ContextRequest['exclude'];
  /** Whose words the prompt asks for: unless those of the assistant, only the user's are knowledge of the user. */
  voice: ParsedQuery['voice'];
  asksForPast: boolean;
  /** Messages that were not found, and may take the place of some results. */
  later?: readonly SearchResult[];
  /** Of the prompt's terms, by root. */
  weights: ReadonlyMap<string, number>;
  /** The words of the prompt's language; absent for English. */
  reading?: ParsedQuery['reading'] | undefined;
  /** Whether somebody rejected that a newer memory takes the place of an older one. */
  isRejected: Successors['isRejected'];
}

/**
 * Chooses from ranked results what to add to a prompt that asked for no memory: none, or the best few that still hold. In
 * steps, because finding the sentence of a long message takes milliseconds.
 */
export function* chooseUnasked(results: readonly SearchResult[], unasked: Unasked): Generator<void, SearchResult[]> {
  const { exclude, voice, weights, reading, asksForPast, later = [], isRejected } = unasked;
  const ids = new Set(results.map(({ id }) => id));
  const usable = results.filter(
    (result) =>
      result.restatedBy === undefined &&
      !ids.has(result.possiblySupersededBy ?? '') &&
      // Of memories, searches have found the newer ones.
      ((result.type === 'message' && !asksForPast) || result.relevance >= WORTH_BESIDE) &&
      (result.type !== 'message' || result.role === (voice === 'assistant' ? 'assistant' : 'user')),
  );
  if (!usable.some(isWorthAPlace)) return [];
  // What the model has already still takes the place of what is older, and no place of what it lacks.
  const lacking = new Set(withoutExcluded(usable, exclude).slice(0, COMPARED));
  const compared = [...usable.filter((result, index) => index < COMPARED || lacking.has(result)), ...later];
  const current = withoutExcluded(
    yield* currentOf(compared, { weights, reader: statementReader(reading), isRejected }),
    exclude,
  );
  return current.some(isWorthAPlace) ? current.slice(0, MAX_UNASKED) : [];
}

/** Leaves out what the model has already. */
export function withoutExcluded(
  results: readonly SearchResult[],
  { conversationId, ids = [] }: NonNullable<ContextRequest['exclude']> = {},
): SearchResult[] {
  const excluded = new Set(ids);
  const isOfConversation = (result: SearchResult) =>
    result.type !== 'memory' && conversationId !== undefined && result.conversationId === conversationId;
  return results.filter((result) => !excluded.has(result.id) && !isOfConversation(result));
}

/**
 * Puts a newer statement in the place of the older ones that it replaces, however little it has of the prompt: "Graciete has
 * retired" for "who is the head nurse?".
 */
function* currentOf(
  results: readonly SearchResult[],
  { weights, reader, isRejected }: Pick<Unasked, 'weights' | 'isRejected'> & { reader: StatementReader },
): Generator<void, SearchResult[]> {
  const statements: ToldSentence[] = [];
  const language = reader.reading?.language ?? english;
  const asked = reader.askedOf(new Set(weights.keys()));
  for (const result of results) {
    // A question states nothing, but what stands behind it may.
    const whole = sentenceIn(result.content, weights);
    const sentence = whole.replace(QUESTION, ' ').trim();
    const isOnlyAsked = sentence !== whole && !hasSome(sentence, weights);
    statements.push({ result, sentence, isOnlyAsked, words: sentenceWordsOf(sentence, reader) });
    yield;
  }
  const tells = (root: string) => (asked.has(root) ? 2 : 1);
  const current = new Map<string, SearchResult>();
  const shown = statements.filter(
    (one) =>
      one.result.relevance >= WORTH_BESIDE && !one.isOnlyAsked && !statements.some((other) => isMadeOf(other, one)),
  );
  for (const older of shown) {
    const newer = statements.filter(
      ({ result, sentence, words }) =>
        result.type === older.result.type &&
        mayReplace(result.origin, older.result.origin) &&
        isNewer(result, older.result) &&
        !isRejected(older.result.id, result.id) &&
        (result.relevance >= WORTH_BESIDE
          ? keepsAskedNumbers(words, older.words, asked) && replacesSentence(words, older.words, tells)
          : keepsAsked(words, older.words, asked) &&
            (surelyReplaces(words, older.words, () => 1) !== undefined ||
              endsState(sentence, older.sentence, language))),
    );
    const { result } = newer.reduce((latest, one) => (isNewer(one.result, latest.result) ? one : latest), older);
    const known = current.get(result.id) ?? result;
    current.set(result.id, known.relevance < WORTH_BESIDE ? { ...known, relevance: older.result.relevance } : known);
  }
  return [...current.values()];
}

/** What a result says about the prompt. */
interface ToldSentence {
  result: SearchResult;
  sentence: string;
  /** Whether it has words of the prompt only in questions: an earlier question answers none. */
  isOnlyAsked: boolean;
  words: SentenceWords;
}

function hasSome(sentence: string, weights: ReadonlyMap<string, number>): boolean {
  return termsOf(sentence).some((term) => weights.has(rootOf(term)));
}

/** Whether a memory was made of what a message says. */
function isMadeOf({ result: memory, words }: ToldSentence, { result: message, words: said }: ToldSentence): boolean {
  const isSource = memory.type === 'memory' && message.type === 'message' && memory.source?.messageId === message.id;
  return isSource && [...words.roots].every((root) => said.roots.has(root));
}

/** Ids are in the order of writing. */
function isNewer(one: SearchResult, other: SearchResult): boolean {
  const [oneAt, otherAt] = [momentOf(one), momentOf(other)];
  return oneAt === otherAt ? one.id > other.id : oneAt > otherAt;
}

function isWorthAPlace({ type, relevance }: SearchResult): boolean {
  return relevance >= WORTH[type];
}

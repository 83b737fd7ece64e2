import type { ContextRequest, ItemType, SearchResult } from '../../contract/search.ts';
import { excerptOf } from './excerpt.ts';
import { replacesSentence } from './restatements.ts';

/**
 * The least relevance at which a result is worth a place in a prompt that asked for no memory, by type: those of messages
 * are fitted to the hundreds of turns of a dialogue, so they are lower. See decision 0076.
 */
const WORTH: Readonly<Record<ItemType, number>> = { memory: 0.2, message: 0.07, episode: 0.35 };
/** Episodes would say again what their messages say. */
export const UNASKED_TYPES: ItemType[] = ['memory', 'message'];
/** Once anything is worth a place, others cost little and are often what is needed. */
const WORTH_BESIDE = 0.02;
const MAX_RESULTS = 5;
/** The results among which older statements are looked for. */
const COMPARED = 20;

export interface Unasked {
  exclude: ContextRequest['exclude'];
  /** Whether the prompt asks what the assistant said: otherwise only the user's own words are knowledge of the user. */
  asksForAssistant: boolean;
  /** Of the prompt's terms, by root. */
  weights: ReadonlyMap<string, number>;
}

/** Chooses from ranked results what to add to a prompt that asked for no memory: none, or the best few that still hold. */
export function chooseUnasked(results: readonly SearchResult[], unasked: Unasked): SearchResult[] {
  const { exclude, asksForAssistant, weights } = unasked;
  const usable = results.filter(
    (result) =>
      result.restatedBy === undefined &&
      result.relevance >= WORTH_BESIDE &&
      (result.type !== 'message' || result.role === (asksForAssistant ? 'assistant' : 'user')),
  );
  // What the model has already still takes the place of what is older.
  const current = withoutExcluded(currentOf(usable.slice(0, COMPARED), weights), exclude);
  return current.some(isWorthAPlace) ? current.slice(0, MAX_RESULTS) : [];
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

/** Puts a newer statement in the place of the older ones that it replaces. */
function currentOf(results: readonly SearchResult[], weights: ReadonlyMap<string, number>): SearchResult[] {
  const statements = results.map((result) => ({ result, sentence: sentenceOf(result, weights) }));
  const current = statements.map((older) => {
    const newer = statements.filter(
      ({ result, sentence }) =>
        result.type === older.result.type &&
        isNewer(result, older.result) &&
        replacesSentence(sentence, older.sentence, weights),
    );
    return newer.reduce((latest, one) => (isNewer(one.result, latest.result) ? one : latest), older).result;
  });
  return [...new Set(current)];
}

function sentenceOf({ content }: SearchResult, weights: ReadonlyMap<string, number>): string {
  const { pieces, matching } = excerptOf(content, weights, { whole: 0, matching: 1, from: 'following' });
  return matching.map((index) => pieces[index]!.text).join(' ');
}

/** Ids are in the order of writing. */
function isNewer(one: SearchResult, other: SearchResult): boolean {
  return one.createdAt === other.createdAt ? one.id > other.id : one.createdAt > other.createdAt;
}

function isWorthAPlace({ type, relevance }: SearchResult): boolean {
  return relevance >= WORTH[type];
}

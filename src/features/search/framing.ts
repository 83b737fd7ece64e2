import { languageOf } from '../languages/languages.ts';
import { STOP_WORDS } from '../text/stop-words.ts';
import { termsOf } from '../text/terms.ts';

const ACROSS = '(?:throughout|across|in|over|during|from) (?:all )?(?:of )?';
/** Excludes "in my chat app". */
const ENDS = '(?= (?:about|in|on|with)\\b|\\s*[.,;:?!]|\\s*$)';
const MENTIONED = '(?:brought up|bring up|mention(?:ed)?|discuss(?:ed)?|talk(?:ed)? about)';

/** What has "user" before it in software: "user table". */
const OF_SOFTWARE =
  'accounts?|agents?|apis?|auth\\w*|base|class|controllers?|data|database|endpoints?|entity|experience|flows?|groups?|guide|ids?|input|interfaces?|journeys?|lists?|login|management|manuals?|models?|names?|objects?|pages?|permissions?|registration|repository|research|roles?|schemas?|services?|sessions?|settings|signup|space|stor(?:y|ies)|tables?|tests?|testing|tokens?|types?';
/** The person whose memories are searched, as assistants ask: "user's car", "where does the user live", "user food allergies". */
const PERSON = new RegExp(
  [
    `\\b(?:(?:the|this) )?user['’]s(?= \\p{L})`,
    `(?<=\\b(?:do|does|did|is|was|has|had|can|should|would|will|about|of|for|to|by) )(?:the|this) user\\b(?!\\s+(?:${OF_SOFTWARE})\\b)`,
    `^\\s*(?:(?:the|this) )?user\\b(?!\\s*$|\\s+(?:${OF_SOFTWARE})\\b)`,
  ].join('|'),
  'giu',
);

/** Parts of a question about the conversations to look in, or about the form of the answer. What asks for the present depends on the language. */
const FRAMING: readonly RegExp[] = [
  PERSON,
  ...[
    `${ACROSS}(?:our|my|the|these) (?:\\w+ )?(?:conversations?|chats?|discussions?)${ENDS}`,
    `${ACROSS}(?:our sessions?|(?:our|my) (?:messages|questions|requests))${ENDS}`,
    `(?:the )?order in which (?:I|we|you) (?:\\w+ )?${MENTIONED}`,
    `(?:have|did) (?:I|we|you) (?:\\w+ )?${MENTIONED}`,
    `(?:I|we|you) (?:have |first )?${MENTIONED}`,
    `(?:different|various) (?:aspects|topics|points|things)`,
    `in (?:chronological )?order(?= to\\b|\\s*[.,;:?!]|\\s*$)`,
    `(?:mention|list|name|give)(?: me)? only (?:and only )?\\w+ (?:items?|things?|examples?)`,
    `(?:can|could|would) you (?:please )?(?:list|walk me through|give me|tell me|provide)`,
    `an? (?:(?:brief|clear|complete|comprehensive|detailed|full|short) )?(?:summary|overview|recap) of`,
    `summari[sz]e`,
    `over time|so far`,
    `how (?:many|much)(?: times)?`,
    `(?:what|which|any|some) (?:\\w+ )?(?:kind|sort|type)s? of`,
    `ever`,
  ].map((pattern) => new RegExp(`\\b(?:${pattern})\\b`, 'gi')),
];
/** In a longer question, a word for the present is one of many, and may be what was said. */
const MAX_PRESENT_WORDS = 8;
/** A longer query is a text rather than a question. */
const MAX_QUESTION_CHARACTERS = 1000;

/**
 * Removes the framing of a question: of "can you list the order in which I brought up the garden in our chats?", only
 * "the garden" is a subject to find. A query that is only framing is returned unchanged.
 */
export function withoutFraming(query: string): string {
  if (query.length > MAX_QUESTION_CHARACTERS) return query;
  const isShort = query.trim().split(/\s+/).length <= MAX_PRESENT_WORDS;
  const patterns = isShort ? [...FRAMING, languageOf(query).present] : FRAMING;
  const subject = patterns.reduce((text, pattern) => text.replace(pattern, ' '), query);
  return termsOf(subject).some((term) => !STOP_WORDS.has(term)) ? subject : query;
}

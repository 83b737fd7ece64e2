import { oneLine } from '../../contract/fence.ts';
import { languageOf } from '../languages/languages.ts';
import { searchReadingOf } from '../languages/search-words.ts';
import { piecesOf } from '../search/excerpt.ts';
import { type SentenceWords, sentenceWordsOf } from '../search/sentence-replacement.ts';
import { MIN_SHARED_SHARE, statementReader } from '../search/statement-words.ts';
import { termsOf } from '../text/terms.ts';

/** What the user said in a conversation, by whether it still holds. */
export interface SaidInSession {
  /** Whole messages that no longer hold. */
  replaced: string[];
  /** Sentences that state something. */
  outdated: string[];
  current: string[];
}

/** An episode, of which `summary` is what came of it or what was said. */
interface Session {
  title: string;
  summary: string;
}

interface Sentence {
  text: string;
  words: SentenceWords;
}

/** Begins what one speaker says in a generated summary. */
const SPEAKERS =
  /(?<=^|\s)(?=(?:user|assistant|system|a tool|\p{Lu}[^\s:]{0,30}(?: [^\s:]{1,30}){0,2}(?: \((?:assistant|system|tool)\))?): )/u;
const SPEAKER = /^[^:.!?]{1,100}: /;
/** A title that was generated: the most frequent words. */
const KEYWORDS = /^[\p{L}\p{M}\p{N}]+(?:, [\p{L}\p{M}\p{N}]+){0,3}$/u;

/** Returns the line of a session without what no longer holds; `undefined` if nothing is left. */
export function sessionLineOf({ title, summary }: Session, said: SaidInSession | undefined): string | undefined {
  const whole = summary === '' ? title : `${title}: ${summary}`;
  if (said === undefined || said.replaced.length + said.outdated.length === 0) return whole;
  const [outdated, current] = [said.outdated, said.current].map((texts) => texts.map(readSentence));
  const isOutdated = (text: string) =>
    saysAny(readSentence(text), { replaced: said.replaced.map(oneLine), outdated: outdated!, current: current! });
  const pieces = summary.split(SPEAKERS).flatMap((spoken) => piecesOf(spoken).map(({ text }) => text));
  const kept = pieces.filter((piece) => !isOutdated(piece.replace(SPEAKER, '').replace(/…$/, '')));
  if (kept.length === 0 && pieces.length > 0) return undefined;
  const isCut = KEYWORDS.test(title);
  const heading = isCut
    ? keywordsLeft(title, [...said.replaced, ...said.outdated], [...kept, ...said.current])
    : isOutdated(title)
      ? ''
      : title;
  // Words that are left of a title tell nothing alone.
  if (isCut && kept.length === 0 && heading !== title) return undefined;
  return [heading, kept.join(' ')].filter((part) => part !== '').join(': ') || undefined;
}

function readSentence(text: string): Sentence {
  return { text: oneLine(text), words: sentenceWordsOf(text, statementReader(searchReadingOf(languageOf(text)))) };
}

/** Whether a sentence is part of what no longer holds, or says most of it and nothing more that holds. */
function saysAny(
  { text, words }: Sentence,
  said: { replaced: readonly string[]; outdated: readonly Sentence[]; current: readonly Sentence[] },
): boolean {
  if (said.current.some((one) => one.text.includes(text))) return false;
  if ([...said.replaced, ...said.outdated.map((one) => one.text)].some((one) => one.includes(text))) return true;
  return said.outdated.some((older) => {
    const { telling } = older.words;
    const shared = telling.filter((root) => words.roots.has(root));
    if (shared.length === 0 || shared.length < MIN_SHARED_SHARE * telling.length) return false;
    const holds = (root: string) => words.roots.has(root) && !telling.includes(root);
    return !said.current.some((newer) => newer.words.telling.some(holds));
  });
}

/** Leaves out the words that only what no longer holds has. */
function keywordsLeft(title: string, outdated: readonly string[], kept: readonly string[]): string {
  const [gone, left] = [outdated, kept].map((texts) => new Set(texts.flatMap(termsOf)));
  const words = title.split(', ').filter((word) => !gone!.has(word) || left!.has(word));
  return words.join(', ');
}

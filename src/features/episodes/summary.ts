import { STOP_WORDS } from '../text/stop-words.ts';
import { termsOf } from '../text/terms.ts';

/** The parts of a message that a summary uses. */
export interface Spoken {
  speaker: string;
  content: string;
}

const MAX_SENTENCES = 3;
const MAX_SENTENCE_CHARACTERS = 240;
const TITLE_WORDS = 4;

/**
 * Finds an extractive summary in steps: the most representative sentences in their original order, each with its speaker.
 * SumBasic (Nenkova and Vanderwende 2005): the words of a chosen sentence count less for the next, for diversity. Uses no
 * model; linear in the sentences for each one chosen.
 */
export function* summarize(spoken: readonly Spoken[]): Generator<void, string> {
  const sentences: { speaker: string; text: string; bag: string[] }[] = [];
  for (const { speaker, content } of spoken) {
    for (const { text, bag } of sentencesOf(content)) sentences.push({ speaker, text, bag });
    yield;
  }
  const bags = sentences.map(({ bag }) => bag);
  const weights = wordWeights(bags);
  const chosen = new Set<number>();
  while (chosen.size < Math.min(MAX_SENTENCES, sentences.length)) {
    const best = bestSentence(bags, weights, chosen);
    if (best === undefined) break;
    chosen.add(best);
    for (const word of new Set(bags[best])) weights.set(word, weights.get(word)! ** 2);
    yield;
  }
  return [...chosen]
    .sort((a, b) => a - b)
    .map((index) => `${sentences[index]!.speaker}: ${shorten(sentences[index]!.text)}`)
    .join(' ');
}

/** Finds a title in steps: the most frequent words, in the order of their first occurrence. */
export function* titleOf(spoken: readonly Spoken[]): Generator<void, string> {
  const speakers = new Set(spoken.flatMap(({ speaker }) => termsOf(speaker)));
  const counts = new Map<string, number>();
  for (const { content } of spoken) {
    for (const word of new Set(contentWords(content))) {
      if (!speakers.has(word) && word.length > 3) counts.set(word, (counts.get(word) ?? 0) + 1);
    }
    yield;
  }
  const position = new Map([...counts.keys()].map((word, index) => [word, index]));
  const top = [...counts]
    .sort(([a, left], [b, right]) => right - left || position.get(a)! - position.get(b)!)
    .slice(0, TITLE_WORDS)
    .map(([word]) => word)
    .sort((a, b) => position.get(a)! - position.get(b)!);
  return top.length > 0 ? top.join(', ') : shorten(spoken[0]?.content ?? 'Episode');
}

function contentWords(text: string): string[] {
  return termsOf(text).filter((term) => !STOP_WORDS.has(term));
}

/** Sentences of at least three words, with their words. */
function sentencesOf(text: string): { text: string; bag: string[] }[] {
  return text
    .split(/(?<=[.!?。！？])\s+|\n+/u)
    .map((sentence) => sentence.trim())
    .map((sentence) => ({ text: sentence, bag: contentWords(sentence) }))
    .filter(({ bag }) => bag.length >= 3);
}

function wordWeights(bags: readonly string[][]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const word of bags.flat()) counts.set(word, (counts.get(word) ?? 0) + 1);
  const total = Math.max(1, bags.flat().length);
  return new Map([...counts].map(([word, count]) => [word, count / total]));
}

function bestSentence(
  bags: readonly string[][],
  weights: ReadonlyMap<string, number>,
  chosen: ReadonlySet<number>,
): number | undefined {
  let best: number | undefined;
  let bestWeight = -1;
  for (const [index, bag] of bags.entries()) {
    if (chosen.has(index)) continue;
    const weight = bag.reduce((sum, word) => sum + weights.get(word)!, 0) / bag.length;
    if (weight > bestWeight) {
      best = index;
      bestWeight = weight;
    }
  }
  return best;
}

function shorten(text: string): string {
  const characters = Array.from(text);
  return characters.length <= MAX_SENTENCE_CHARACTERS
    ? text
    : `${characters.slice(0, MAX_SENTENCE_CHARACTERS - 1).join('')}…`;
}

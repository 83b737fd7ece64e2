import type { Extracted } from '../src/features/extraction/prompt.ts';
import type { AskedModel } from '../test/helpers/providers/server.ts';

const LIKING = 'love|loved|like|liked|enjoy|enjoyed|prefer|adore';
const OWNING = 'own|have|got|bought|keep';
const PLANNING = 'plan|want|hope|decided';
/** `no longer` retracts an earlier statement in the same words. */
const FIRST_PERSON_STATEMENT = new RegExp(
  `\\bI(?:'ve|'m| am| have)?(?: just| also| really| no longer)? (?:${LIKING}|${OWNING}|${PLANNING})\\b`,
);
const RETRACTED = / no longer/;

/** Returns the sentences in which the speaker says what they like, own or plan. */
export function firstPersonSentences(text: string): string[] {
  const sentences = text.split(/(?<=[.!?])\s+/).map((sentence) => sentence.trim());
  return sentences.filter((sentence) => !sentence.endsWith('?') && FIRST_PERSON_STATEMENT.test(sentence));
}

export function memoryOf(speaker: string, sentence: string): string {
  return `${speaker}: ${sentence}`.replace(/\s+/g, ' ');
}

/**
 * Rule-based stand-in for a model: each first-person sentence becomes a memory that cites its message. Known words become
 * a `nothing` decision; a retraction supersedes the memory it retracts.
 */
export function firstPersonModel({ prompt }: AskedModel): { memories: Extracted[] } {
  const known = new Map(
    [...prompt.matchAll(/^\[(m\d+)\] \([\d-]+\) (.+)$/gm)].map(([, label, content]) => [content!, label!]),
  );
  const messages = [...prompt.matchAll(/^\[(\d+)\] \([\d-]+\) ([^:\n]+): (.+)$/gm)];
  const memories = messages.flatMap(([, number, speaker, text]) =>
    firstPersonSentences(text!).map((sentence) => extractedFrom(memoryOf(speaker!, sentence), Number(number), known)),
  );
  return { memories };
}

function extractedFrom(content: string, message: number, known: ReadonlyMap<string, string>): Extracted {
  const same = known.get(content);
  const before = RETRACTED.test(content) ? known.get(content.replace(RETRACTED, '')) : undefined;
  const decision = same !== undefined ? 'nothing' : before !== undefined ? 'supersede' : 'add';
  return { decision, content, tags: [], messages: [message], known: same ?? before ?? '', date: '', reason: 'by rule' };
}

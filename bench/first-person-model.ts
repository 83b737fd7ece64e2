import type { Extracted } from '../src/features/extraction/prompt.ts';
import type { AskedModel } from '../test/helpers/providers/server.ts';

const LIKING = 'love|loved|like|liked|enjoy|enjoyed|prefer|adore';
const OWNING = 'own|have|got|bought|keep';
const PLANNING = 'plan|want|hope|decided';
/** `no longer` takes back what was said in the same words before. */
const TELLING = new RegExp(
  `\\bI(?:'ve|'m| am| have)?(?: just| also| really| no longer)? (?:${LIKING}|${OWNING}|${PLANNING})\\b`,
);
const TAKEN_BACK = / no longer/;

/** The sentences of a text in which its speaker tells what they like, own or plan. */
export function tellingSentences(text: string): string[] {
  const sentences = text.split(/(?<=[.!?])\s+/).map((sentence) => sentence.trim());
  return sentences.filter((sentence) => !sentence.endsWith('?') && TELLING.test(sentence));
}

export function memoryOf(speaker: string, sentence: string): string {
  return `${speaker}: ${sentence}`.replace(/\s+/g, ' ');
}

/**
 * Stands in for a model, by a rule: each telling sentence becomes a memory of its speaker, citing its message. Where the
 * same words are known it says so; what is taken back takes the place of what was known.
 */
export function firstPersonModel({ prompt }: AskedModel): { memories: Extracted[] } {
  const known = new Map(
    [...prompt.matchAll(/^\[(m\d+)\] \([\d-]+\) (.+)$/gm)].map(([, label, content]) => [content!, label!]),
  );
  const messages = [...prompt.matchAll(/^\[(\d+)\] \([\d-]+\) ([^:\n]+): (.+)$/gm)];
  const memories = messages.flatMap(([, number, speaker, text]) =>
    tellingSentences(text!).map((sentence) => drawn(memoryOf(speaker!, sentence), Number(number), known)),
  );
  return { memories };
}

function drawn(content: string, message: number, known: ReadonlyMap<string, string>): Extracted {
  const same = known.get(content);
  const before = TAKEN_BACK.test(content) ? known.get(content.replace(TAKEN_BACK, '')) : undefined;
  const decision = same !== undefined ? 'nothing' : before !== undefined ? 'supersede' : 'add';
  return { decision, content, messages: [message], known: same ?? before ?? '', date: '', reason: 'by rule' };
}

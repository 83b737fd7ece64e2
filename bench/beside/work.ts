import type { Dialogue } from '../locomo-data.ts';
import { isHeadline } from '../retrieval/recall-table.ts';

/** What every system is given: texts to store, and questions about them. */
export interface Work {
  turns: { key: string; text: string }[];
  questions: AskedQuestion[];
}

export interface AskedQuestion {
  text: string;
  /** The word of the question that occurs in the fewest of the texts. */
  rarestWord: string;
  /** Keys of the texts that answer it. */
  evidence: string[];
}

/**
 * Takes the first texts of the dialogues, each once, and as many questions, evenly over all of those that they answer.
 * Adversarial questions are left out: they ask for what nobody said.
 */
export function workOf(dialogues: readonly Dialogue[], texts: number, questions: number): Work {
  const keyOfText = new Map<string, string>();
  const answerable: Omit<AskedQuestion, 'rarestWord'>[] = [];
  for (const dialogue of dialogues) {
    const keyOfTurn = new Map<string, string>();
    for (const { diaId, speaker, text } of dialogue.turns) {
      const content = `${speaker}: ${text}`;
      if (!keyOfText.has(content) && keyOfText.size === texts) break;
      const key = keyOfText.get(content) ?? `t${keyOfText.size + 1}`;
      keyOfText.set(content, key);
      keyOfTurn.set(diaId, key);
    }
    for (const { text, category, evidence } of dialogue.questions) {
      if (!isHeadline(category) || !evidence.every((diaId) => keyOfTurn.has(diaId))) continue;
      answerable.push({ text, evidence: evidence.map((diaId) => keyOfTurn.get(diaId)!) });
    }
  }
  const every = Math.max(1, answerable.length / questions);
  const chosen = Array.from(
    { length: Math.min(questions, answerable.length) },
    (_, at) => answerable[Math.floor(at * every)]!,
  );
  const lowered = [...keyOfText.keys()].map((content) => content.toLowerCase());
  return {
    turns: [...keyOfText].map(([text, key]) => ({ key, text })),
    questions: chosen.map((question) => ({ ...question, rarestWord: rarestWord(question.text, lowered) })),
  };
}

/** The word, of three letters or more, that is in the fewest texts but in one at least; the whole question if there is none. */
function rarestWord(question: string, texts: readonly string[]): string {
  let rarest = question;
  let fewest = Number.POSITIVE_INFINITY;
  for (const [word] of question.matchAll(/\p{L}{3,}/gu)) {
    const count = texts.filter((text) => text.includes(word.toLowerCase())).length;
    if (count === 0 || count >= fewest) continue;
    rarest = word;
    fewest = count;
  }
  return rarest;
}

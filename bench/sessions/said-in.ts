import { stemOf } from '../../src/features/text/porter.ts';
import { STOP_WORDS } from '../../src/features/text/stop-words.ts';
import { termsOf } from '../../src/features/text/terms.ts';
import type { Statement } from './people.ts';

/** The share of a fact's words that a line must hold to say it. */
const SHARE = 0.7;

/** Whether one line of a text says a fact: it holds most of the words that the statement and the fact share. */
export function saysFact(text: string, { prompt, fact = '' }: Statement): boolean {
  const said = wordsOf(prompt);
  const wanted = [...wordsOf(fact)].filter((word) => said.has(word));
  return text.split('\n').some((line) => {
    const words = wordsOf(line);
    return wanted.length > 0 && wanted.filter((word) => words.has(word)).length >= SHARE * wanted.length;
  });
}

function wordsOf(text: string): Set<string> {
  return new Set(
    termsOf(text)
      .filter((term) => !STOP_WORDS.has(term))
      .map(stemOf),
  );
}

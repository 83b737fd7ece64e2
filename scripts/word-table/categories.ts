import type { Senses } from '../../src/features/words/word-entry.ts';
import type { WordNet } from './wordnet.ts';

/**
 * Numbers the noun senses depth first, so that those below a sense have consecutive numbers. A sense with several
 * hypernyms, and all below it, gets a place below each.
 */
export function numberSenses({ synsets }: WordNet): Map<string, Senses[]> {
  const below = new Map<string, string[]>();
  const roots: string[] = [];
  for (const [key, { pointers }] of synsets) {
    if (!key.startsWith('noun')) continue;
    const above = pointers.filter(({ symbol }) => symbol === '@' || symbol === '@i').map(({ target }) => target);
    if (above.length === 0) roots.push(key);
    for (const one of above) {
      const siblings = below.get(one);
      if (siblings) siblings.push(key);
      else below.set(one, [key]);
    }
  }
  const senses = new Map<string, Senses[]>();
  let next = 1;
  const number = (key: string): void => {
    const first = next;
    next += 1;
    for (const one of below.get(key) ?? []) number(one);
    const places = senses.get(key);
    if (places) places.push({ first, last: next - 1 });
    else senses.set(key, [{ first, last: next - 1 }]);
  };
  for (const root of roots) number(root);
  return senses;
}

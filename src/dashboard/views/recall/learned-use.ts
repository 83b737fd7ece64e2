import type { SearchResult } from '../../../client/client.ts';
import { formatTimes } from '../../ranking-words.ts';

type LearnedWords = NonNullable<NonNullable<SearchResult['why']>['learnedWords']>;

/** Says how often a result was used for questions with its learned words: `used this twice`. */
export function describeUse(words: LearnedWords): string {
  const most = Math.max(...words.map(({ uses, observedUses }) => uses + observedUses));
  const verb = words.every(({ uses }) => uses === 0) ? 'read' : 'used';
  return `${verb} this ${formatTimes(most)}`;
}

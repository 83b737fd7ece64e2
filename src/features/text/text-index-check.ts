import type { ItemType } from '../../contract/search.ts';
import type { TotalsChange } from './word-totals.ts';

export const MAX_PROBLEMS = 20;

/** The table that an index is of, by row number. */
export const ROWS_OF = { memory: 'memories', message: 'messages', episode: 'episodes' } as const;

/** Describes the users whose stored totals are not those that were counted. */
export function differingTotals(
  type: ItemType,
  stored: readonly TotalsChange[],
  counted: readonly TotalsChange[],
): string[] {
  const is = byUser(stored);
  const should = byUser(counted);
  const differing = [...new Set([...is.keys(), ...should.keys()])].flatMap((user) => {
    const [has, counts] = [is.get(user) ?? NOTHING, should.get(user) ?? NOTHING];
    return has === counts ? [] : [`the ${type} totals of ${user} are ${has}, and should be ${counts}`];
  });
  return differing.slice(0, MAX_PROBLEMS);
}

const NOTHING = describe({ documents: 0, words: 0, passages: 0 });

function byUser(totals: readonly TotalsChange[]): Map<string, string> {
  return new Map(totals.map((each) => [`${each.tenantId}, user ${each.scope}`, describe(each)]));
}

function describe({ documents, words, passages }: Pick<TotalsChange, 'documents' | 'words' | 'passages'>): string {
  return `${documents} documents, ${words} words, ${passages} passages`;
}

import { readFile } from 'node:fs/promises';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { categoriesOf, indexedStemOf, relatedWordsOf } from '../../../src/features/words/related-words.ts';
import { formatEntry } from '../../../src/features/words/word-entry.ts';
import { createWordTable, encodeTable, type WordTable } from '../../../src/features/words/word-table.ts';
import { createWords } from '../../../src/features/words/words.ts';

const BUILT = new URL('../../../dist/words/', import.meta.url);

const word = fc.stringMatching(/^[a-z]{1,12}$/);
const senses = fc.record({ first: fc.nat(200_000), below: fc.nat(3000) });
const entry = fc.record({
  senses: fc.array(senses.map(({ first, below }) => ({ first, last: first + below }))),
  synonyms: fc.array(word),
  derived: fc.array(word),
  included: fc.array(word),
});

describe('an encoded table', () => {
  test('has every entry as it was, and no other', () => {
    fc.assert(
      fc.property(fc.dictionary(word, entry, { maxKeys: 40 }), fc.array(word), (entries, others) => {
        const lines = new Map(Object.entries(entries).map(([stem, one]) => [stem, formatEntry(one)]));
        const table = createWordTable(encodeTable(lines));
        for (const [stem, one] of Object.entries(entries)) expect(table.entryOf(stem)).toEqual(one);
        for (const other of others) if (!lines.has(other)) expect(table.entryOf(other)).toBeUndefined();
      }),
      { numRuns: 50 },
    );
  });
});

describe('the built table', () => {
  let table: WordTable;
  beforeAll(async () => {
    table = await createWords().table();
  });
  const related = (term: string) => relatedWordsOf(table, term);
  const includes = (term: string, member: string) => categoriesOf(table, [term]).of(indexedStemOf(member)) !== 0;

  test('is at most 1.6 MB, and has the license of WordNet beside it', async () => {
    expect((await readFile(new URL('words.bin', BUILT))).length).toBeLessThan(1_600_000);
    expect(await readFile(new URL('WORDNET-LICENSE', BUILT), 'utf8')).toMatch(/Princeton\s+University/);
  });

  test.each([
    ['boss', 'synonym', 'manager'],
    ['movies', 'synonym', 'film'],
    ['doctor', 'synonym', 'physician'],
    ['wives', 'synonym', 'spouse'],
    ['allergies', 'derived', 'allergic'],
    ['photographer', 'derived', 'photography'],
  ] as const)('relates "%s" to its %s "%s"', (term, relation, other) => {
    expect(related(term)).toContainEqual({ word: other, relation });
  });

  test.each([
    ['foods', 'pizza'],
    ['dog', 'puppy'],
    ['pets', 'beagle'],
    ['cities', 'athens'],
    ['instrument', 'cello'],
    ['siblings', 'sister'],
    ['sports', 'bouldering'],
    ['portugal', 'lisbon'],
    ['europe', 'lisbon'],
    ['medication', 'ibuprofen'],
    ['meds', 'ibuprofen'],
  ])('knows that "%s" includes "%s"', (category, member) => {
    expect(includes(category, member)).toBe(true);
  });

  test('includes nothing in itself, in a member, or in what everything is', () => {
    expect(includes('dog', 'dogs')).toBe(false);
    expect(includes('puppy', 'dog')).toBe(false);
    expect(includes('thing', 'dog')).toBe(false);
    expect(categoriesOf(table, ['xyzzy']).terms).toEqual([]);
  });
});

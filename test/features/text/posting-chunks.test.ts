import fc from 'fast-check';
import { expect, test } from 'vitest';
import { stemOfTerm } from '../../../src/features/text/document-terms.ts';
import { stemOf } from '../../../src/features/text/porter.ts';
import { encodeChunk, entriesOf } from '../../../src/features/text/posting-chunks.ts';
import { scopePrefix, tokenOf } from '../../../src/features/text/terms.ts';

const entry = fc.record({
  number: fc.oneof(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER })),
  frequency: fc.integer({ min: 1, max: 50_000 }),
  length: fc.integer({ min: 1, max: 60_000 }),
});
const byNumber = (a: { number: number }, b: { number: number }) => a.number - b.number;

test('encodings of lists, one after the other, are the encoding of all their entries', () => {
  const all = fc.uniqueArray(entry, { selector: ({ number }) => number, maxLength: 60 });
  fc.assert(
    fc.property(all, fc.nat(60), (entries, cut) => {
      const parts = [entries.slice(0, cut), entries.slice(cut)].map((part) => encodeChunk(part.toSorted(byNumber)));
      expect(entriesOf(Buffer.concat(parts))).toEqual(entries.toSorted(byNumber));
    }),
  );
});

test('takes a few bytes for each of many documents', () => {
  const entries = Array.from({ length: 1000 }, (_, at) => ({
    number: 5_000_000_000 + 3 * at,
    frequency: 1,
    length: 90,
  }));
  expect(encodeChunk(entries).length).toBeLessThan(3100);
});

test('a term is stemmed as its token is, whatever the user, and however often it was asked for', () => {
  const suffix = fc.constantFrom('', 's', 'ies', 'eed', 'ing', 'ational', 'ization', 'e', 'll', 'y', 'ement');
  const word = fc.tuple(fc.stringMatching(/^[a-zé茶_0-9]{0,24}$/u), suffix).map(([stem, end]) => stem + end);
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1e11 }), fc.integer({ min: 1, max: 99 }), word, (one, other, term) => {
      for (const scope of [one, other]) {
        const prefix = scopePrefix(scope, 'past');
        expect(tokenOf(prefix, stemOfTerm(prefix, term))).toBe(stemOf(tokenOf(prefix, term)));
      }
    }),
    { numRuns: 2000 },
  );
});

import { describe, expect, test } from 'vitest';
import {
  type PreparedTerms,
  partlyIndexed,
  prepareTerms,
  requireTerms,
  TermsMissing,
  writeWithTerms,
} from '../../../src/features/text/prepared-terms.ts';

const LONG = [`${'oolong '.repeat(400)}tea`];
const LONGER = [`${'oolong '.repeat(800)}tea`];
const SHORT = ['oolong tea'];

describe('a write with prepared terms', () => {
  test('runs once if it needs only what was expected, and short texts', async () => {
    let runs = 0;
    const written = await writeWithTerms('one', [LONG], async (terms) => {
      runs += 1;
      requireTerms(terms, [LONG, SHORT]);
      return 'written';
    });
    expect([written, runs]).toEqual(['written', 1]);
  });

  test('is repeated with the terms that it turned out to need', async () => {
    const found: string[][] = [];
    await writeWithTerms('one', [], async (terms) => {
      found.push([...terms.byText.keys()]);
      requireTerms(terms, [SHORT, LONG]);
    });
    expect(found).toEqual([[], LONG]);
  });

  test('keeps the terms of every attempt', async () => {
    let attempt = 0;
    await writeWithTerms('one', [SHORT], async (terms) => {
      attempt += 1;
      requireTerms(terms, attempt === 1 ? [LONG] : [LONG, LONGER]);
      expect([...terms.byText.keys()]).toEqual([...SHORT, ...LONG, ...LONGER]);
    });
    expect(attempt).toBe(3);
  });

  test('may read texts itself the third time, if they change with every attempt', async () => {
    let attempt = 0;
    const mayReadMore: boolean[] = [];
    await writeWithTerms('one', [], async (terms: PreparedTerms) => {
      attempt += 1;
      mayReadMore.push(terms.mayReadMore);
      requireTerms(terms, [[`${LONG} ${attempt}`]]);
    });
    expect(mayReadMore).toEqual([false, false, true]);
  });

  test('is not repeated after another error', async () => {
    let runs = 0;
    const write = writeWithTerms('one', [], async () => {
      runs += 1;
      throw new Error('broken');
    });
    await expect(write).rejects.toThrow('broken');
    expect(runs).toBe(1);
  });
});

describe('prepared terms', () => {
  test('lack the long items that were not prepared, all of which the error names', async () => {
    const terms = { ...(await prepareTerms('one', [LONG])), mayReadMore: false };
    expect(() => requireTerms(terms, [LONG, SHORT])).not.toThrow();
    const error = (() => {
      try {
        requireTerms(terms, [LONGER, LONG, [...LONG, 'tag']]);
      } catch (thrown) {
        return thrown as TermsMissing;
      }
      return undefined;
    })();
    expect(error).toBeInstanceOf(TermsMissing);
    expect(error!.items).toEqual([LONGER, [...LONG, 'tag']]);
  });

  test('tell which items are indexed only in part, prepared or not', async () => {
    const cut = ['ﷺ '.repeat(3000)];
    const terms = await prepareTerms('one', [cut, LONG]);
    const unprepared = await prepareTerms('one', []);
    for (const known of [terms, unprepared]) {
      expect(partlyIndexed(known, cut)).toEqual({ partlyIndexed: true });
      expect(partlyIndexed(known, LONG)).toEqual({});
      expect(partlyIndexed(known, SHORT)).toEqual({});
    }
  });
});

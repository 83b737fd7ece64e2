import { parseQuery } from '../src/features/search/parsed-query.ts';
import { termsOf } from '../src/features/text/terms.ts';
import { datesIn } from '../src/features/traits/dates.ts';
import { deriveFrom } from '../src/features/traits/traits.ts';
import type { BenchOptions } from './benchmarks.ts';
import type { Section } from './report.ts';
import { median } from './statistics.ts';
import { createTexts } from './texts.ts';

const NOW_MS = Date.UTC(2026, 4, 20);

interface Subject {
  name: string;
  characters: number;
  read(text: string): unknown;
  /** Repeated up to `characters`; chosen to provoke superlinear matching or folding. */
  units: readonly string[];
}

const SUBJECTS: readonly Subject[] = [
  {
    name: 'terms',
    characters: 100_000,
    read: termsOf,
    units: ['漢', '㍿', 'ﷺ', 'ก', 'a-a ', '\u0301', 'İ', '🧑‍🚀'],
  },
  {
    name: 'dates',
    characters: 100_000,
    read: (text) => datesIn(text, NOW_MS),
    units: ['yesterday ', 'last week ', '1/1', '2020-01-01T00:00:00', 'monday, ', 'may 5 ', '5:00-', '1 jan - '],
  },
  {
    name: 'traits',
    characters: 2000,
    read: (text) => deriveFrom(text, NOW_MS),
    units: ['?', '? ', '??a', 'in ', 'in the ', 'a \u00a0', ', ', 'I', "Aa'", '1', 'last ', '12/12/', 'ß', '\ud800'],
  },
  {
    name: 'query',
    characters: 10_000,
    read: (text) => parseQuery(text, NOW_MS),
    units: ['a', 'in the ', 'when ', 'last week ', '1/1', 'may 5 ', '漢', '? ', 'what ', 'a-', '\u0301'],
  },
];

/** Measures text functions on hostile input against ordinary prose of the same length. */
export async function benchWorstInputs({ rounds, progress }: BenchOptions): Promise<Section> {
  progress('reading hostile texts');
  const texts = createTexts(7);
  const rows = SUBJECTS.map(({ name, characters, read, units }) => {
    let prose = '';
    while (prose.length < characters) prose += `${texts.memory()} `;
    const ordinaryMs = timeOf(() => read(prose.slice(0, characters)), rounds);
    const hostile = units.map((unit) => {
      const text = unit.repeat(Math.ceil(characters / unit.length)).slice(0, characters);
      return { unit, ms: timeOf(() => read(text), rounds) };
    });
    const worst = hostile.reduce((slowest, one) => (one.ms > slowest.ms ? one : slowest));
    return {
      function: name,
      characters,
      'prose ms': ordinaryMs,
      'worst ms': worst.ms,
      'of nothing but': JSON.stringify(worst.unit),
      ratio: worst.ms / ordinaryMs,
    };
  });
  return {
    name: 'worst-inputs',
    title: 'Hostile input against ordinary prose of the same length',
    rows,
    findings: rows.map((row) => ({ name: `${row.function}: hostile ÷ prose`, value: row.ratio, atMost: 25 })),
  };
}

function timeOf(work: () => unknown, rounds: number): number {
  work();
  const times = Array.from({ length: rounds }, () => {
    const startMs = performance.now();
    work();
    return performance.now() - startMs;
  });
  return median(times);
}

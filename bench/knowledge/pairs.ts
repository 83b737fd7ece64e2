import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { relationOf } from '../../src/features/suggestions/pair-rules.ts';
import { type ReadStatement, readStatement } from '../../src/features/suggestions/read-statement.ts';
import { relatedBy } from '../../src/features/words/same-meaning.ts';
import { createWords } from '../../src/features/words/words.ts';

/** What one invented person said, on which day, and which statements say the same or take the place of others. */
interface Person {
  person: string;
  statements: { id: string; text: string; day: number }[];
  relations: { kind: 'replaces' | 'same'; newer: string; older: string }[];
  /** Pairs that look related, and are not. */
  lookAlikes: [string, string][];
}

interface Counts {
  right: number;
  wrong: number;
  expected: number;
}

const { values: options } = parseArgs({
  options: {
    data: { type: 'string', default: 'english' },
    show: { type: 'boolean', default: false },
    person: { type: 'string' },
  },
});

/**
 * Relates all pairs of each person's statements and counts what is right, by kind and person:
 * `node --import tsx bench/knowledge/pairs.ts [--data english] [--show]`.
 */
const file = new URL(`people/${options.data}.json`, import.meta.url);
const people = (JSON.parse(await readFile(file, 'utf8')) as Person[]).filter(
  ({ person }) => options.person === undefined || person.includes(options.person),
);
const areRelated = relatedBy(await createWords().table());
const sum: Record<string, Counts> = {};
for (const person of people) {
  const counts = countsOf(person);
  for (const [kind, { right, wrong, expected }] of Object.entries(counts)) {
    const total = sum[kind] ?? { right: 0, wrong: 0, expected: 0 };
    sum[kind] = { right: total.right + right, wrong: total.wrong + wrong, expected: total.expected + expected };
  }
  console.log(`${person.person}: ${textOf(counts)}`);
}
console.log(`all: ${textOf(sum)}`);

function countsOf({ statements, relations, lookAlikes }: Person): Record<string, Counts> {
  const expected = new Map(relations.map(({ kind, newer, older }) => [`${older} ${newer}`, kind]));
  const counts: Record<string, Counts> = {};
  for (const kind of ['merge', 'supersede']) {
    const label = kind === 'merge' ? 'same' : 'replaces';
    counts[kind] = { right: 0, wrong: 0, expected: relations.filter((relation) => relation.kind === label).length };
  }
  const touched = new Set<string>();
  const inTime = statements.toSorted((a, b) => a.day - b.day);
  const read = new Map<string, ReadStatement>(inTime.map(({ id, text }) => [id, readStatement(text)]));
  for (const [index, newer] of inTime.entries()) {
    for (const older of inTime.slice(0, index)) {
      const relation = relationOf(read.get(newer.id)!, read.get(older.id)!, areRelated);
      if (relation === undefined) continue;
      touched.add(`${older.id} ${newer.id}`).add(`${newer.id} ${older.id}`);
      const label =
        expected.get(`${older.id} ${newer.id}`) ??
        (relation.kind === 'merge' ? expected.get(`${newer.id} ${older.id}`) : undefined);
      const isRight = label === (relation.kind === 'merge' ? 'same' : 'replaces');
      counts[relation.kind]![isRight ? 'right' : 'wrong'] += 1;
      if (options.show)
        console.log(`${isRight ? '   ' : 'BAD'} ${relation.kind} (${relation.reason}): ${older.text} | ${newer.text}`);
    }
  }
  if (options.show) {
    for (const { kind, newer, older } of relations) {
      if (!touched.has(`${older} ${newer}`))
        console.log(`MISSED ${kind}: ${read.get(older)!.text} | ${read.get(newer)!.text}`);
    }
  }
  const harmed = lookAlikes.filter(([one, other]) => touched.has(`${one} ${other}`)).length;
  counts['look-alikes left alone'] = { right: lookAlikes.length - harmed, wrong: harmed, expected: lookAlikes.length };
  return counts;
}

function textOf(counts: Record<string, Counts>): string {
  return Object.entries(counts)
    .map(([kind, { right, wrong, expected }]) => {
      const precision = right + wrong === 0 ? '–' : (right / (right + wrong)).toFixed(2);
      return `${kind} precision ${precision}, recall ${(right / expected).toFixed(2)} (${right}, ${wrong} wrong, of ${expected})`;
    })
    .join('; ');
}

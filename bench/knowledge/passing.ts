/**
 * How well it is found that a memory's time has passed, and that it says several things: `node --import tsx
 * bench/knowledge/passing.ts [--show]`. The sets were written by somebody who did not know the rules.
 */
import { readFileSync } from 'node:fs';
import { passingOf } from '../../src/features/suggestions/passing-rules.ts';
import { separateStatementsIn } from '../../src/features/suggestions/separate-statements.ts';

const NOW_MS = Date.UTC(2026, 10, 26);
const DAY_MS = 86_400_000;
const isShown = process.argv.includes('--show');

interface Passing {
  person: string;
  content: string;
  said: string;
  expect: { from: string } | null;
  /** Another first day that is right, too. */
  fromAlso?: string | string[];
}

const read = <T>(name: string) =>
  JSON.parse(readFileSync(new URL(`people/${name}.json`, import.meta.url), 'utf8')) as T;
const share = (part: number, whole: number) => (whole === 0 ? '–' : (part / whole).toFixed(2));

const all = read<Passing[]>('expire');
for (const person of new Set(all.map((one) => one.person))) {
  const own = all.filter((one) => one.person === person);
  let [right, wrong, sameDay] = [0, 0, 0];
  for (const { content, said, expect } of own) {
    const found = passingOf(content, Date.parse(said));
    const isPassed = found !== undefined && found.endsMs + DAY_MS <= NOW_MS;
    if (isPassed && expect !== null) {
      right += 1;
      const also = own.find((one) => one.content === content)!.fromAlso ?? [];
      if ([expect.from, also].flat().includes(new Date(found.endsMs).toISOString().slice(0, 10))) sameDay += 1;
      else if (isShown)
        console.log(`  day ${new Date(found.endsMs).toISOString().slice(0, 10)} not ${expect.from}:`, content, said);
    } else if (isPassed) {
      wrong += 1;
      if (isShown) console.log('  wrong:', content);
    } else if (expect !== null && isShown) console.log('  missed:', content);
  }
  const wanted = own.filter(({ expect }) => expect !== null).length;
  console.log(
    `${person}: right ${share(right, right + wrong)} of those suggested, found ${share(right, wanted)} of ${wanted}, the same day ${share(sameDay, right)}`,
  );
}

const texts = read<{ content: string; expect: string[] | null }[]>('split');
let [right, wrong] = [0, 0];
for (const { content, expect } of texts) {
  const found = separateStatementsIn(content);
  if (found && expect) right += 1;
  else if (found) wrong += 1;
  if (isShown && found && !expect) console.log('  wrong:', found);
}
const wanted = texts.filter(({ expect }) => expect !== null).length;
console.log(`split: right ${share(right, right + wrong)}, found ${share(right, wanted)} of ${wanted}`);

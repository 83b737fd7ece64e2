import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { factsIn } from '../../src/features/suggestions/said-facts.ts';

/** What an invented person typed to assistants, with the facts in it that are worth keeping. */
interface Person {
  person: string;
  messages: { id: string; text: string; facts: string[] }[];
}

const { values: options } = parseArgs({
  options: {
    show: { type: 'boolean', default: false },
    person: { type: 'string', default: '' },
    data: { type: 'string', default: 'said' },
  },
});

/** Counts the facts that rules find in what people typed: `node --import tsx bench/knowledge/said.ts [--person NAME] [--show]`. */
const file = new URL(`people/${options.data}.json`, import.meta.url);
const people = (JSON.parse(await readFile(file, 'utf8')) as Person[]).filter(({ person }) =>
  person.includes(options.person),
);
const sum = { right: 0, wrong: 0, found: 0, expected: 0 };
for (const { person, messages } of people) {
  const own = { right: 0, wrong: 0, found: 0, expected: 0 };
  for (const { text, facts } of messages) {
    const said = factsIn(text).map((fact) => fact.text);
    const isOf = (one: string, fact: string) =>
      one.includes(fact) || (fact.includes(one) && one.length > fact.length / 2);
    own.right += said.filter((one) => facts.some((fact) => isOf(one, fact))).length;
    own.wrong += said.filter((one) => !facts.some((fact) => isOf(one, fact))).length;
    own.found += facts.filter((fact) => said.some((one) => isOf(one, fact))).length;
    own.expected += facts.length;
    if (!options.show) continue;
    for (const one of said) if (!facts.some((fact) => isOf(one, fact))) console.log(`WRONG: ${one} | ${text}`);
    for (const fact of facts)
      if (!said.some((one) => isOf(one, fact))) console.log(`MISSED: ${fact} | ${said.join(' / ')}`);
  }
  console.log(`${person}: ${textOf(own)}`);
  for (const key of ['right', 'wrong', 'found', 'expected'] as const) sum[key] += own[key];
}
console.log(`all: ${textOf(sum)}`);

function textOf({ right, wrong, found, expected }: typeof sum): string {
  const precision = right + wrong === 0 ? '–' : (right / (right + wrong)).toFixed(2);
  return `precision ${precision} (${right} of ${right + wrong}), recall ${(found / expected).toFixed(2)} (${found} of ${expected})`;
}

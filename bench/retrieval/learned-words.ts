import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { AddedMemory } from '../../src/contract/memories.ts';
import type { SearchAnswer } from '../../src/contract/search.ts';
import { createSeededRandom } from '../../test/helpers/seeded-random.ts';
import { callApi } from '../api-session.ts';
import { inFreshFolder } from '../processes.ts';
import { formatTable } from '../report.ts';
import { mean } from './recall-table.ts';
import { withAccount } from './stored-dialogues.ts';

const USAGE = `node --import tsx bench/retrieval/learned-words.ts --facts <file>[,<file>] [--seeds 2] [--person <name>] [--show] [--flood]

Measures what feedback changes for a person who asks the same thing again, in the same words and in others. People and
wordings are in wordings.json, by different hands; the facts are in their own files (people with "facts" or "statements").
The built daemon (npm run build) answers.

  --facts <files>  the people's facts, by the keys that wordings.json names
  --seeds <n>      orders of asking; every other need is taught, the even ones and the odd ones by turns
  --person <name>  only this person
  --flood          only the questions before and after a thousand uses of random results, and of one wrong result
  --show           lists the questions whose answer is not the first result after three uses`;

const { values } = parseArgs({
  options: {
    facts: { type: 'string' },
    seeds: { type: 'string', default: '2' },
    person: { type: 'string' },
    show: { type: 'boolean', default: false },
    flood: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

/** One need in three wordings; the last shares no word with the fact. */
interface Need {
  key: string;
  a: string;
  b: string;
  c: string;
}

interface Person {
  name: string;
  needs: Need[];
  others: { key: string; question: string }[];
}

interface Facts {
  facts?: { key: string; text: string }[];
  statements?: { key: string; fact?: string }[];
}

type Account = { url: string; apiKey: string };
/** Asks as one user; results are keys of facts, best first. */
type Ask = (query: string) => Promise<{ searchId: string; keys: string[]; ids: string[] }>;

/** How feedback is given in a scenario. */
type Teach = (needs: readonly Need[], parts: Teaching) => Promise<void>;
interface Teaching {
  ask: Ask;
  /** Reports the results with these keys as used; one that was not shown cannot be. */
  use: (found: Awaited<ReturnType<Ask>>, key: string | undefined) => Promise<void>;
  random: () => number;
}

const SCENARIOS: Readonly<Record<string, Teach>> = {
  'no feedback': async () => {},
  'one use': (needs, parts) => rounds(needs, parts, ['a']),
  'three uses': (needs, parts) => rounds(needs, parts, ['a', 'a', 'a']),
  'used for two wordings': (needs, parts) => rounds(needs, parts, ['a', 'b']),
  'found in other words': (needs, parts) => rounds(needs, parts, ['a'], 'c'),
  'random results used': async (needs, { ask, use, random }) => {
    for (let round = 0; round < 3; round += 1) {
      for (const { a } of needs) {
        const found = await ask(a);
        await use(found, found.keys[Math.floor(random() * found.keys.length)]);
      }
    }
  },
  'ten wrong uses, two right': async (needs, { ask, use }) => {
    for (const { a, key } of needs) {
      const first = await ask(a);
      const wrong = first.keys.find((one) => one !== key);
      for (let round = 0; round < 10; round += 1) await use(await ask(a), wrong);
      for (let round = 0; round < 2; round += 1) await use(await ask(a), key);
    }
  },
};

const FLOOD_EVENTS = 1000;
const FLOODS: Readonly<Record<string, Teach>> = {
  'no feedback': async () => {},
  'a thousand random uses': async (needs, { ask, use, random }) => {
    for (let event = 0; event < FLOOD_EVENTS; event += 1) {
      const found = await ask(needs[Math.floor(random() * needs.length)]!.a);
      await use(found, found.keys[Math.floor(random() * found.keys.length)]);
    }
  },
  'a thousand wrong uses of one, two right': async ([need], { ask, use }) => {
    const wrong = (await ask(need!.a)).keys.find((key) => key !== need!.key);
    for (let event = 0; event < FLOOD_EVENTS; event += 1) await use(await ask(need!.a), wrong);
    for (let event = 0; event < 2; event += 1) await use(await ask(need!.a), need!.key);
  },
};

/** Asks all needs once in each of the wordings; `first` is asked before and answered by nothing. */
async function rounds(
  needs: readonly Need[],
  { ask, use, random }: Teaching,
  wordings: readonly ('a' | 'b')[],
  first?: 'c',
): Promise<void> {
  for (const wording of wordings) {
    const shuffled = needs.map((need) => ({ need, at: random() })).sort((one, other) => one.at - other.at);
    for (const { need } of shuffled) {
      if (first) await ask(need[first]);
      await use(await ask(need[wording]), need.key);
    }
  }
}

/** Places of answers, from 1; 0 if not among the first ten. */
type Places = Record<(typeof WORDINGS)[number] | 'other', number[]>;
const WORDINGS = ['a', 'b', 'c'] as const;

/** The needs that are taught; all that was not counts as unrelated. */
function split({ needs, others }: Person, seed: number): { taught: Need[]; unrelated: Person['others'] } {
  const isTaught = (_: Need, at: number) => at % 2 === seed % 2;
  const rest = needs.filter((need, at) => !isTaught(need, at));
  const asked = rest.flatMap(({ key, a, b, c }) => [a, b, c].map((question) => ({ key, question })));
  return { taught: needs.filter(isTaught), unrelated: [...others, ...asked] };
}

async function placesOf({ taught, unrelated }: ReturnType<typeof split>, ask: Ask): Promise<Places> {
  const place = async (query: string, key: string) => (await ask(query)).keys.indexOf(key) + 1;
  const places: Places = { a: [], b: [], c: [], other: [] };
  for (const need of taught) {
    for (const wording of WORDINGS) places[wording].push(await place(need[wording], need.key));
  }
  for (const { key, question } of unrelated) places.other.push(await place(question, key));
  return places;
}

const hit = (places: readonly number[], within: number) =>
  mean(places.map((place) => (place > 0 && place <= within ? 1 : 0)));
const reciprocal = (places: readonly number[]) => mean(places.map((place) => (place > 0 ? 1 / place : 0)));

async function measure(person: Person, facts: ReadonlyMap<string, string>, account: Account): Promise<void> {
  const { url, apiKey } = account;
  const measured = new Map<string, Places>();
  for (const [name, teach] of Object.entries(values.flood ? FLOODS : SCENARIOS)) {
    const all: Places = { a: [], b: [], c: [], other: [] };
    for (let seed = 1; seed <= Number(values.seeds); seed += 1) {
      const user = `${person.name} ${name} ${seed}`;
      const keyOf = new Map<string, string>();
      const memories = [...facts.values()].map((content) => ({ content, user }));
      const { data } = await callApi<{ data: AddedMemory[] }>(url, apiKey, '/v1/memories/batch', { memories });
      for (const [at, key] of [...facts.keys()].entries()) keyOf.set(data[at]!.id, key);
      const ask: Ask = async (query) => {
        const found = await callApi<SearchAnswer>(url, apiKey, '/v1/search', { query, user, limit: 10 });
        const ids = found.results.map(({ id }) => id);
        return { searchId: found.searchId, ids, keys: ids.map((id) => keyOf.get(id)!) };
      };
      const use: Teaching['use'] = async ({ searchId, ids, keys }, key) => {
        const id = ids[keys.indexOf(key ?? '')];
        if (id !== undefined) await callApi(url, apiKey, `/v1/searches/${searchId}/feedback`, { used: [id] });
      };
      const parts = split(person, seed);
      await teach(parts.taught, { ask, use, random: createSeededRandom(seed).fraction });
      const places = await placesOf(parts, ask);
      if (values.show && name === 'three uses') show(parts.taught, places);
      for (const wording of [...WORDINGS, 'other'] as const) all[wording].push(...places[wording]);
    }
    measured.set(name, all);
  }
  const before = measured.get('no feedback')!;
  const shown = before.a.map((place) => place > 0);
  const rows = [...measured].map(([name, places]) => ({
    person: person.name,
    feedback: name,
    'asked, hit@1': hit(places.a, 1).toFixed(3),
    'of those shown': hit(
      places.a.filter((_, at) => shown[at]),
      1,
    ).toFixed(3),
    'other words, hit@1': hit(places.b, 1).toFixed(3),
    'no shared word, hit@1': hit(places.c, 1).toFixed(3),
    'no shared word, R@10': hit(places.c, 10).toFixed(3),
    'unrelated, R@10': hit(places.other, 10).toFixed(3),
    'unrelated, MRR': reciprocal(places.other).toFixed(3),
  }));
  process.stdout.write(`${formatTable(rows)}\n\n`);
}

function show(needs: readonly Need[], { a }: Places): void {
  for (const [at, { key, a: question }] of needs.entries()) {
    if (a[at] !== 1) process.stdout.write(`  ${a[at]}  ${question} (${key})\n`);
  }
}

async function main(): Promise<number> {
  if (values.help || values.facts === undefined) {
    process.stdout.write(`${USAGE}\n`);
    return values.help ? 0 : 2;
  }
  const { people } = JSON.parse(await readFile(new URL('wordings.json', import.meta.url), 'utf8')) as {
    people: Person[];
  };
  const stores: Map<string, string>[] = [];
  for (const file of values.facts.split(',')) {
    const { facts, statements } = JSON.parse(await readFile(resolve(file), 'utf8')) as Facts;
    const told = [
      ...(facts ?? []),
      ...(statements ?? []).flatMap(({ key, fact }) => (fact === undefined ? [] : { key, text: fact })),
    ];
    stores.push(new Map(told.map(({ key, text }) => [key, text])));
  }
  await inFreshFolder((dataDir) =>
    withAccount({ dataDir: join(dataDir, 'data') }, async (account) => {
      for (const person of people) {
        const facts = stores.find((one) => person.needs.every(({ key }) => one.has(key)));
        if (facts === undefined || (values.person ?? person.name) !== person.name) continue;
        await measure(person, facts, account);
      }
    }),
  );
  return 0;
}

process.exitCode = await main();

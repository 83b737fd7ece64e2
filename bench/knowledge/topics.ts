/**
 * How well topics are found on invented people: `node --import tsx bench/knowledge/topics.ts [heldout] [--show]`. The sets were
 * written by somebody who did not know the rules; `dev` was used to improve them.
 */
import { readFileSync } from 'node:fs';
import { keysOf, type Linked, linkNames } from '../../src/features/topics/linking.ts';
import { nameKeyOf, topicNamesIn } from '../../src/features/topics/topic-names.ts';
import { createWords } from '../../src/features/words/words.ts';
import { finish } from '../../src/lib/time-slices.ts';

interface Person {
  person?: string;
  name?: string;
  memories: { id: string; content: string; date: string; project: string | null; tags?: string[] }[];
  topics: { name: string; aliases: string[]; memoryIds: string[]; optionalIds?: string[]; project?: string }[];
  /** Neither wanted nor wrong. */
  optionalTopics: (string | { name: string })[];
  notTopics: string[];
}

const which = process.argv.includes('heldout') ? 'heldout' : 'dev';
const isShown = process.argv.includes('--show');
const file = new URL(`people/topics-${which}.json`, import.meta.url);
const read = JSON.parse(readFileSync(file, 'utf8')) as { people: Person[] } | Person[];
const people = Array.isArray(read) ? read : read.people;
const table = await createWords(new URL('../../dist/words/words.bin', import.meta.url)).table();

for (const person of people) {
  let number = 0;
  const linked: Linked = {
    owner: { tenantId: 't', endUser: 'u' },
    ...{ names: new Map(), topics: new Map(), changedNames: new Map(), newTopics: [], renamed: new Set() },
    nextId: () => `top_${++number}`,
  };
  const found = new Map<string, Set<string>>();
  const byDate = person.memories.toSorted((one, other) => (one.date < other.date ? -1 : 1));
  for (const { id, content, tags = [], project } of byDate) {
    const names = finish(topicNamesIn({ content, tags, project }, table));
    keysOf(names);
    for (const { topicId } of linkNames(linked, names).values()) {
      found.set(topicId, (found.get(topicId) ?? new Set()).add(id));
    }
  }
  const listed = [...found].filter(([, memories]) => memories.size > 1);
  const keysOfTopic = (id: string) =>
    new Set([...linked.names.values()].filter((row) => row.topicId === id).map(({ key }) => key));
  const labelOf = (id: string, memories: ReadonlySet<string>) => {
    const keys = keysOfTopic(id);
    return person.topics.find(
      ({ name, aliases, memoryIds }) =>
        [name, ...aliases].some((alias) => keys.has(nameKeyOf(alias))) &&
        memoryIds.filter((memory) => memories.has(memory)).length * 2 >= Math.min(memories.size, memoryIds.length),
    );
  };
  const matched = new Map(listed.map(([id, memories]) => [id, labelOf(id, memories)]));
  const labels = new Set([...matched.values()].filter((label) => label !== undefined));
  let right = 0;
  let wanted = 0;
  let given = 0;
  for (const label of person.topics) {
    const own = listed.filter(([id]) => matched.get(id) === label).map(([, memories]) => memories);
    const best = own.toSorted((one, other) => other.size - one.size)[0] ?? new Set<string>();
    right += label.memoryIds.filter((id) => best.has(id)).length;
    wanted += label.memoryIds.length;
    given += [...best].filter((id) => !(label.optionalIds ?? []).includes(id)).length;
    if (isShown && best.size < label.memoryIds.length) {
      const missed = label.memoryIds.filter((id) => !best.has(id));
      console.log(
        `  missed of ${label.name} (${best.size}/${label.memoryIds.length}):`,
        missed.map((id) => person.memories.find((one) => one.id === id)!.content).slice(0, 2),
      );
    }
  }
  if (isShown) {
    for (const [id, memories] of listed) {
      const label = matched.get(id);
      const extra = [...memories].filter((memory) => label !== undefined && !label.memoryIds.includes(memory));
      if (extra.length > 0)
        console.log(
          `  wrongly of ${label!.name}:`,
          extra.map((memory) => person.memories.find((one) => one.id === memory)!.content),
        );
    }
  }
  const optional = new Set(
    (person.optionalTopics ?? []).map((one) => nameKeyOf(typeof one === 'string' ? one : one.name)),
  );
  const wrong = listed.filter(
    ([id]) => matched.get(id) === undefined && ![...keysOfTopic(id)].some((key) => optional.has(key)),
  );
  const not = new Set(person.notTopics.map(nameKeyOf));
  const listedNot = listed.filter(([id]) => [...keysOfTopic(id)].some((key) => not.has(key)));
  if (isShown) {
    console.log(
      '  not labelled:',
      wrong.map(([id, memories]) => `${linked.topics.get(id)!.name} ${memories.size}`).join(', '),
    );
    console.log('  labelled as none:', listedNot.map(([id]) => linked.topics.get(id)!.name).join(', '));
  }
  const share = (part: number, whole: number) => (whole === 0 ? '–' : (part / whole).toFixed(2));
  console.log(
    `${person.person ?? person.name}: topics ${person.topics.length}, found ${share(labels.size, person.topics.length)}, right of those listed ${share(listed.length - wrong.length, listed.length)} of ${listed.length}, mentions found ${share(right, wanted)}, right ${share(right, given)}`,
  );
}

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AddedMemory } from '../../src/contract/memories.ts';
import { openConnection } from '../../src/db/connection.ts';
import type { CandidateSearch } from '../../src/features/search/candidate.ts';
import { createCandidates } from '../../src/features/search/candidates.ts';
import { NO_WORDS } from '../../src/features/words/word-table.ts';
import { callApi } from '../api-session.ts';
import { inFreshFolder } from '../processes.ts';
import type { Section } from '../report.ts';
import { type Owner, rank } from './ranker.ts';
import { mean } from './recall-table.ts';
import { withAccount } from './stored-dialogues.ts';

/** Facts told one by one, as people do, and questions of which each is answered by one fact; hand-written. */
interface Person {
  user: string;
  facts: [fact: string, questions: Record<string, string>][];
  /** A fact, a later one that replaces it unnamed, and a question. */
  updated: [before: string, after: string, question: string][];
}

interface Question {
  kind: string;
  text: string;
  answer: string;
}

interface Asked {
  kind: string;
  /** Place of the answer, from 1; 0 if it is not among the first ten. */
  rank: number;
}

const FILE = new URL('facts.json', import.meta.url);
const LIMIT = 10;
const SEARCHES: Readonly<Record<string, CandidateSearch>> = {
  without: createCandidates({ table: async () => NO_WORDS }),
  with: createCandidates(),
};

/** The half that no weight was chosen on, and its aims. */
const UNTUNED = 1;
const AIMS = { 1: 0.75, 5: 0.9 };

/**
 * Measures what is found of two invented people's facts about themselves, by kind of question, with related words and
 * without: whether the answer is the first result, and among the first five. Weights were chosen on the first person
 * alone.
 */
export async function benchFacts(): Promise<Section[]> {
  const { people } = JSON.parse(await readFile(FILE, 'utf8')) as { people: Person[] };
  return inFreshFolder((dataDir) =>
    withAccount({ dataDir }, async ({ url, apiKey }) => {
      for (const person of people) await store(person, (body) => callApi(url, apiKey, '/v1/memories/batch', body));
      const reader = await openConnection(join(dataDir, 'svc.db'), { readOnly: true });
      const sections: Section[] = [];
      for (const [index, person] of people.entries()) {
        const owner = (await reader.get<Owner>('SELECT tenantId, endUser, scope FROM scopes WHERE endUser = ?', [
          person.user,
        ]))!;
        const asked = new Map<string, Asked[]>();
        for (const [name, search] of Object.entries(SEARCHES)) {
          asked.set(name, await ask(person, async (query) => rank(reader, search, owner, { query, limit: LIMIT })));
        }
        sections.push(sectionOf(person, asked, index === UNTUNED));
      }
      await reader.close();
      return sections;
    }),
  );
}

function sectionOf({ user, facts }: Person, asked: ReadonlyMap<string, readonly Asked[]>, isUntuned: boolean): Section {
  const within = (count: 1 | 5) => hitShare(asked.get('with')!, count);
  const aim = (count: 1 | 5) => (isUntuned ? { atLeast: AIMS[count] } : {});
  return {
    name: 'facts',
    title: `${facts.length} facts about ${user}, without and with related words: first, and among the first five`,
    rows: rowsOf(asked),
    findings: ([1, 5] as const).map((count) => ({ name: `hit@${count}`, value: within(count), ...aim(count) })),
  };
}

/** What replaces another is stored after it. */
async function store({ user, facts, updated }: Person, add: (body: unknown) => Promise<{ data: AddedMemory[] }>) {
  for (const contents of [
    [...facts.map(([fact]) => fact), ...updated.map(([before]) => before)],
    updated.map(([, after]) => after),
  ]) {
    await add({ memories: contents.map((content) => ({ content, user })) });
  }
}

async function ask(
  { facts, updated }: Person,
  search: (query: string) => Promise<Awaited<ReturnType<typeof rank>>>,
): Promise<Asked[]> {
  const questions: Question[] = [
    ...facts.flatMap(([answer, asked]) => Object.entries(asked).map(([kind, text]) => ({ kind, text, answer }))),
    ...updated.map(([, answer, text]) => ({ kind: 'updated', text, answer })),
  ];
  const asked: Asked[] = [];
  for (const question of questions) {
    const found = (await search(question.text)).map(({ row }) => (row as { content: string }).content);
    asked.push({ kind: question.kind, rank: found.indexOf(question.answer) + 1 });
  }
  return asked;
}

function rowsOf(asked: ReadonlyMap<string, readonly Asked[]>): Record<string, string>[] {
  const kinds = ['all', ...new Set([...asked.values()].flat().map(({ kind }) => kind))];
  return kinds.map((kind) => {
    const of = (all: readonly Asked[]) => all.filter((one) => kind === 'all' || one.kind === kind);
    const columns = [...asked].flatMap(([name, all]) =>
      [1, 5].map((count) => [`${name}: hit@${count}`, hitShare(of(all), count).toFixed(3)]),
    );
    return { kind, count: String(of([...asked.values()][0]!).length), ...Object.fromEntries(columns) };
  });
}

function hitShare(asked: readonly Asked[], within: number): number {
  return mean(asked.map(({ rank: place }) => (place > 0 && place <= within ? 1 : 0)));
}

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AddedMemory } from '../../src/contract/memories.ts';
import { openConnection } from '../../src/db/connection.ts';
import type { CandidateSearch } from '../../src/features/search/candidate.ts';
import { createCandidates } from '../../src/features/search/candidates.ts';
import { NO_WORDS } from '../../src/features/words/word-table.ts';
import { callApi } from '../api-session.ts';
import { inFreshFolder } from '../processes.ts';
import { formatTable } from '../report.ts';
import { type Owner, rank } from './ranker.ts';
import { mean } from './recall-table.ts';
import { withAccount } from './stored-dialogues.ts';

const USAGE = `node --import tsx bench/retrieval/facts.ts [--misses]

Measures what is found of two invented people's facts about themselves, by kind of question, with related words and
without: whether the answer is the first result, and among the first five. Weights were chosen on the first person alone.
Needs the build (npm run build).

  --misses  lists the questions whose answer is not the first result`;

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

interface Asked extends Question {
  /** Place of the answer, from 1; 0 if it is not among the first ten. */
  rank: number;
  first: string;
}

const FILE = new URL('facts.json', import.meta.url);
const LIMIT = 10;
const SEARCHES: Readonly<Record<string, CandidateSearch>> = {
  without: createCandidates({ table: async () => NO_WORDS }),
  with: createCandidates(),
};

async function main(): Promise<void> {
  if (process.argv.includes('--help')) return void process.stdout.write(`${USAGE}\n`);
  const { people } = JSON.parse(await readFile(FILE, 'utf8')) as { people: Person[] };
  await inFreshFolder((dataDir) =>
    withAccount({ dataDir }, async ({ url, apiKey }) => {
      for (const person of people) await store(person, (body) => callApi(url, apiKey, '/v1/memories/batch', body));
      const reader = await openConnection(join(dataDir, 'svc.db'), { readOnly: true });
      for (const person of people) {
        const owner = (await reader.get<Owner>('SELECT tenantId, endUser, scope FROM scopes WHERE endUser = ?', [
          person.user,
        ]))!;
        const asked = new Map<string, Asked[]>();
        for (const [name, search] of Object.entries(SEARCHES)) {
          asked.set(name, await ask(person, async (query) => rank(reader, search, owner, { query, limit: LIMIT })));
        }
        process.stdout.write(`${person.user}, related words\n${formatTable(rowsOf(asked))}\n\n`);
        if (process.argv.includes('--misses')) listMisses(asked.get('with')!);
      }
      await reader.close();
    }),
  );
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
    asked.push({ ...question, rank: found.indexOf(question.answer) + 1, first: found[0] ?? '' });
  }
  return asked;
}

function rowsOf(asked: ReadonlyMap<string, readonly Asked[]>): Record<string, string>[] {
  const kinds = ['all', ...new Set([...asked.values()].flat().map(({ kind }) => kind))];
  return kinds.map((kind) => {
    const of = (all: readonly Asked[]) => all.filter((one) => kind === 'all' || one.kind === kind);
    const hit = (all: readonly Asked[], within: number) =>
      mean(of(all).map(({ rank: place }) => (place > 0 && place <= within ? 1 : 0))).toFixed(3);
    const columns = [...asked].flatMap(([name, all]) => [
      [`${name}: hit@1`, hit(all, 1)],
      ['hit@5', hit(all, 5)].map((text, at) => (at === 0 ? `${name}: ${text}` : text)),
    ]);
    return { kind, count: String(of([...asked.values()][0]!).length), ...Object.fromEntries(columns) };
  });
}

function listMisses(asked: readonly Asked[]): void {
  for (const { kind, text, answer, rank: place, first } of asked.filter((one) => one.rank !== 1)) {
    process.stdout.write(`${place} [${kind}] ${text}\n    ${answer}\n    first: ${first}\n`);
  }
}

await main();

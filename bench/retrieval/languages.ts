import { readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { Account } from '../../src/contract/account.ts';
import type { SearchAnswer } from '../../src/contract/search.ts';
import { callApi } from '../api-session.ts';
import { inFreshFolder } from '../processes.ts';
import { formatTable } from '../report.ts';
import { readLists } from './lists.ts';
import { mean } from './recall-table.ts';
import { refusedAtNineTenths } from './reliability.ts';
import { remember } from './remembering.ts';
import { withAccount } from './stored-dialogues.ts';

const USAGE = `node --import tsx bench/retrieval/languages.ts [--data <folder>] [--wordings] [--tags] [--supersede]

Stores one person's facts for each language in the built daemon (npm run build), and asks their questions in that language:
whether what answers stands first or among five, whether what nothing answers is refused where 90 % of the others are kept,
and whether what changed ranks above what it replaced. The worst language first.

  --data <folder>  a file for each language, as in bench/retrieval/languages (the default)
  --only <codes>   these languages
  --wordings       with other wordings of each question, from the folder wordings in the data folder
  --tags           store each fact with labels, from the folder tags in the data folder
  --supersede      as an assistant that judges right: what a new fact replaces is superseded if the answer to adding it lists it
  --at-once        ask before the daemon has compared the memories with each other
  --show           list what was not found; not for sets that are to stay blind`;

const { values } = parseArgs({
  options: {
    data: { type: 'string', default: 'bench/retrieval/languages' },
    only: { type: 'string' },
    wordings: { type: 'boolean', default: false },
    tags: { type: 'boolean', default: false },
    supersede: { type: 'boolean', default: false },
    'at-once': { type: 'boolean', default: false },
    show: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

interface LanguageSet {
  language: string;
  facts: { id: string; text: string; at?: string }[];
  questions: { id: string; text: string; needs: string[] }[];
  absent: { id: string; text: string }[];
  changes: { id: string; older: string; newer: string; question: string }[];
}

interface Found {
  ids: string[];
  confidence: number;
}

type Ask = (question: string) => Promise<Found>;

interface Told {
  ask: Ask;
  /** Of the facts that replace one: whether the answer to adding it listed that one. */
  isListed: boolean[];
}

async function main(): Promise<number> {
  if (values.help) {
    process.stdout.write(`${USAGE}\n`);
    return 0;
  }
  const sets = await readSets(resolve(values.data));
  const fileOf = ({ language }: LanguageSet) => join(resolve(values.data), `${language}.json`);
  const wordings = values.wordings ? await readLists(sets.map(fileOf), 'wordings') : new Map();
  const rows = await inFreshFolder((dataDir) =>
    withAccount({ dataDir }, async ({ url, apiKey }) => {
      const call = <T>(path: string, body?: unknown) => callApi<T>(url, apiKey, path, body);
      const told: (Told & { set: LanguageSet })[] = [];
      for (const set of sets) {
        const tags = values.tags ? await readLists([fileOf(set)], 'tags') : undefined;
        told.push({ set, ...(await tell(call, set, { wordings, tags })) });
      }
      while (!values['at-once'] && (await call<Account>('/v1/account')).unreadChanges > 0) await sleep(500);
      const measured: Measured[] = [];
      for (const { set, ...one } of told) measured.push(await measure(set, one));
      return measured;
    }),
  );
  const worstFirst = rows.toSorted((a, b) => a['hit@1'] - b['hit@1']);
  process.stdout.write(`${formatTable(worstFirst.map(shown))}\n`);
  return 0;
}

async function readSets(folder: string): Promise<LanguageSet[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.json')).sort();
  const sets = await Promise.all(
    names.map(async (name) => JSON.parse(await readFile(join(folder, name), 'utf8')) as LanguageSet),
  );
  const only = values.only?.split(',');
  return sets.filter(({ language }) => only?.includes(language) ?? true);
}

/** Stores the facts one by one, in their order. */
async function tell(
  call: <T>(path: string, body?: unknown) => Promise<T>,
  { language: user, facts, changes }: LanguageSet,
  { wordings, tags }: { wordings: ReadonlyMap<string, string[]>; tags: ReadonlyMap<string, string[]> | undefined },
): Promise<Told> {
  const replaced = new Map(changes.map(({ older, newer }) => [newer, older]));
  const inOrder = facts.toSorted((a, b) => Date.parse(a.at ?? '0') - Date.parse(b.at ?? '0'));
  const { keyOf, isListed } = await remember(
    call,
    inOrder.map(({ id: key, text: fact }) => ({ key, fact, replaces: replaced.get(key) })),
    { user, tags, supersedes: values.supersede },
  );
  const ask: Ask = async (query) => {
    const { results, confidence } = await call<SearchAnswer>('/v1/search', {
      query,
      ...(wordings.has(query) && { wordings: wordings.get(query)! }),
      user,
    });
    return { ids: results.map(({ id }) => keyOf.get(id)!), confidence };
  };
  return { ask, isListed };
}

interface Measured {
  language: string;
  questions: number;
  'hit@1': number;
  'hit@5': number;
  'absent refused': number;
  'newest first': number;
  'older listed': number;
}

async function measure(
  { language, questions, absent, changes }: LanguageSet,
  { ask, isListed }: Told,
): Promise<Measured> {
  const firsts: number[] = [];
  const fives: number[] = [];
  const stated: { probability: number; isTrue: boolean }[] = [];
  for (const { text, needs } of questions) {
    const { ids, confidence } = await ask(text);
    const place = ids.findIndex((id) => needs.includes(id));
    firsts.push(place === 0 ? 1 : 0);
    fives.push(place >= 0 && place < 5 ? 1 : 0);
    stated.push({ probability: confidence, isTrue: true });
    if (place !== 0)
      show(
        `${language} ${place + 1} ${confidence.toFixed(2)}: ${text} (${needs.join(' ')}; ${ids.slice(0, 3).join(' ')})`,
      );
  }
  for (const { text } of absent) {
    const { ids, confidence } = await ask(text);
    stated.push({ probability: confidence, isTrue: false });
    show(`${language} absent ${confidence.toFixed(2)}: ${text} (${ids[0]})`);
  }
  const newest: number[] = [];
  for (const { question, older, newer } of changes) {
    const { ids } = await ask(question);
    const [now, then] = [ids.indexOf(newer), ids.indexOf(older)];
    const isFirst = now >= 0 && (then < 0 || now < then);
    newest.push(isFirst ? 1 : 0);
    if (!isFirst) show(`${language} change ${now + 1} behind ${then + 1}: ${question}`);
  }
  return {
    language,
    questions: questions.length,
    'hit@1': mean(firsts),
    'hit@5': mean(fives),
    'absent refused': absent.length === 0 ? 1 : refusedAtNineTenths(stated).value,
    'newest first': newest.length === 0 ? 1 : mean(newest),
    'older listed': isListed.length === 0 ? 1 : mean(isListed.map(Number)),
  };
}

function shown(row: Measured): Record<string, string> {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      typeof value === 'number' && name !== 'questions' ? value.toFixed(3) : String(value),
    ]),
  );
}

function show(line: string): void {
  if (values.show) process.stderr.write(`${line}\n`);
}

process.exitCode = await main();

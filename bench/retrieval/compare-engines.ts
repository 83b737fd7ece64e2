import { parseArgs } from 'node:util';
import { createClient } from '../../src/client/client.ts';
import type { ContextAnswer, SearchAnswer, SearchResult } from '../../src/contract/search.ts';
import { callApi } from '../api-session.ts';
import { withDatabases } from '../databases.ts';
import { type Dialogue, readDialogues } from '../locomo-data.ts';
import { portions } from '../portions.ts';
import { inFreshFolder } from '../processes.ts';
import { formatTable } from '../report.ts';
import {
  type AskedQuestion,
  forEachQuestion,
  type StoredAs,
  type StoredDialogues,
  withAccount,
  withStored,
} from './stored-dialogues.ts';

const USAGE = `node --import tsx bench/retrieval/compare-engines.ts --data <file> [--dialogues <n>]

Asks the built daemon (npm run build) every question of labelled dialogues on SQLite and on PostgreSQL: searches of 100
results with their signals, and contexts. Stores the dialogues on SQLite and imports an export of
them on PostgreSQL, so that both have the same ids. Ends with 1 if an answer differs in anything but the moment of
asking: ids, order, scores, signals, relevance, confidence or text.

  --data <file>    dialogues in the format of the LoCoMo benchmark
  --dialogues <n>  compares only the first dialogues`;

const ASKED = ['auto', 'lexical', 'context'] as const;
type Asked = (typeof ASKED)[number];

/** How many answers agreed, and the first question whose answers did not. */
interface Compared {
  storedAs: StoredAs;
  asked: Asked;
  questions: number;
  same: number;
  difference: string | undefined;
}

const { values } = parseArgs({
  options: { data: { type: 'string' }, dialogues: { type: 'string' }, help: { type: 'boolean', default: false } },
});

/** A daemon's account. */
interface Account {
  url: string;
  apiKey: string;
}

async function answerOf({ url, apiKey }: Account, asked: Asked, { text: query, sampleId: user }: AskedQuestion) {
  if (asked === 'context') {
    const { searchId, ...context } = await callApi<ContextAnswer>(url, apiKey, '/v1/context', { query, user });
    return context;
  }
  const request = { query, user, strategy: asked, limit: 100, explain: true };
  const { searchId, tookMs, ...answer } = await callApi<SearchAnswer>(url, apiKey, '/v1/search', request);
  return { ...answer, results: answer.results.map(withRoundedRecency) };
}

/** The engines are asked at slightly different moments, in which results age. */
function withRoundedRecency({ why, ...result }: SearchResult) {
  const { recency, ...signals } = why!.signals;
  return { ...result, ...why, signals: { ...signals, recency: recency!.value.toFixed(6) } };
}

/** Where two values first differ, with what each has there; `undefined` if they are the same. */
function differenceOf(one: unknown, other: unknown, path = ''): string | undefined {
  if (Object.is(one, other)) return undefined;
  const isNested = [one, other].every((value) => typeof value === 'object' && value !== null);
  if (!isNested) return `${path}: ${JSON.stringify(one)} on SQLite, ${JSON.stringify(other)} on PostgreSQL`;
  const [left, right] = [one, other] as Record<string, unknown>[];
  for (const name of new Set([...Object.keys(left!), ...Object.keys(right!)])) {
    const difference = differenceOf(left![name], right![name], `${path}/${name}`);
    if (difference !== undefined) return difference;
  }
  return undefined;
}

async function copy(from: Account, to: Account): Promise<void> {
  const [source, target] = [from, to].map(({ url, apiKey }) => createClient({ baseUrl: url, apiKey }));
  const lines: string[] = [];
  for await (const { text } of source!.export()) lines.push(text);
  const { skipped } = await target!.import(portions(lines));
  if (skipped > 0) throw new Error(`The import skipped ${skipped} lines`);
}

/** Runs `work` with the same dialogues on both engines. */
async function withBoth<T>(
  dialogues: readonly Dialogue[],
  storedAs: StoredAs,
  work: (onSqlite: StoredDialogues, onPostgres: Account) => Promise<T>,
): Promise<T> {
  const withPostgres = (use: (account: Account) => Promise<T>) =>
    withDatabases('postgres', async (createDatabase) => {
      const settings = await createDatabase();
      return inFreshFolder((dataDir) => withAccount({ dataDir, settings }, use));
    });
  return inFreshFolder((dataDir) =>
    withStored({ dataDir }, dialogues, storedAs, (onSqlite) =>
      withPostgres(async (onPostgres) => {
        await copy(onSqlite, onPostgres);
        return work(onSqlite, onPostgres);
      }),
    ),
  );
}

async function compare(dialogues: readonly Dialogue[], storedAs: StoredAs): Promise<Compared[]> {
  return withBoth(dialogues, storedAs, async (onSqlite, onPostgres) => {
    const compared: Compared[] = [];
    for (const asked of ASKED) {
      const differences = await forEachQuestion(onSqlite, `${storedAs}, ${asked}`, async (question) => {
        const [one, other] = await Promise.all(
          [onSqlite, onPostgres].map((account) => answerOf(account, asked, question)),
        );
        const difference = differenceOf(one, other);
        return difference && `${question.text}\n  ${difference}`;
      });
      const different = differences.filter((difference) => difference !== undefined);
      const counts = { questions: differences.length, same: differences.length - different.length };
      compared.push({ storedAs, asked, ...counts, difference: different[0] });
    }
    return compared;
  });
}

async function main(): Promise<number> {
  if (values.help || values.data === undefined) {
    process.stdout.write(`${USAGE}\n`);
    return values.help ? 0 : 2;
  }
  const dialogues = (await readDialogues(values.data)).slice(
    0,
    values.dialogues ? Number(values.dialogues) : undefined,
  );
  const compared = [...(await compare(dialogues, 'conversations')), ...(await compare(dialogues, 'facts'))];
  const rows = compared.map(({ storedAs, asked, questions, same }) => ({
    'stored as': storedAs,
    ...{ asked, questions: String(questions), 'same on both engines': String(same) },
  }));
  process.stdout.write(`\n${formatTable(rows)}\n`);
  const differences = compared.flatMap(({ difference }) => difference ?? []);
  for (const difference of differences) process.stdout.write(`\n${difference}\n`);
  return differences.length === 0 ? 0 : 1;
}

process.exitCode = await main();

import { createHash } from 'node:crypto';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { Account } from '../src/contract/account.ts';
import type { AddedMemory, Memory } from '../src/contract/memories.ts';
import type { SearchAnswer } from '../src/contract/search.ts';
import { callApi, connectMcp, listAll, signInByMail } from './api-session.ts';
import { type Dialogue, readDialogues, type Turn } from './locomo-data.ts';
import { inFreshFolder, runSvc, startDaemon } from './processes.ts';
import { createProgress } from './progress.ts';
import { recallOf } from './recall.ts';
import { formatTable } from './report.ts';
import { type QuestionRecall, recallTable } from './retrieval/recall-table.ts';

const USAGE = `node --import tsx bench/locomo.ts --data <file> [--text-only] [--json]

Tests the built daemon (npm run build) end to end with real dialogues: starts it in an empty folder, signs in through
the mailed link, stores every turn, kills it with SIGKILL, restarts it, checks that nothing is lost, and asks all
questions over MCP. Exits with 1 if anything is lost or evidence recall@10 (categories 1 to 4) is below 0.58.

  --data <file>  LoCoMo dialogues (sample_id, conversation, qa)
  --text-only    store each turn as its text, without "Speaker: "
  --json         print the figures as JSON`;

const EMAIL = 'ada@example.com';
const RECALL_TARGET = 0.58;
const BATCH = 100;
const CALLERS = 4;

const { values } = parseArgs({
  options: {
    data: { type: 'string' },
    'text-only': { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

/** The memory of each turn, and each memory as the daemon returned it. */
interface Stored {
  /** Memory ids by dialogue and turn. */
  idOf: Map<string, string>;
  memories: Map<string, Memory>;
}

const turnKey = (sampleId: string, diaId: string) => `${sampleId} ${diaId}`;
const report = (text: string) => void process.stderr.write(`${text}\n`);

function toNewMemory(sampleId: string, { diaId, speaker, text, occurredAt }: Turn) {
  // A memory should name its subject.
  const content = values['text-only'] ? text : `${speaker}: ${text}`;
  return { content, user: sampleId, occurredAt, metadata: { diaId } };
}

async function store(url: string, apiKey: string, dialogues: readonly Dialogue[]): Promise<Stored> {
  const stored: Stored = { idOf: new Map(), memories: new Map() };
  const progress = createProgress(
    'turns stored',
    dialogues.reduce((sum, { turns }) => sum + turns.length, 0),
  );
  for (const { sampleId, turns } of dialogues) {
    for (let start = 0; start < turns.length; start += BATCH) {
      const batch = turns.slice(start, start + BATCH);
      const memories = batch.map((turn) => toNewMemory(sampleId, turn));
      const { data } = await callApi<{ data: AddedMemory[] }>(url, apiKey, '/v1/memories/batch', { memories });
      for (const [index, { duplicate: _, ...memory }] of data.entries()) {
        stored.idOf.set(turnKey(sampleId, batch[index]!.diaId), memory.id);
        stored.memories.set(memory.id, memory);
      }
      progress.advance(batch.length);
    }
    progress.finishPart(sampleId);
  }
  progress.end();
  return stored;
}

/** SHA-256 of all memories as the API returns them, ordered by id. */
function checksumOf(memories: Iterable<Memory>): string {
  const lines = [...memories].sort((a, b) => (a.id < b.id ? -1 : 1)).map((memory) => JSON.stringify(memory));
  return createHash('sha256').update(lines.join('\n')).digest('hex');
}

/** Checks every memory in the list, and one in twenty by id as well. */
async function countLost(url: string, apiKey: string, stored: Stored): Promise<number> {
  const listed = await listAll<Memory>((path) => callApi(url, apiKey, path), '/v1/memories');
  const single = [...stored.memories.keys()].filter((_, index) => index % 20 === 0);
  const fetched = [];
  for (const id of single) fetched.push(await callApi<Memory>(url, apiKey, `/v1/memories/${id}`));
  const listedById = new Map(listed.map((memory) => [memory.id, JSON.stringify(memory)]));
  const lost = [...stored.memories.values()].filter((memory) => listedById.get(memory.id) !== JSON.stringify(memory));
  const wrong = fetched.filter((memory) => listedById.get(memory.id) !== JSON.stringify(memory));
  const [before, after] = [checksumOf(stored.memories.values()), checksumOf(listed)];
  report(`  ${stored.memories.size} memories before, ${listed.length} after, ${fetched.length} also read by id`);
  report(
    `  SHA-256 before ${before.slice(0, 16)}…, after ${after.slice(0, 16)}…${before === after ? ' (identical)' : ''}`,
  );
  return lost.length + wrong.length + (before === after ? 0 : 1);
}

async function ask(url: string, apiKey: string, dialogues: readonly Dialogue[], stored: Stored) {
  const client = await connectMcp(url, apiKey);
  const questions = dialogues.flatMap(({ sampleId, questions }) => questions.map((one) => ({ ...one, sampleId })));
  const progress = createProgress('questions asked', questions.length);
  const asked: QuestionRecall[] = [];
  const queue = questions.values();
  await Promise.all(
    Array.from({ length: CALLERS }, async () => {
      for (const { sampleId, text, category, evidence } of queue) {
        const call = { name: 'memory_search', arguments: { query: text, user: sampleId, limit: 10 } };
        const answer = await client.callTool(call);
        if (answer.isError) throw new Error(`memory_search: ${JSON.stringify(answer.content)}`);
        const { results } = answer.structuredContent as unknown as SearchAnswer;
        const wanted = evidence.map((diaId) => stored.idOf.get(turnKey(sampleId, diaId))!);
        const found = results.map(({ id }) => id);
        asked.push({ category, evidence: wanted.length, recall: recallOf(wanted, found) });
        progress.advance(1);
      }
    }),
  );
  progress.end();
  await client.close();
  return asked;
}

/** Converts counts to text, because only shares are formatted as decimals. */
function tableOf(asked: readonly QuestionRecall[]) {
  return recallTable(asked).map((row) => ({ ...row, count: String(row.count) }));
}

async function runEndToEnd(dataDir: string, dialogues: readonly Dialogue[]) {
  const mailDir = join(dataDir, 'mail');
  let daemon = await startDaemon({ dataDir });
  try {
    report(`svc is running in an empty folder at ${daemon.url}`);
    const apiKey = await signInByMail(daemon.url, mailDir, EMAIL);
    const { tier } = await callApi<Account>(daemon.url, apiKey, '/v1/account');
    report(`signed in as ${EMAIL} through the mailed link, tier ${tier}`);
    const { output } = await runSvc(['admin', 'tier', EMAIL, 'Enterprise'], dataDir);
    const { limits } = await callApi<Account>(daemon.url, apiKey, '/v1/account');
    report(
      `$ svc admin tier ${EMAIL} Enterprise\n  ${output.trim()} (${limits.requestsPerMinute} requests per minute)`,
    );
    const stored = await store(daemon.url, apiKey, dialogues);
    await daemon.stop('SIGKILL');
    daemon = await startDaemon({ dataDir });
    report(`killed with SIGKILL, restarted on the same folder in ${Math.round(daemon.startMs)} ms`);
    const lost = await countLost(daemon.url, apiKey, stored);
    report(lost === 0 ? '  nothing lost' : `  LOST or changed: ${lost}`);
    const asked = await ask(daemon.url, apiKey, dialogues, stored);
    return { turns: stored.idOf.size, memories: stored.memories.size, lost, table: tableOf(asked) };
  } finally {
    await daemon.stop();
  }
}

async function main(): Promise<number> {
  if (values.help || values.data === undefined) {
    process.stdout.write(`${USAGE}\n`);
    return values.help ? 0 : 2;
  }
  const dialogues = await readDialogues(resolve(values.data));
  const startMs = performance.now();
  const outcome = await inFreshFolder((folder) => runEndToEnd(folder, dialogues));
  const seconds = Math.round((performance.now() - startMs) / 100) / 10;
  const reached = outcome.table[0]!['recall@10'] >= RECALL_TARGET;
  if (values.json) {
    process.stdout.write(
      `${JSON.stringify({ ...outcome, textOnly: values['text-only'], seconds, reached }, null, 2)}\n`,
    );
  } else {
    const rows = outcome.table.map(({ mrr, ...rest }) => ({ ...rest, MRR: mrr }));
    process.stdout.write(`\n${formatTable(rows.map(withThreeDecimals))}\n\n`);
    process.stdout.write(
      `recall@10 of categories 1 to 4: target at least ${RECALL_TARGET}, ${reached ? 'reached' : 'MISSED'}; ${seconds} s in total\n`,
    );
  }
  return reached && outcome.lost === 0 ? 0 : 1;
}

function withThreeDecimals(row: Record<string, string | number>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, typeof value === 'number' ? value.toFixed(3) : value]),
  );
}

process.exitCode = await main();

import { createHash } from 'node:crypto';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { Account } from '../src/contract/account.ts';
import type { AddedMemory, Memory } from '../src/contract/memories.ts';
import type { SearchAnswer } from '../src/contract/search.ts';
import { type Dialogue, readDialogues, type Turn } from './locomo-data.ts';
import { callApi, connectMcp, signInByMail } from './person.ts';
import { inFreshFolder, runSvc, startDaemon } from './processes.ts';
import { createProgress } from './progress.ts';
import { type Recall, recallOf } from './recall.ts';
import { formatTable } from './report.ts';
import { recallTable } from './retrieval/recall-table.ts';

const USAGE = `node --import tsx bench/locomo.ts --data <file> [--text-only] [--json]

Takes the built daemon (npm run build) the whole way with real dialogues: starts it in an empty folder, signs in
through the mailed link, stores every turn, kills it with SIGKILL, starts it again, looks whether anything is lost, and
asks all questions over MCP. Ends with 1 where something is lost or evidence recall@10 (categories 1 to 4) is below 0.58.

  --data <file>  dialogues of the LoCoMo benchmark (sample_id, conversation, qa)
  --text-only    store a turn as its text alone, not as "Speaker: text"
  --json         print the figures as JSON`;

const EMAIL = 'ada@example.com';
const RECALL_AIM = 0.58;
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

/** What was stored: each turn's memory, and what each memory said when the daemon answered. */
interface Stored {
  /** By dialogue and turn. */
  idOf: Map<string, string>;
  memories: Map<string, Memory>;
}

const placeOf = (sampleId: string, diaId: string) => `${sampleId} ${diaId}`;
const say = (text: string) => void process.stderr.write(`${text}\n`);

function toNewMemory(sampleId: string, { diaId, speaker, text, occurredAt }: Turn) {
  // A memory should say by itself whom it is about.
  const content = values['text-only'] ? text : `${speaker}: ${text}`;
  return { content, user: sampleId, occurredAt, metadata: { diaId } };
}

async function store(url: string, apiKey: string, dialogues: readonly Dialogue[]): Promise<Stored> {
  const stored: Stored = { idOf: new Map(), memories: new Map() };
  const progress = createProgress(
    'stored turns',
    dialogues.reduce((sum, { turns }) => sum + turns.length, 0),
  );
  for (const { sampleId, turns } of dialogues) {
    for (let start = 0; start < turns.length; start += BATCH) {
      const batch = turns.slice(start, start + BATCH);
      const memories = batch.map((turn) => toNewMemory(sampleId, turn));
      const { data } = await callApi<{ data: AddedMemory[] }>(url, apiKey, '/v1/memories/batch', { memories });
      for (const [index, { duplicate: _, ...memory }] of data.entries()) {
        stored.idOf.set(placeOf(sampleId, batch[index]!.diaId), memory.id);
        stored.memories.set(memory.id, memory);
      }
      progress.advance(batch.length);
    }
    progress.finishPart(sampleId);
  }
  progress.end();
  return stored;
}

/** SHA-256 over all memories as the interface shows them, in the order of their ids. */
function checksumOf(memories: Iterable<Memory>): string {
  const lines = [...memories].sort((a, b) => (a.id < b.id ? -1 : 1)).map((memory) => JSON.stringify(memory));
  return createHash('sha256').update(lines.join('\n')).digest('hex');
}

async function listAll(url: string, apiKey: string): Promise<Memory[]> {
  const all: Memory[] = [];
  let cursor: string | null = null;
  do {
    const query = new URLSearchParams({ limit: '200', ...(cursor !== null && { cursor }) });
    const page: { data: Memory[]; nextCursor: string | null } = await callApi(url, apiKey, `/v1/memories?${query}`);
    all.push(...page.data);
    cursor = page.nextCursor;
  } while (cursor !== null);
  return all;
}

/** Every memory by the list, one in twenty by its id as well. */
async function countLost(url: string, apiKey: string, stored: Stored): Promise<number> {
  const listed = await listAll(url, apiKey);
  const single = [...stored.memories.keys()].filter((_, index) => index % 20 === 0);
  const fetched = [];
  for (const id of single) fetched.push(await callApi<Memory>(url, apiKey, `/v1/memories/${id}`));
  const there = new Map(listed.map((memory) => [memory.id, JSON.stringify(memory)]));
  const lost = [...stored.memories.values()].filter((memory) => there.get(memory.id) !== JSON.stringify(memory));
  const wrong = fetched.filter((memory) => there.get(memory.id) !== JSON.stringify(memory));
  const [before, after] = [checksumOf(stored.memories.values()), checksumOf(listed)];
  say(`  ${stored.memories.size} memories before, ${listed.length} after, ${fetched.length} also read one by one`);
  say(`  SHA-256 before ${before.slice(0, 16)}…, after ${after.slice(0, 16)}…${before === after ? ': the same' : ''}`);
  return lost.length + wrong.length + (before === after ? 0 : 1);
}

async function ask(url: string, apiKey: string, dialogues: readonly Dialogue[], stored: Stored) {
  const client = await connectMcp(url, apiKey);
  const questions = dialogues.flatMap(({ sampleId, questions }) => questions.map((one) => ({ ...one, sampleId })));
  const progress = createProgress('asked questions', questions.length);
  const asked: { category: number; recall: Recall }[] = [];
  const queue = questions.values();
  await Promise.all(
    Array.from({ length: CALLERS }, async () => {
      for (const { sampleId, text, category, evidence } of queue) {
        const call = { name: 'memory_search', arguments: { query: text, user: sampleId, limit: 10 } };
        const answer = await client.callTool(call);
        if (answer.isError) throw new Error(`memory_search: ${JSON.stringify(answer.content)}`);
        const { results } = answer.structuredContent as unknown as SearchAnswer;
        const wanted = evidence.map((diaId) => stored.idOf.get(placeOf(sampleId, diaId))!);
        const found = results.map(({ id }) => id);
        asked.push({ category, recall: recallOf(wanted, found) });
        progress.advance(1);
      }
    }),
  );
  progress.end();
  await client.close();
  return asked;
}

/** Counts as text: they are no shares. */
function tableOf(asked: Parameters<typeof recallTable>[0]) {
  return recallTable(asked).map((row) => ({ ...row, count: String(row.count) }));
}

async function wholeWay(dataDir: string, dialogues: readonly Dialogue[]) {
  const mailDir = join(dataDir, 'mail');
  let daemon = await startDaemon({ dataDir });
  try {
    say(`svc serves in an empty folder at ${daemon.url}`);
    const apiKey = await signInByMail(daemon.url, mailDir, EMAIL);
    const { tier } = await callApi<Account>(daemon.url, apiKey, '/v1/account');
    say(`signed in as ${EMAIL} through the mailed link, tier ${tier}`);
    const { output } = await runSvc(['admin', 'tier', EMAIL, 'Enterprise'], dataDir);
    const { limits } = await callApi<Account>(daemon.url, apiKey, '/v1/account');
    say(`$ svc admin tier ${EMAIL} Enterprise\n  ${output.trim()} (${limits.requestsPerMinute} requests a minute)`);
    const stored = await store(daemon.url, apiKey, dialogues);
    await daemon.stop('SIGKILL');
    daemon = await startDaemon({ dataDir });
    say(`killed with SIGKILL, started again on the same folder in ${Math.round(daemon.startMs)} ms`);
    const lost = await countLost(daemon.url, apiKey, stored);
    say(lost === 0 ? '  nothing lost' : `  LOST or altered: ${lost}`);
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
  const outcome = await inFreshFolder((folder) => wholeWay(folder, dialogues));
  const seconds = Math.round((performance.now() - startMs) / 100) / 10;
  const reached = outcome.table[0]!['recall@10'] >= RECALL_AIM;
  if (values.json) {
    process.stdout.write(
      `${JSON.stringify({ ...outcome, textOnly: values['text-only'], seconds, reached }, null, 2)}\n`,
    );
  } else {
    const rows = outcome.table.map(({ mrr, ...rest }) => ({ ...rest, MRR: mrr }));
    process.stdout.write(`\n${formatTable(rows.map(withThreeDigits))}\n\n`);
    process.stdout.write(
      `recall@10 of categories 1 to 4: aim at least ${RECALL_AIM}, ${reached ? 'reached' : 'MISSED'}; ${seconds} s in all\n`,
    );
  }
  return reached && outcome.lost === 0 ? 0 : 1;
}

function withThreeDigits(row: Record<string, string | number>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, typeof value === 'number' ? value.toFixed(3) : value]),
  );
}

process.exitCode = await main();

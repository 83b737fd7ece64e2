import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { readDialogues } from '../locomo-data.ts';
import { inFreshFolder } from '../processes.ts';
import { formatSection, formatTable, isReached, type Section } from '../report.ts';
import {
  askContexts,
  askQuestions,
  type ContextFigure,
  type DialogueFigures,
  recordPools,
  withStored,
} from './dialogues.ts';
import { benchRecall } from './latency.ts';
import type { RecallRow } from './recall-table.ts';
import { type Calibration, simulateUsers } from './simulation.ts';

const USAGE = `node --import tsx bench/retrieval/run.ts --data <file> [--users 60] [--seed 1] [--embeddings <setting>] [--latency] [--json]

Measures what the built daemon (npm run build) finds and learns. Stores labelled dialogues as conversations and, in
another daemon, as bare facts, through the API; asks every question over REST and MCP; looks how much of the evidence
contexts hold; then simulates users who say which results they used. Ends with 1 if a target is missed.

  --data <file>  dialogues in the format of the LoCoMo benchmark (sample_id, conversation, qa)
  --users <n>    simulated users of each kind; 0 for none
  --seed <n>     another draw of users
  --embeddings <setting>
                 searches by meaning too, with what SVC_EMBEDDINGS may name (a folder: absolute); asks once all has its
                 vector
  --latency      searches by the size of the tenant as well (npm run bench -- recall): some minutes
  --json         print the figures as JSON`;

/** Targets over conversations, categories 1 to 4. */
const TARGETS = { 'recall@5': 0.73, 'recall@10': 0.8, mrr: 0.64, contextOf1000: 0.7 };

const { values } = parseArgs({
  options: {
    data: { type: 'string' },
    users: { type: 'string', default: '60' },
    seed: { type: 'string', default: '1' },
    embeddings: { type: 'string' },
    latency: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

interface Figures {
  dialogues: DialogueFigures[];
  contexts: ContextFigure[];
  sections: Section[];
  calibration: Calibration | null;
}

async function measure(file: string): Promise<Figures> {
  const dialogues = await readDialogues(file);
  const settings: Record<string, string> = values.embeddings ? { SVC_EMBEDDINGS: values.embeddings } : {};
  const conversations = await inFreshFolder((folder) =>
    withStored({ dataDir: folder, settings }, dialogues, 'conversations', async (stored) => ({
      dialogues: [
        await askQuestions(stored, 'rest'),
        await askQuestions(stored, 'mcp'),
        await askQuestions(stored, 'rest', 'lexical'),
        ...(values.embeddings === undefined ? [] : [await askQuestions(stored, 'rest', 'semantic')]),
      ],
      contexts: await askContexts(stored),
      pools: await recordPools(stored),
    })),
  );
  const facts = await inFreshFolder((folder) =>
    withStored({ dataDir: folder, settings }, dialogues, 'facts', async (stored) => [
      await askQuestions(stored, 'rest'),
      await askQuestions(stored, 'rest', 'lexical'),
    ]),
  );
  const users = Number(values.users);
  const simulated = users > 0 ? simulateUsers(conversations.pools, { users, seed: Number(values.seed) }) : undefined;
  const sections = simulated ? [simulated.section] : [];
  const progress = (text: string) => process.stderr.write(`… ${text}\n`);
  if (values.latency) sections.push(await benchRecall({ rounds: 3, seconds: 4, nodeOptions: [], progress }));
  return {
    dialogues: [...conversations.dialogues, ...facts],
    contexts: conversations.contexts,
    sections,
    calibration: simulated?.calibration ?? null,
  };
}

function textOf({ dialogues, contexts, sections, calibration }: Figures): string {
  const lines = dialogues.flatMap(({ storedAs, door, strategy, questions }) => [
    `Turns stored as ${storedAs}, asked by ${door}, strategy ${strategy}`,
    formatTable(questions.map(withThreeDigits)),
    '',
  ]);
  const shares = contexts.map(({ maxTokens, hit, recall }) => ({
    'tokens of context': maxTokens,
    'holds evidence': hit.toFixed(3),
    'share of the evidence': recall.toFixed(3),
  }));
  const learning = calibration ? [`Fitted anew to these pools: ${JSON.stringify(calibration)}`, ''] : [];
  const contextLines = ['Contexts over conversations, categories 1 to 4', formatTable(shares), ''];
  return [...lines, ...contextLines, ...sections.map(formatSection), ...learning].join('\n');
}

function withThreeDigits({ questions, count, mrr, ...rest }: RecallRow): Record<string, string | number> {
  const shares = Object.entries({ ...rest, MRR: mrr }).map(([name, value]) => [name, value.toFixed(3)]);
  return { questions, count: String(count), ...Object.fromEntries(shares) };
}

function missed({ dialogues, contexts, sections }: Figures): string[] {
  const [all] = dialogues[0]!.questions;
  const found = { ...all!, contextOf1000: contexts.find(({ maxTokens }) => maxTokens === 1000)!.hit };
  const findings = sections.flatMap((section) => section.findings).filter((finding) => !isReached(finding));
  const inSections = findings.map(({ name, value }) => `${name}: MISSED (${value.toFixed(2)})`);
  const ofDialogues = Object.entries(TARGETS)
    .filter(([name, target]) => found[name as keyof typeof TARGETS] < target)
    .map(([name, target]) => `${name}: target ${target}, MISSED (${found[name as keyof typeof TARGETS].toFixed(3)})`);
  return [...ofDialogues, ...inSections];
}

async function main(): Promise<number> {
  if (values.help || values.data === undefined) {
    process.stdout.write(`${USAGE}\n`);
    return values.help ? 0 : 2;
  }
  const figures = await measure(resolve(values.data));
  const misses = missed(figures);
  if (values.json) process.stdout.write(`${JSON.stringify({ ...figures, targets: TARGETS, misses }, null, 2)}\n`);
  else process.stdout.write(`\n${textOf(figures)}\n${misses.join('\n') || 'All targets reached.'}\n`);
  return misses.length === 0 ? 0 : 1;
}

process.exitCode = await main();

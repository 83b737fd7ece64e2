import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { readDialogues } from '../locomo-data.ts';
import { inFreshFolder } from '../processes.ts';
import { formatTable } from '../report.ts';
import { askContexts, askQuestions, type ContextFigure, type DialogueFigures, withStored } from './dialogues.ts';
import type { RecallRow } from './recall-table.ts';

const USAGE = `node --import tsx bench/retrieval/run.ts --data <file> [--json]

Measures what the built daemon (npm run build) finds, through its API: stores labelled dialogues as conversations and, in
another daemon, as bare facts; asks every question over REST and MCP; looks how much of the evidence contexts hold.

  --data <file>  dialogues in the format of the LoCoMo benchmark (sample_id, conversation, qa)
  --json         print the figures as JSON`;

/** What is to be reached over conversations, categories 1 to 4. */
const AIMS = { 'recall@5': 0.73, 'recall@10': 0.8, mrr: 0.64, contextOf1000: 0.7 };

const { values } = parseArgs({
  options: {
    data: { type: 'string' },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

interface Figures {
  dialogues: DialogueFigures[];
  contexts: ContextFigure[];
}

async function measure(file: string): Promise<Figures> {
  const dialogues = await readDialogues(file);
  const conversations = await inFreshFolder((folder) =>
    withStored(folder, dialogues, 'conversations', async (stored) => ({
      dialogues: [
        await askQuestions(stored, 'rest'),
        await askQuestions(stored, 'mcp'),
        await askQuestions(stored, 'rest', 'lexical'),
      ],
      contexts: await askContexts(stored),
    })),
  );
  const facts = await inFreshFolder((folder) =>
    withStored(folder, dialogues, 'facts', async (stored) => [
      await askQuestions(stored, 'rest'),
      await askQuestions(stored, 'rest', 'lexical'),
    ]),
  );
  return { dialogues: [...conversations.dialogues, ...facts], contexts: conversations.contexts };
}

function textOf({ dialogues, contexts }: Figures): string {
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
  return [...lines, 'Contexts over conversations, categories 1 to 4', formatTable(shares), ''].join('\n');
}

function withThreeDigits({ questions, count, mrr, ...rest }: RecallRow): Record<string, string | number> {
  const shares = Object.entries({ ...rest, MRR: mrr }).map(([name, value]) => [name, value.toFixed(3)]);
  return { questions, count: String(count), ...Object.fromEntries(shares) };
}

function missed({ dialogues, contexts }: Figures): string[] {
  const [all] = dialogues[0]!.questions;
  const found = { ...all!, contextOf1000: contexts.find(({ maxTokens }) => maxTokens === 1000)!.hit };
  return Object.entries(AIMS)
    .filter(([name, aim]) => found[name as keyof typeof AIMS] < aim)
    .map(([name, aim]) => `${name}: aim ${aim}, MISSED (${found[name as keyof typeof AIMS].toFixed(3)})`);
}

async function main(): Promise<number> {
  if (values.help || values.data === undefined) {
    process.stdout.write(`${USAGE}\n`);
    return values.help ? 0 : 2;
  }
  const figures = await measure(resolve(values.data));
  const misses = missed(figures);
  if (values.json) process.stdout.write(`${JSON.stringify({ ...figures, aims: AIMS, misses }, null, 2)}\n`);
  else process.stdout.write(`\n${textOf(figures)}\n${misses.join('\n') || 'All aims reached.'}\n`);
  return misses.length === 0 ? 0 : 1;
}

process.exitCode = await main();

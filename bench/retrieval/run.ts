import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { ENGINES, engineOf, withDatabases } from '../databases.ts';
import { readDialogues } from '../locomo-data.ts';
import { inFreshFolder } from '../processes.ts';
import { formatSection, formatTable, isReached, type Section } from '../report.ts';
import {
  askConfidence,
  askContexts,
  askQuestions,
  type ContextFigure,
  type DialogueFigures,
  recordPools,
} from './dialogues.ts';
import { benchRecall } from './latency.ts';
import { benchPrompts } from './prompts.ts';
import type { RecallRow } from './recall-table.ts';
import { refusedAtNineTenths, reliabilityOf } from './reliability.ts';
import { type Calibration, simulateUsers } from './simulation.ts';
import { type StoredAs, type StoredDialogues, withStored } from './stored-dialogues.ts';

const USAGE = `node --import tsx bench/retrieval/run.ts --data <file> [--users 60] [--seed 1] [--embeddings <setting>]
         [--engine <name>] [--latency] [--json]

Measures what the built daemon (npm run build) finds and learns. Stores labelled dialogues as conversations and, in
another daemon, as bare facts, through the API; asks every question over REST and MCP; looks how much of the evidence
contexts hold and how well confidence is calibrated; measures noise, useful memories and updated facts on svc's own prompts;
then simulates users who say which results they used. Ends with 1 if a target is missed.

  --data <file>  dialogues in the format of the LoCoMo benchmark (sample_id, conversation, qa)
  --users <n>    simulated users of each kind; 0 for none
  --seed <n>     another draw of users; bench/retrieval/learning.ts compares ten
  --embeddings <setting>
                 searches by meaning too, with what SVC_EMBEDDINGS may name (a folder: absolute); asks once all has its
                 vector
  --engine <name>
                 ${ENGINES.join(' or ')} (sqlite); a PostgreSQL is started for the run
  --latency      searches by the size of the tenant as well (npm run bench -- recall): some minutes
  --json         print the figures as JSON`;

interface Targets {
  'recall@5'?: number;
  'recall@10': number;
  mrr: number;
  contexts: Record<number, number>;
}

/** Targets over conversations, all categories but the adversarial one: between two people, and with an assistant. */
const TARGETS: Targets = { 'recall@5': 0.73, 'recall@10': 0.799, mrr: 0.64, contexts: { 1000: 0.7 } };
const ASSISTANT_TARGETS: Targets = { 'recall@10': 0.5, mrr: 0.44, contexts: { 500: 0.6, 1000: 0.7, 2000: 0.78 } };

const { values } = parseArgs({
  options: {
    data: { type: 'string' },
    users: { type: 'string', default: '60' },
    seed: { type: 'string', default: '1' },
    embeddings: { type: 'string' },
    engine: { type: 'string', default: 'sqlite' },
    latency: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

interface Figures {
  dialogues: DialogueFigures[];
  contexts: ContextFigure[];
  sections: Section[];
  targets: Targets;
  calibration: Calibration | null;
}

async function askConversations(stored: StoredDialogues) {
  return {
    dialogues: [
      await askQuestions(stored, 'rest'),
      await askQuestions(stored, 'mcp'),
      await askQuestions(stored, 'rest', 'lexical'),
      ...(values.embeddings === undefined ? [] : [await askQuestions(stored, 'rest', 'semantic')]),
    ],
    contexts: await askContexts(stored),
    confidence: await askConfidence(stored),
    pools: await recordPools(stored),
  };
}

async function askFacts(stored: StoredDialogues): Promise<DialogueFigures[]> {
  return [await askQuestions(stored, 'rest'), await askQuestions(stored, 'rest', 'lexical')];
}

async function measure(file: string): Promise<Figures> {
  const dialogues = await readDialogues(file);
  const settings: Record<string, string> = values.embeddings ? { SVC_EMBEDDINGS: values.embeddings } : {};
  const [conversations, facts, prompts] = await withDatabases(engineOf(values.engine), async (createDatabase) => {
    const onStored = <T>(storedAs: StoredAs, work: (stored: StoredDialogues) => Promise<T>) =>
      inFreshFolder(async (dataDir) =>
        withStored({ dataDir, settings: { ...settings, ...(await createDatabase()) } }, dialogues, storedAs, work),
      );
    return [
      await onStored('conversations', askConversations),
      await onStored('facts', askFacts),
      await benchPrompts(await createDatabase()),
    ] as const;
  });
  const users = Number(values.users);
  const simulated = users > 0 ? simulateUsers(conversations.pools, { users, seeds: [Number(values.seed)] }) : undefined;
  const { own, foreign, results } = conversations.confidence;
  const title = 'Confidence, each question asked of its own dialogue and of another';
  const ofAnswers = reliabilityOf(title, [...own, ...foreign]);
  // A question whose evidence was not found is neither.
  const clear = [...own.filter(({ isTrue }) => isTrue), ...foreign];
  const sections = [
    { ...ofAnswers, findings: [...ofAnswers.findings, refusedAtNineTenths(clear)] },
    reliabilityOf('Relevance of the results', results),
    ...prompts,
    ...(simulated?.sections ?? []),
  ];
  const progress = (text: string) => process.stderr.write(`… ${text}\n`);
  if (values.latency) sections.push(await benchRecall({ rounds: 3, seconds: 4, nodeOptions: [], progress }));
  return {
    dialogues: [...conversations.dialogues, ...facts],
    contexts: conversations.contexts,
    sections,
    targets: dialogues.some(({ turns }) => turns.some(({ role }) => role)) ? ASSISTANT_TARGETS : TARGETS,
    calibration: simulated?.calibration ?? null,
  };
}

function textOf({ dialogues, contexts, sections, calibration }: Figures): string {
  const lines = dialogues.flatMap(({ storedAs, door, strategy, questions }) => [
    `Turns stored as ${storedAs}, asked by ${door}, strategy ${strategy}`,
    formatTable(questions.map(withThreeDigits)),
    '',
  ]);
  const shares = contexts.map(({ maxTokens, hit, recall, answerWords, falls }) => ({
    'tokens of context': maxTokens,
    'holds evidence': hit.toFixed(3),
    'share of the evidence': recall.toFixed(3),
    'words of the answer': answerWords.toFixed(3),
    'less than a smaller one': String(falls),
  }));
  const learning = calibration ? [`Fitted anew to these pools: ${JSON.stringify(calibration)}`, ''] : [];
  const contextLines = ['Contexts over conversations, all categories but the adversarial one', formatTable(shares), ''];
  return [...lines, ...contextLines, ...sections.map(formatSection), ...learning].join('\n');
}

function withThreeDigits({ questions, count, mrr, ...rest }: RecallRow): Record<string, string | number> {
  const shares = Object.entries({ ...rest, MRR: mrr }).map(([name, value]) => [name, value.toFixed(3)]);
  return { questions, count: String(count), ...Object.fromEntries(shares) };
}

function missed({ dialogues, contexts, sections, targets }: Figures): string[] {
  const [all] = dialogues[0]!.questions;
  const { contexts: held, ...found } = targets;
  const findings = [
    ...Object.entries(found).map(([name, atLeast]) => ({ name, value: all![name as 'mrr'], atLeast })),
    ...contexts.map(({ maxTokens, hit }) => ({
      ...{ name: `context of ${maxTokens}`, value: hit },
      ...(held[maxTokens] !== undefined && { atLeast: held[maxTokens] }),
    })),
    ...contexts.map(({ maxTokens, falls }) => ({ name: `falls at ${maxTokens}`, value: falls, atMost: 0 })),
    ...sections.flatMap((section) => section.findings),
  ];
  return findings.filter((one) => !isReached(one)).map(({ name, value }) => `${name}: MISSED (${value.toFixed(3)})`);
}

async function main(): Promise<number> {
  if (values.help || values.data === undefined) {
    process.stdout.write(`${USAGE}\n`);
    return values.help ? 0 : 2;
  }
  const figures = await measure(resolve(values.data));
  const misses = missed(figures);
  if (values.json) process.stdout.write(`${JSON.stringify({ ...figures, misses }, null, 2)}\n`);
  else process.stdout.write(`\n${textOf(figures)}\n${misses.join('\n') || 'All targets reached.'}\n`);
  return misses.length === 0 ? 0 : 1;
}

process.exitCode = await main();

import { basename } from 'node:path';
import { type Engine, withDatabases } from '../databases.ts';
import { readDialogues } from '../locomo-data.ts';
import { inFreshFolder } from '../processes.ts';
import { type Finding, formatSection, formatTable, type Section } from '../report.ts';
import {
  askConfidence,
  askContexts,
  askQuestions,
  type ContextFigure,
  type DialogueFigures,
  recordPools,
} from './dialogues.ts';
import type { RecallRow } from './recall-table.ts';
import { refusedAtNineTenths, reliabilityOf } from './reliability.ts';
import { signalsOf } from './signal-table.ts';
import { type Calibration, simulateUsers } from './simulation.ts';
import { type StoredAs, type StoredDialogues, withStored } from './stored-dialogues.ts';

export interface CollectionOptions {
  engine: Engine;
  embeddings: string | undefined;
  /** Simulated users of each kind and seed; 0 for none. */
  users: number;
  seeds: readonly number[];
}

/** What a daemon found of one collection of dialogues, and learned from it. */
export interface CollectionFigures {
  dialogues: DialogueFigures[];
  contexts: ContextFigure[];
  sections: Section[];
  findings: Finding[];
  calibration: Calibration | null;
}

interface Targets {
  'recall@10'?: number;
  mrr?: number;
  contexts: Record<number, number>;
}

/** Over conversations, all categories but the adversarial one, by how the name of the collection's file begins. */
const TARGETS: Readonly<Record<string, Targets>> = {
  locomo: { 'recall@10': 0.82, mrr: 0.67, contexts: {} },
  realtalk: { 'recall@10': 0.595, mrr: 0.55, contexts: {} },
  beam: { 'recall@10': 0.5, mrr: 0.47, contexts: { 500: 0.6, 1000: 0.7, 2000: 0.78 } },
};
const NO_TARGETS: Targets = { contexts: {} };

/** Measures the dialogues of a file as conversations and as bare facts, what signals gain, confidence and learning. */
export async function measureCollection(file: string, options: CollectionOptions): Promise<CollectionFigures> {
  const read = await readDialogues(file);
  const settings: Record<string, string> = options.embeddings ? { SVC_EMBEDDINGS: options.embeddings } : {};
  const [conversations, facts] = await withDatabases(options.engine, async (createDatabase) => {
    const onStored = <T>(storedAs: StoredAs, work: (stored: StoredDialogues) => Promise<T>) =>
      inFreshFolder(async (dataDir) =>
        withStored({ dataDir, settings: { ...settings, ...(await createDatabase()) } }, read, storedAs, work),
      );
    return [
      await onStored('conversations', (stored) => askConversations(stored, options)),
      await onStored('facts', askFacts),
    ] as const;
  });
  const { users, seeds } = options;
  const progress = (text: string) => void process.stderr.write(`… ${text}\n`);
  const simulated = users > 0 ? simulateUsers(conversations.pools, { users, seeds, progress }) : undefined;
  const { own, foreign, results } = conversations.confidence;
  const ofAnswers = reliabilityOf('Confidence, each question asked of the dialogue it is about and of another', [
    ...own,
    ...foreign,
  ]);
  // A question whose evidence was not found is neither.
  const clear = [...own.filter(({ isTrue }) => isTrue), ...foreign];
  const sections = [
    signalsOf(conversations.pools),
    { ...ofAnswers, findings: [...ofAnswers.findings, refusedAtNineTenths(clear)] },
    reliabilityOf('Relevance of the results', results),
    ...(simulated?.sections ?? []),
  ];
  const dialogues = [...conversations.dialogues, ...facts];
  const name = basename(file).toLowerCase();
  const targets = Object.entries(TARGETS).find(([start]) => name.startsWith(start))?.[1] ?? NO_TARGETS;
  const findings = findingsOf(dialogues, conversations.contexts, targets);
  return {
    ...{ dialogues, contexts: conversations.contexts, sections },
    findings: [...findings, ...sections.flatMap((section) => section.findings)],
    calibration: simulated?.calibration ?? null,
  };
}

async function askConversations(stored: StoredDialogues, { embeddings }: CollectionOptions) {
  return {
    dialogues: [
      await askQuestions(stored, 'rest'),
      await askQuestions(stored, 'mcp'),
      await askQuestions(stored, 'rest', 'lexical'),
      ...(embeddings === undefined ? [] : [await askQuestions(stored, 'rest', 'semantic')]),
    ],
    contexts: await askContexts(stored),
    confidence: await askConfidence(stored),
    pools: await recordPools(stored),
  };
}

async function askFacts(stored: StoredDialogues): Promise<DialogueFigures[]> {
  return [await askQuestions(stored, 'rest'), await askQuestions(stored, 'rest', 'lexical')];
}

function findingsOf(
  dialogues: readonly DialogueFigures[],
  contexts: readonly ContextFigure[],
  { contexts: held, ...found }: Targets,
): Finding[] {
  const [all] = dialogues[0]!.questions;
  return [
    ...Object.entries(found).map(([name, atLeast]) => ({ name, value: all![name as 'mrr'], atLeast })),
    ...contexts.map(({ maxTokens, hit }) => ({
      ...{ name: `context of ${maxTokens}`, value: hit },
      ...(held[maxTokens] !== undefined && { atLeast: held[maxTokens] }),
    })),
    ...contexts.map(({ maxTokens, falls }) => ({ name: `falls at ${maxTokens}`, value: falls, atMost: 0 })),
  ];
}

/** The figures of a collection as text. */
export function formatCollection({ dialogues, contexts, sections, calibration }: CollectionFigures): string {
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
  const contextLines = ['Contexts over conversations, all categories but the adversarial one', formatTable(shares), ''];
  const learning = calibration ? [`Fitted anew to these pools: ${JSON.stringify(calibration)}`, ''] : [];
  return [...lines, ...contextLines, ...sections.map(formatSection), ...learning].join('\n');
}

function withThreeDigits({ questions, count, mrr, ...rest }: RecallRow): Record<string, string | number> {
  const shares = Object.entries({ ...rest, MRR: mrr }).map(([name, value]) => [name, value.toFixed(3)]);
  return { questions, count: String(count), ...Object.fromEntries(shares) };
}

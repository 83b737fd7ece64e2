import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { embeddings } from '../../src/daemon/config-values.ts';
import { openDatabase } from '../../src/db/open.ts';
import { vectorExtension } from '../../src/db/vector-extension.ts';
import { meaningWeightOf, totalOf } from '../../src/features/learning/model-agreement.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { createEmbedder } from '../../src/outside/models/embedding-server.ts';
import { type Dialogue, readDialogues } from '../locomo-data.ts';
import { inFreshFolder } from '../processes.ts';
import { meanRecall, type Recall } from '../recall.ts';
import { formatSection, isReached, type Section } from '../report.ts';
import { type Asked, createAskedDialogues } from './asked-dialogues.ts';
import { createStandIn, embedWords, type StandIn } from './stand-ins.ts';
import { type StoredAs, withStored } from './stored-dialogues.ts';
import { trainEmbedder } from './word-vectors.ts';

const USAGE = `node --import tsx bench/retrieval/meaning.ts --data <file> [--as conversations] [--embeddings <address>] [--json]

Measures how the weight of meaning follows an embedding model. Stores labelled dialogues with the built daemon (npm run
build), gives their turns vectors of stand-ins for models from noise to a strong one, and asks all questions but the
adversarial ones: without vectors, with the default weight, and with the weight that agreement with words leads to, while
it is learned and afterwards. Ends with 1 if noise costs more than 0.3 points.

  --data <file>  dialogues in the format of the LoCoMo benchmark
  --as <kind>    conversations, or facts: each turn a separate memory
  --embeddings <address>
                 instead of stand-ins, the model of an embedding server, as SVC_EMBEDDINGS names it
  --json         print the figures as JSON`;

const { values } = parseArgs({
  options: {
    data: { type: 'string' },
    as: { type: 'string', default: 'conversations' },
    embeddings: { type: 'string' },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

/** What noise may cost, in points. */
const MAX_COST = 0.3;
const TEXTS_PER_REQUEST = 64;

/** From noise to a strong model; `lift` .1 finds about as much alone as published retrievers do (R@10 .67 to .69). */
function standInsFor(dialogues: readonly Dialogue[]): StandIn[] {
  const words = trainEmbedder(dialogues.flatMap(({ turns }) => turns.map(({ text }) => text)));
  return [
    createStandIn('noise', { words: undefined, lift: 0 }),
    createStandIn('words alone', { words: embedWords, lift: 0 }),
    createStandIn('word vectors', { words, lift: 0 }),
    createStandIn('noise, some answers', { words: undefined, lift: 0.1 }),
    createStandIn('lifted .05', { words, lift: 0.05 }),
    createStandIn('lifted .1', { words, lift: 0.1 }),
    createStandIn('lifted .2', { words, lift: 0.2 }),
  ];
}

/** A real model: embeds all texts and questions beforehand. Throws for the folder of a model. */
async function modelOf(setting: string, dialogues: readonly Dialogue[]): Promise<StandIn> {
  const address = embeddings(setting);
  if (!('url' in address)) throw new Error('--embeddings takes the address of a server');
  const embedder = createEmbedder(address, systemClock);
  const texts = dialogues.flatMap(({ turns, questions }) => [...turns, ...questions].map(({ text }) => text));
  const vectors = new Map<string, Float32Array>();
  try {
    for (let start = 0; start < texts.length; start += TEXTS_PER_REQUEST) {
      const batch = texts.slice(start, start + TEXTS_PER_REQUEST);
      const found = await embedder.embed(address.model, batch);
      for (const [index, text] of batch.entries()) vectors.set(text, found[index]!);
    }
  } finally {
    await embedder.close();
  }
  return { name: address.model, turn: (_, text) => vectors.get(text)!, question: (text) => vectors.get(text)! };
}

function sharesOf(asked: readonly Asked[]): number[] {
  return asked.flatMap(({ agreement }) => agreement ?? []);
}

/** Ranks each question with the weight that the questions before it led to. */
function whileLearning(asked: readonly Asked[]): Recall {
  return meanRecall(asked.map(({ recallAt }, index) => recallAt(factorAfter(asked.slice(0, index)))));
}

function factorAfter(asked: readonly Asked[]): number {
  return meaningWeightOf(totalOf(sharesOf(asked))).factor;
}

function rowOf(name: string, asked: readonly Asked[], without: Recall): Record<string, string | number> {
  const { factor, agreement, searches } = meaningWeightOf(totalOf(sharesOf(asked)));
  const gains = ({ 'recall@5': five, 'recall@10': ten, mrr }: Recall) =>
    [five - without['recall@5'], ten - without['recall@10'], mrr - without.mrr].map(points).join(' ');
  const at = (factor: number) => gains(meanRecall(asked.map(({ recallAt }) => recallAt(factor))));
  return {
    'stand-in': name,
    'R@10 alone': meanRecall(asked.map(({ alone }) => alone))['recall@10'].toFixed(3),
    ...{ agreement: (agreement ?? 0).toFixed(2), searches: String(sharesOf(asked).length), known: String(searches) },
    ...{ factor: factor.toFixed(2), 'fixed weight': at(1), learned: at(factor) },
    'while learning': gains(whileLearning(asked)),
    'at 0': at(0),
    'at 1.5': at(1.5),
    'at 3': at(3),
    'at 5': at(5),
  };
}

function points(difference: number): string {
  const rounded = (100 * difference).toFixed(1);
  return difference > 0 ? `+${rounded}` : rounded;
}

async function measure(dialogues: readonly Dialogue[], storedAs: StoredAs): Promise<Section> {
  return inFreshFolder(async (dataDir) => {
    const stored = await withStored({ dataDir }, dialogues, storedAs, async (all) => all);
    const extension = await vectorExtension();
    const options = { readerCount: 1, monotonicMs: () => performance.now(), extension };
    const db = await openDatabase(join(dataDir, 'svc.db'), options);
    try {
      const asking = await createAskedDialogues(db, stored);
      const without = meanRecall((await asking.ask(undefined)).map(({ recallAt }) => recallAt(1)));
      const rows: Record<string, string | number>[] = [];
      const { embeddings: model } = values;
      for (const standIn of model ? [await modelOf(model, dialogues)] : standInsFor(dialogues)) {
        process.stderr.write(`… ${standIn.name}\n`);
        rows.push(rowOf(standIn.name, await asking.ask(standIn), without));
      }
      return sectionOf(storedAs, without, rows);
    } finally {
      await db.close();
    }
  });
}

function sectionOf(storedAs: StoredAs, without: Recall, rows: Section['rows']): Section {
  const [five, ten, mrr] = [without['recall@5'], without['recall@10'], without.mrr].map((share) => share.toFixed(3));
  const costs = String(rows[0]!.learned).split(' ').map(Number);
  return {
    name: 'meaning',
    title: `Turns as ${storedAs}: points of R@5, R@10 and MRR relative to no model (${five}, ${ten}, ${mrr})`,
    rows,
    findings: ['recall@5', 'recall@10', 'MRR'].map((name, at) => ({
      name: `${name} with noise, points`,
      value: costs[at]!,
      atLeast: -MAX_COST,
    })),
  };
}

async function main(): Promise<number> {
  if (values.help || values.data === undefined) {
    process.stdout.write(`${USAGE}\n`);
    return values.help ? 0 : 2;
  }
  const section = await measure(await readDialogues(resolve(values.data)), values.as as StoredAs);
  process.stdout.write(values.json ? `${JSON.stringify(section, null, 2)}\n` : `\n${formatSection(section)}`);
  return section.findings.every(isReached) ? 0 : 1;
}

process.exitCode = await main();

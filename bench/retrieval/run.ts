import { basename, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { ENGINES, engineOf, withDatabases } from '../databases.ts';
import { type Finding, formatSection, isReached, type Section } from '../report.ts';
import { type CollectionFigures, formatCollection, measureCollection } from './collection.ts';
import { benchFacts } from './facts.ts';
import { benchRecall } from './latency.ts';
import { benchPrompts } from './prompts.ts';

const USAGE = `node --import tsx bench/retrieval/run.ts [--data <file>]... [--users 60] [--seeds 1] [--embeddings <setting>]
         [--engine <name>] [--latency] [--json]

Measures what the built daemon (npm run build) finds and learns. Asks svc's own prompts and facts: noise, useful memories,
updated facts, and what related words gain. Then, for each file of labelled dialogues, stores them as conversations
and, in another daemon, as bare facts; asks every question over REST and MCP, by category; ranks without each signal in
turn; looks how much of the evidence contexts hold and how well confidence is calibrated; and simulates users who say which
results they used. Ends with 1 if a target is missed.

  --data <file>  dialogues in the format of the LoCoMo benchmark (sample_id, conversation, qa); once for each collection
  --users <n>    simulated users of each kind and seed; 0 for none
  --seeds <n>    draws of users; with ten, 12 users are enough
  --embeddings <setting>
                 searches by meaning too, with what SVC_EMBEDDINGS may name (a folder: absolute); asks once all has its
                 vector
  --engine <name>
                 ${ENGINES.join(' or ')} (sqlite); a PostgreSQL is started for the run
  --latency      searches by the size of the tenant as well (npm run bench -- recall): some minutes
  --json         print the figures as JSON`;

const { values } = parseArgs({
  options: {
    data: { type: 'string', multiple: true, default: [] },
    users: { type: 'string', default: '60' },
    seeds: { type: 'string', default: '1' },
    embeddings: { type: 'string' },
    engine: { type: 'string', default: 'sqlite' },
    latency: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

async function main(): Promise<number> {
  if (values.help) {
    process.stdout.write(`${USAGE}\n`);
    return 0;
  }
  const engine = engineOf(values.engine);
  const own = await measureOwn();
  if (!values.json) process.stdout.write(`\n${own.map(formatSection).join('\n')}\n`);
  const seeds = Array.from({ length: Number(values.seeds) }, (_, index) => index + 1);
  const options = { engine, embeddings: values.embeddings, users: Number(values.users), seeds };
  const collections: Record<string, CollectionFigures> = {};
  for (const file of values.data) {
    const name = basename(file);
    const figures = await measureCollection(resolve(file), options);
    collections[name] = figures;
    if (!values.json) process.stdout.write(`${name}\n\n${formatCollection(figures)}\n`);
  }
  const misses = [
    ...own.flatMap(({ findings }) => missed('svc', findings)),
    ...Object.entries(collections).flatMap(([name, { findings }]) => missed(name, findings)),
  ];
  if (values.json) process.stdout.write(`${JSON.stringify({ own, collections, misses }, null, 2)}\n`);
  else process.stdout.write(`${misses.join('\n') || 'All targets reached.'}\n`);
  return misses.length === 0 ? 0 : 1;
}

/** What needs no data but svc's own. */
async function measureOwn(): Promise<Section[]> {
  const sections = await withDatabases(engineOf(values.engine), async (createDatabase) =>
    benchPrompts(await createDatabase()),
  );
  const progress = (text: string) => void process.stderr.write(`… ${text}\n`);
  return [
    ...sections,
    ...(await benchFacts()),
    ...(values.latency ? [await benchRecall({ rounds: 3, seconds: 4, nodeOptions: [], progress })] : []),
  ];
}

function missed(of: string, findings: readonly Finding[]): string[] {
  const missedOnes = findings.filter((one) => !isReached(one));
  return missedOnes.map(({ name, value }) => `${of}: ${name}: MISSED (${value.toFixed(3)})`);
}

process.exitCode = await main();

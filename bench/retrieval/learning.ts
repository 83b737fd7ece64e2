import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { formatSection, isReached } from '../report.ts';
import { poolsOf } from './recorded-pools.ts';
import { simulateUsers } from './simulation.ts';

const USAGE = `node --import tsx bench/retrieval/learning.ts --data <file> [--pools <file>] [--users 12] [--seeds 10] [--first 1] [--json]

Measures learning from feedback over several draws of simulated users: gains in MRR as shares of what is attainable, with
their spread, the return after a change of habit, and harm. Ends with 1 if an aim is missed. About ten minutes.

  --data <file>   dialogues in the format of the LoCoMo benchmark; the built daemon (npm run build) finds the candidates
  --pools <file>  reads the candidates from this file if it exists, and writes them to it otherwise
  --users <n>     simulated users of each kind and seed
  --seeds <n>     draws of users
  --first <n>     the first seed
  --json          print the figures as JSON`;

const { values } = parseArgs({
  options: {
    data: { type: 'string' },
    pools: { type: 'string' },
    users: { type: 'string', default: '12' },
    seeds: { type: 'string', default: '10' },
    first: { type: 'string', default: '1' },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

async function main(): Promise<number> {
  if (values.help || values.data === undefined) {
    process.stdout.write(`${USAGE}\n`);
    return values.help ? 0 : 2;
  }
  const pools = await poolsOf(resolve(values.data), values.pools === undefined ? undefined : resolve(values.pools));
  const seeds = Array.from({ length: Number(values.seeds) }, (_, index) => Number(values.first) + index);
  const progress = (text: string) => void process.stderr.write(`… ${text}\n`);
  const { sections, calibration } = simulateUsers(pools, { seeds, users: Number(values.users), progress });
  if (values.json) process.stdout.write(`${JSON.stringify({ sections, calibration }, null, 2)}\n`);
  else process.stdout.write(`\n${sections.map(formatSection).join('\n')}\n`);
  return sections.flatMap(({ findings }) => findings).every(isReached) ? 0 : 1;
}

process.exitCode = await main();

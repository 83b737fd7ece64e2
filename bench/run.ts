import { cpus } from 'node:os';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { BENCHMARKS, type BenchOptions, NEED_POSTGRES } from './benchmarks.ts';
import { ENGINES, engineOf } from './databases.ts';
import { formatSection, isReached, type Section } from './report.ts';

const USAGE = `npm run bench -- [options] [${Object.keys(BENCHMARKS).join(' | ')}]…

Measures the built daemon against a simpler baseline, alternating between the two, so that the ratios hold on any
machine. Runs all but ${[...NEED_POSTGRES].join(', ')} if none is named; that takes about ten minutes. Those
need PostgreSQL, which they start.

  --json              print JSON instead of tables
  --rounds <n>        measurements per side (5); the median is reported
  --seconds <n>       length of a measurement (4)
  --data <file>       LoCoMo dialogues, for the extraction benchmark
  --engine <name>     ${ENGINES.join(' or ')} (sqlite), for fairness and neighbors
  --memories <n,…>    sizes of the tenants searched by engines, which takes the first (10000), and engine-sizes (10000,100000);
                      memories to move (400000)
  --profile <folder>  write the daemon's CPU profiles to this folder
  --help`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: 'boolean', default: false },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '4' },
    data: { type: 'string' },
    engine: { type: 'string', default: 'sqlite' },
    memories: { type: 'string' },
    profile: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

async function main(): Promise<void> {
  const names =
    positionals.length > 0 ? positionals : Object.keys(BENCHMARKS).filter((name) => !NEED_POSTGRES.has(name));
  const unknown = names.find((name) => BENCHMARKS[name] === undefined);
  if (values.help || unknown !== undefined) {
    process.stdout.write(`${unknown === undefined ? '' : `Unknown benchmark: ${unknown}\n`}${USAGE}\n`);
    process.exitCode = unknown === undefined ? 0 : 2;
    return;
  }
  const options: BenchOptions = {
    rounds: Number(values.rounds),
    seconds: Number(values.seconds),
    nodeOptions: values.profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${resolve(values.profile)}`],
    data: values.data === undefined ? undefined : resolve(values.data),
    engine: engineOf(values.engine),
    memories: values.memories?.split(',').map(Number),
    progress: (text) => process.stderr.write(`… ${text}\n`),
  };
  const sections: Section[] = [];
  for (const name of names) {
    const section = await BENCHMARKS[name]!(options);
    sections.push(section);
    if (!values.json) process.stdout.write(`\n${formatSection(section)}`);
  }
  if (values.json) process.stdout.write(`${JSON.stringify(reportOf(sections), null, 2)}\n`);
}

function reportOf(sections: readonly Section[]) {
  const machine = { node: process.version, cpus: cpus().length, model: cpus()[0]?.model ?? '' };
  const evaluated = sections.map((section) => ({
    ...section,
    findings: section.findings.map((finding) => ({ ...finding, reached: isReached(finding) })),
  }));
  return { machine, rounds: Number(values.rounds), seconds: Number(values.seconds), sections: evaluated };
}

await main();

import { writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { BENCHMARKS, type BenchOptions, ONLY_IF_NAMED } from './benchmarks.ts';
import { barChart } from './charts/bar-chart.ts';
import { ENGINES, engineOf } from './databases.ts';
import { LOADS } from './fairness.ts';
import { formatMarkdown, formatSection, isReached, type Section } from './report.ts';

const USAGE = `npm run bench -- [options] [${Object.keys(BENCHMARKS).join(' | ')}]…

Measures the built daemon against a simpler baseline, alternating between the two, so that the ratios hold on any
machine. Runs all but ${[...ONLY_IF_NAMED].join(', ')} if none is named; that takes about ten minutes. beside needs
npm and --data, sessions --data, the others PostgreSQL, which they start.

  --json              print JSON instead of tables
  --markdown          print Markdown tables
  --charts <folder>   write the charts of beside and engine-sizes to this folder, as SVG
  --rounds <n>        measurements per side (5); the median is reported
  --seconds <n>       length of a measurement (4)
  --data <file>       LoCoMo dialogues, for extraction and beside; facts with questions, for sessions (several: a,b)
  --turns <n>         turns that beside stores (2000)
  --in-flight <n>     how many of them at a time (50)
  --engine <name>     ${ENGINES.join(' or ')} (sqlite), for fairness and neighbors
  --loads <name,…>    loads that fairness measures (all): ${LOADS.join(', ')}
  --memories <n,…>    sizes of the tenants searched by engines, which takes the first (10000), and engine-sizes (10000,100000);
                      memories to move (400000)
  --profile <folder>  write the daemon's CPU profiles to this folder
  --help`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: 'boolean', default: false },
    markdown: { type: 'boolean', default: false },
    charts: { type: 'string' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '4' },
    data: { type: 'string' },
    turns: { type: 'string' },
    'in-flight': { type: 'string' },
    engine: { type: 'string', default: 'sqlite' },
    loads: { type: 'string' },
    memories: { type: 'string' },
    profile: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

async function main(): Promise<void> {
  const names =
    positionals.length > 0 ? positionals : Object.keys(BENCHMARKS).filter((name) => !ONLY_IF_NAMED.has(name));
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
    loads: values.loads?.split(','),
    memories: values.memories?.split(',').map(Number),
    turns: values.turns === undefined ? undefined : Number(values.turns),
    inFlight: values['in-flight'] === undefined ? undefined : Number(values['in-flight']),
    progress: (text) => process.stderr.write(`… ${text}\n`),
  };
  const sections: Section[] = [];
  for (const name of names) {
    const section = await BENCHMARKS[name]!(options);
    sections.push(section);
    if (!values.json) process.stdout.write(`\n${values.markdown ? formatMarkdown(section) : formatSection(section)}`);
    if (values.charts !== undefined) await writeCharts(section, values.charts);
  }
  if (values.json) process.stdout.write(`${JSON.stringify(reportOf(sections), null, 2)}\n`);
}

async function writeCharts({ charts = [] }: Section, folder: string): Promise<void> {
  for (const chart of charts) await writeFile(join(folder, `${chart.name}.svg`), barChart(chart));
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

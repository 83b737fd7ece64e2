import { cpus } from 'node:os';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { BENCHMARKS, type BenchOptions } from './benchmarks.ts';
import { formatSection, isReached, type Section } from './report.ts';

const USAGE = `npm run bench -- [options] [${Object.keys(BENCHMARKS).join(' | ')}]…

Measures the built daemon. Whatever is measured is set beside something simpler in the same run, in turns, so that
the ratios hold on any machine. Without names all of them, which takes about ten minutes.

  --json              print JSON instead of tables
  --rounds <n>        turns of each side (5); the median counts
  --seconds <n>       length of a turn (4)
  --data <file>       dialogues of the LoCoMo benchmark, for extraction
  --profile <folder>  write CPU profiles of the daemon there
  --help`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: 'boolean', default: false },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '4' },
    data: { type: 'string' },
    profile: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

async function main(): Promise<void> {
  const names = positionals.length > 0 ? positionals : Object.keys(BENCHMARKS);
  const unknown = names.find((name) => BENCHMARKS[name] === undefined);
  if (values.help || unknown !== undefined) {
    process.stdout.write(`${unknown === undefined ? '' : `There is no benchmark ${unknown}.\n`}${USAGE}\n`);
    process.exitCode = unknown === undefined ? 0 : 2;
    return;
  }
  const options: BenchOptions = {
    rounds: Number(values.rounds),
    seconds: Number(values.seconds),
    nodeOptions: values.profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${resolve(values.profile)}`],
    data: values.data === undefined ? undefined : resolve(values.data),
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
  const judged = sections.map((section) => ({
    ...section,
    findings: section.findings.map((finding) => ({ ...finding, reached: isReached(finding) })),
  }));
  return { machine, rounds: Number(values.rounds), seconds: Number(values.seconds), sections: judged };
}

await main();

import { VERSION } from '../../src/version.ts';
import type { BenchOptions } from '../benchmarks.ts';
import type { Bar, BarChart } from '../charts/bar-chart.ts';
import { readDialogues } from '../locomo-data.ts';
import { inFreshFolder } from '../processes.ts';
import { type Finding, formatNumber, type Section } from '../report.ts';
import { medianOf } from '../statistics.ts';
import { type Measured, measure, RESULTS } from './measure.ts';
import { OTHERS } from './others.ts';
import { installPackages } from './packages.ts';
import { SVC_BY_BRIDGE, SVC_BY_REST } from './svc.ts';
import type { Contestant } from './system.ts';
import { type Work, workOf } from './work.ts';

const TURNS = 2000;
const QUESTIONS = 200;
const IN_FLIGHT = 50;

interface Entrant {
  contestant: Contestant;
  runs: Measured[];
  /** Why it takes no further part. */
  failure?: string;
}

/** An entrant that got through all rounds, with its medians. */
interface Ranked extends Measured {
  contestant: Contestant;
}

/** Gives svc and other memory servers the same texts to store and the same questions, in turn, each in an empty folder. */
export async function benchBeside(options: BenchOptions): Promise<Section> {
  const { data, turns = TURNS, inFlight = IN_FLIGHT } = options;
  if (data === undefined) throw new Error('beside needs dialogues: --data <file>');
  const work = workOf(await readDialogues(data), turns, QUESTIONS);
  const entrants: Entrant[] = [SVC_BY_REST, SVC_BY_BRIDGE, ...OTHERS].map((contestant) => ({ contestant, runs: [] }));
  await compete(entrants, work, { ...options, inFlight });
  const ranked = entrants
    .filter(({ failure }) => failure === undefined)
    .map(({ contestant, runs }) => ({ contestant, ...overall(runs) }));
  return {
    name: 'beside',
    title: `Beside other memory servers: ${work.turns.length} texts, ${inFlight} at a time; ${work.questions.length} questions, one at a time`,
    rows: entrants.map((entrant) => rowOf(entrant, ranked)),
    findings: findingsOf(ranked),
    charts: chartsOf(ranked, work),
  };
}

/** Medians; of writes, those of the worst round. */
function overall(runs: readonly Measured[]): Measured {
  return {
    ...medianOf(runs),
    refused: Math.max(...runs.map(({ refused }) => refused)),
    kept: Math.min(...runs.map(({ kept }) => kept)),
    lost: Math.max(...runs.map(({ lost }) => lost)),
  };
}

async function compete(
  entrants: readonly Entrant[],
  work: Work,
  { rounds, inFlight, progress }: BenchOptions & { inFlight: number },
): Promise<void> {
  const packageDirs = new Map<Entrant, string>();
  for (const entrant of entrants) {
    progress(`installing ${entrant.contestant.name}`);
    await installPackages(entrant.contestant).then(
      (packagesDir) => packageDirs.set(entrant, packagesDir),
      (error: unknown) => fail(entrant, 'not installed', error),
    );
  }
  for (let round = 0; round < rounds; round += 1) {
    // Another one first in each round, because what else the machine does changes with time.
    const first = round % entrants.length;
    for (const entrant of [...entrants.slice(first), ...entrants.slice(0, first)]) {
      if (entrant.failure !== undefined) continue;
      progress(`${entrant.contestant.name}, round ${round + 1} of ${rounds}`);
      const run = inFreshFolder(async (folder) => {
        const system = await entrant.contestant.start(folder, packageDirs.get(entrant)!);
        return measure(system, work, inFlight);
      });
      await run.then(
        (measured) => entrant.runs.push(measured),
        (error: unknown) => fail(entrant, 'failed', error),
      );
    }
  }
  function fail(entrant: Entrant, what: string, error: unknown): void {
    const reason = error instanceof Error ? error.message : String(error);
    progress(`${entrant.contestant.name} ${what}: ${reason}`);
    entrant.failure = `${what}: ${reason.split('\n')[0]}`;
  }
}

function versionOf({ packages }: Contestant): string {
  return Object.values(packages)[0] ?? VERSION;
}

function rowOf({ contestant, failure }: Entrant, ranked: readonly Ranked[]): Section['rows'][number] {
  const start = { system: contestant.name, version: versionOf(contestant) };
  const result = ranked.find((one) => one.contestant === contestant);
  if (result === undefined) return { ...start, 'adds per second': failure ?? 'not measured' };
  return {
    ...start,
    'adds per second': formatNumber(result.addsPerSecond),
    'CPU ms of an add': result.addCpuMs,
    refused: String(result.refused),
    'rows kept': String(result.kept),
    lost: String(result.lost),
    'search p50 ms': result.searchP50Ms,
    'p95 ms': result.searchP95Ms,
    'CPU ms of a search': result.searchCpuMs,
    'evidence found': percent(result.found),
    'by one word': percent(result.foundByWord),
  };
}

function percent(share: number): string {
  return `${(share * 100).toFixed(0)} %`;
}

function findingsOf(ranked: readonly Ranked[]): Finding[] {
  const of = (contestant: Contestant) => ranked.find((one) => one.contestant === contestant);
  const others = ranked.filter(({ contestant }) => OTHERS.includes(contestant));
  const keeping = others.filter(({ lost, refused }) => lost + refused === 0);
  const finding = others.filter(({ found }) => found > 0);
  const fastest = Math.max(...keeping.map(({ addsPerSecond }) => addsPerSecond));
  const soonest = Math.min(...finding.map(({ searchP95Ms }) => searchP95Ms));
  return [SVC_BY_REST, SVC_BY_BRIDGE].flatMap((contestant) => {
    const own = of(contestant);
    if (own === undefined) return [];
    const byRest = contestant === SVC_BY_REST;
    const { name } = contestant;
    return [
      { name: `${name}: acknowledged writes lost or refused`, value: own.lost + own.refused, atMost: 0 },
      {
        name: `${name}: adds per second relative to the fastest other that keeps every write`,
        value: own.addsPerSecond / fastest,
        atLeast: byRest ? 2 : 1,
      },
      {
        name: `${name}: search p95 relative to the fastest other that finds any evidence`,
        value: own.searchP95Ms / soonest,
        ...(byRest && { atMost: 0.2 }),
      },
    ];
  });
}

function chartsOf(ranked: readonly Ranked[], { turns, questions }: Work): BarChart[] {
  const bars = (lengthOf: (result: Ranked) => number, textOf: (result: Ranked) => string): Bar[] =>
    ranked.map((result) => ({
      label: result.contestant.name,
      value: lengthOf(result),
      text: textOf(result),
      isOwn: !OTHERS.includes(result.contestant),
    }));
  return [
    {
      name: 'beside-adds',
      title: 'Writes kept per second',
      subtitle: `${turns.length} texts; longer is better`,
      bars: bars(keptPerSecond, (result) => {
        const { lost, refused } = result;
        const misses = outOf(lost, 'lost', turns.length) + outOf(refused, 'refused', turns.length);
        return formatNumber(keptPerSecond(result)) + misses;
      }),
    },
    {
      name: 'beside-search',
      title: 'Search, 95th percentile',
      subtitle: `${questions.length} whole questions, one at a time; shorter is better`,
      bars: bars(
        ({ searchP95Ms }) => searchP95Ms,
        ({ searchP95Ms, found }) => `${formatNumber(searchP95Ms)} ms${found === 0 ? ', no evidence found' : ''}`,
      ),
    },
    {
      name: 'beside-evidence',
      title: `Questions with evidence in the first ${RESULTS} results`,
      subtitle: `${questions.length} questions; longer is better`,
      bars: bars(
        ({ found }) => found,
        ({ found, foundByWord }) => `${percent(found)}, by one word ${percent(foundByWord)}`,
      ),
    },
  ];
}

function keptPerSecond({ addsPerSecond, kept, lost }: Ranked): number {
  return (addsPerSecond * kept) / (kept + lost);
}

function outOf(count: number, what: string, total: number): string {
  return count === 0 ? '' : `, ${count} of ${total} ${what}`;
}

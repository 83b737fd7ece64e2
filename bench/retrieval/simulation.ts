import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { SignalModel } from '../../src/features/learning/signal-model.ts';
import { readDialogues } from '../locomo-data.ts';
import { type Finding, formatSection, isReached, type Section } from '../report.ts';
import { calibrate, fitWeights } from './calibration.ts';
import { createChance } from './chance.ts';
import { makePools } from './made-pools.ts';
import { type NumberedPool, numberPools, readPools } from './pools.ts';
import { averageUser, differingUser, type SimulatedUser, senselessUser } from './simulated-user.ts';
import { meanOf, simulate, type UserOutcome } from './simulation-run.ts';

const USAGE = `node --import tsx bench/retrieval/simulation.ts (--pools <file> | --data <file>) [--seed 1] [--json]

Simulates users of different habits who say, noisily, which results they used, and holds what the learning from feedback
makes of it against its aims. Ends with 1 where an aim is missed.

  --pools <file>   recorded candidates, NDJSON: {question, bucket, pool: [{id, signals}], relevant: [ids]}
  --data <file>    dialogues of the LoCoMo benchmark: signals are drawn for its questions; for tuning only
  --users <count>  of each kind (60)
  --strength <n>   how far the tastes of differing users pull, in logits for one deviation of a signal (1.2)
  --temperature <n> instead of the fitted one
  --seed <number>  another draw
  --json           print the figures as JSON`;

const { values } = parseArgs({
  options: {
    pools: { type: 'string' },
    data: { type: 'string' },
    users: { type: 'string', default: '60' },
    temperature: { type: 'string' },
    seed: { type: 'string', default: '1' },
    strength: { type: 'string', default: '1.2' },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

/** The starting weights of the default ranking; a recording may hold fewer signals. */
const WEIGHTS = { lex: 1, tri: 1, win: 2, sess: 1, ctx: 1, spk: 1, date: 4, rec: 0, cue: 1, reply: 1, self: 1, vec: 0 };
const CHECKPOINTS = [10, 50, 200];
/** How far the tastes of differing users pull, in logits for one deviation of a signal. */
const STRENGTH = Number(values.strength);
const CHANGES_AT = 100;

type Make = (index: number, seed: number) => SimulatedUser;

function runKind(pools: readonly NumberedPool[], model: SignalModel, make: Make, checkpoints: readonly number[]) {
  return Array.from({ length: Number(values.users) }, (_, index) => {
    const seed = Number(values.seed) * 10_000 + index;
    return simulate(make(index, seed), pools, { model, chance: createChance(seed + 5000), checkpoints });
  });
}

const last = ({ gains }: UserOutcome) => gains.at(-1)!;
const worstOf = (users: readonly UserOutcome[]) =>
  users.reduce((worst, user) => (last(user).recall < last(worst).recall ? user : worst));

function rowOf(kind: string, users: readonly UserOutcome[], checkpoints: readonly number[]) {
  const byDefault = meanOf(users.map((user) => user.byDefault));
  const at = checkpoints.map((_, index) => meanOf(users.map(({ gains }) => gains[index]!)));
  return {
    users: kind,
    MRR: byDefault.mrr,
    'R@10': byDefault.recall,
    ...Object.fromEntries(at.map(({ mrr }, index) => [`ΔMRR ${checkpoints[index]}`, mrr])),
    ...Object.fromEntries(at.map(({ recall }, index) => [`ΔR@10 ${checkpoints[index]}`, recall])),
    'worst ΔR@10': last(worstOf(users)).recall,
  };
}

/** `truth` is what users go by, `model` what learning believes of the signals. */
function sectionOf(pools: readonly NumberedPool[], model: SignalModel, truth: SignalModel): Section {
  const run = (make: Make, checkpoints = CHECKPOINTS) => runKind(pools, model, make, checkpoints);
  const differing = run((index, seed) => differingUser(index, createChance(seed), truth, { strength: STRENGTH }));
  const average = run((index, seed) => averageUser(index, createChance(seed)));
  const random = run((index, seed) => senselessUser(index, createChance(seed), 'random'));
  const adversarial = run((index, seed) => senselessUser(index, createChance(seed), 'adversarial'));
  const changeAt = [CHANGES_AT - 1, CHANGES_AT, CHANGES_AT + 100];
  const changing = run(
    (index, seed) => differingUser(index, createChance(seed), truth, { strength: STRENGTH, changesAt: CHANGES_AT }),
    changeAt,
  );
  const gain = (users: readonly UserOutcome[], index: number) => meanOf(users.map(({ gains }) => gains[index]!)).mrr;
  const hurt = differing.filter((user) => last(user).recall < -1).length / differing.length;
  const worst = worstOf(differing);
  const findings: Finding[] = [
    ...CHECKPOINTS.map((events, index) => ({
      name: `differing users: ΔMRR after ${events} events`,
      value: gain(differing, index),
      atLeast: [4, 12, 14][index]!,
    })),
    { name: 'differing users who lose more than a point of R@10, %', value: 100 * hurt, atMost: 5 },
    { name: `worst of them, ΔR@10: ${worst.name}`, value: last(worst).recall, atLeast: -2 },
    { name: 'average users: ΔMRR', value: gain(average, 2), atLeast: -0.5 },
    { name: 'average users: ΔR@10', value: meanOf(average.map(last)).recall, atLeast: -0.2 },
    { name: 'average users: worst ΔR@10', value: last(worstOf(average)).recall, atLeast: -1 },
    { name: 'random feedback: ΔMRR', value: gain(random, 2), atLeast: -0.3 },
    { name: 'adversarial feedback: ΔMRR', value: gain(adversarial, 2), atLeast: -0.3 },
    {
      name: 'of the gain, back within 100 events after a change of habit, %',
      value: (100 * gain(changing, 2)) / gain(changing, 0),
      atLeast: 70,
    },
  ];
  return {
    name: 'learning',
    title: 'Learning from feedback, simulated users (points; after so many feedback events)',
    rows: [
      rowOf('differing', differing, CHECKPOINTS),
      rowOf('average', average, CHECKPOINTS),
      rowOf('random', random, CHECKPOINTS),
      rowOf('adversarial', adversarial, CHECKPOINTS),
    ],
    findings,
  };
}

async function loadPools() {
  if (values.pools !== undefined) return readPools(resolve(values.pools));
  return makePools(await readDialogues(resolve(values.data!)), createChance(Number(values.seed)));
}

async function main(): Promise<number> {
  if (values.help || (values.pools === undefined && values.data === undefined)) {
    process.stdout.write(`${USAGE}\n`);
    return values.help ? 0 : 2;
  }
  const names = Object.keys(WEIGHTS);
  const pools = numberPools(await loadPools(), names);
  const weights = values.pools === undefined ? fitWeights(pools, names) : Object.values(WEIGHTS);
  const truth: SignalModel = { names, weights, ...calibrate(pools, names, weights) };
  const model = { ...truth, ...(values.temperature !== undefined && { temperature: Number(values.temperature) }) };
  const section = sectionOf(pools, model, truth);
  const { temperature } = model;
  const deviations = Object.fromEntries(names.map((name, at) => [name, Number(model.deviations[at]!.toFixed(3))]));
  if (values.json) process.stdout.write(`${JSON.stringify({ ...section, temperature, deviations }, null, 2)}\n`);
  else {
    process.stdout.write(`${pools.length} questions; temperature ${temperature.toFixed(3)}; deviations `);
    process.stdout.write(`${JSON.stringify(deviations)}\n\n${formatSection(section)}`);
  }
  return section.findings.every(isReached) ? 0 : 1;
}

process.exitCode = await main();

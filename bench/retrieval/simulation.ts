import type { SignalModel } from '../../src/features/learning/signal-model.ts';
import { SIGNAL_MODEL } from '../../src/features/search/learned-order.ts';
import type { Finding, Section } from '../report.ts';
import { calibrate } from './calibration.ts';
import { createChance } from './chance.ts';
import { type NumberedPool, numberPools, type RecordedPool } from './pools.ts';
import { averageUser, differingUser, type SimulatedUser, senselessUser } from './simulated-user.ts';
import { meanOf, simulate, type UserOutcome } from './simulation-run.ts';

/** The draw, and how many users of each kind. */
export interface SimulationOptions {
  seed: number;
  users: number;
}

const CHECKPOINTS = [10, 50, 200];
/** How far the tastes of differing users pull, in logits for one deviation of a signal. */
const STRENGTH = 1.2;
const CHANGES_AT = 100;
/** What is said without sense must do no harm for long. */
const SENSELESS_CHECKPOINTS = [10, 50, 1000];

type Make = (index: number, seed: number) => SimulatedUser;

function runKind(
  pools: readonly NumberedPool[],
  model: SignalModel,
  make: Make,
  checkpoints: readonly number[],
  { users, seed }: SimulationOptions,
) {
  return Array.from({ length: users }, (_, index) => {
    const own = seed * 10_000 + index;
    return simulate(make(index, own), pools, { model, chance: createChance(own + 5000), checkpoints });
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
    'ΔMRR attainable': meanOf(users.map(({ attainable }) => attainable)).mrr,
    'worst ΔR@10': last(worstOf(users)).recall,
  };
}

function sectionOf(pools: readonly NumberedPool[], model: SignalModel, options: SimulationOptions): Section {
  const run = (make: Make, checkpoints = CHECKPOINTS) => runKind(pools, model, make, checkpoints, options);
  const differing = run((index, seed) => differingUser(index, createChance(seed), model, { strength: STRENGTH }));
  const average = run((index, seed) => averageUser(index, createChance(seed)));
  const random = run((index, seed) => senselessUser(index, createChance(seed), 'random'), SENSELESS_CHECKPOINTS);
  const adversarial = run(
    (index, seed) => senselessUser(index, createChance(seed), 'adversarial'),
    SENSELESS_CHECKPOINTS,
  );
  const changeAt = [CHANGES_AT - 1, CHANGES_AT, CHANGES_AT + 100];
  const changing = run(
    (index, seed) => differingUser(index, createChance(seed), model, { strength: STRENGTH, changesAt: CHANGES_AT }),
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
    { name: 'random feedback, 1,000 events: ΔMRR', value: gain(random, 2), atLeast: -0.3 },
    { name: 'adversarial feedback, 1,000 events: ΔMRR', value: gain(adversarial, 2), atLeast: -0.3 },
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
      rowOf('random', random, SENSELESS_CHECKPOINTS),
      rowOf('adversarial', adversarial, SENSELESS_CHECKPOINTS),
    ],
    findings,
  };
}

/** What learning has to know of the signals, found anew from these pools: what `signal-model.ts` holds as constants. */
export interface Calibration {
  temperature: number;
  deviations: Record<string, number>;
}

/**
 * Simulates users of different habits, over pools that a daemon explained, who say noisily which results they used; and
 * holds what the learning from feedback makes of it against its aims.
 */
export function simulateUsers(
  recorded: readonly RecordedPool[],
  options: SimulationOptions,
): { section: Section; calibration: Calibration } {
  const names: readonly string[] = SIGNAL_MODEL.names;
  const pools = numberPools(recorded, names);
  const { temperature, deviations } = calibrate(pools, names, SIGNAL_MODEL.weights);
  const rounded = names.map((name, at) => [name, Math.round(deviations[at]! * 1000) / 1000]);
  const section = sectionOf(pools, SIGNAL_MODEL, options);
  return { section, calibration: { temperature, deviations: Object.fromEntries(rounded) } };
}

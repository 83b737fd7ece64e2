import type { SignalModel } from '../../src/features/learning/signal-model.ts';
import { softmax } from './attainable.ts';
import type { Chance } from './chance.ts';
import type { NumberedPool } from './pools.ts';

/** Decides which candidates of a question a user wants, and gives feedback on the results. */
export interface SimulatedUser {
  name: string;
  /** Probability of each candidate to be the wanted one. */
  wishes(pool: NumberedPool, event: number): readonly number[];
  /** The result reported as used, if any. */
  feedback(wanted: number, shown: readonly number[]): number | undefined;
}

type Preference = ReadonlyMap<string, number>;

const OBSERVED = 0.7;
const FALSE = 0.05;
/** Utility of an answer over other candidates, in logits. */
const ANSWER_BONUS = 1;

const honest =
  (chance: Chance): SimulatedUser['feedback'] =>
  (wanted, shown) => {
    if (chance.uniform() < FALSE) return chance.pick(shown);
    const rank = shown.indexOf(wanted) + 1;
    return rank > 0 && chance.uniform() < OBSERVED / Math.sqrt(rank) ? wanted : undefined;
  };

/** Wants the answers only. */
export function averageUser(index: number, chance: Chance): SimulatedUser {
  return {
    name: `average ${index}`,
    wishes({ signals, relevant }) {
      const answers = new Set(relevant);
      return signals.map((_, candidate) => (answers.has(candidate) ? 1 / answers.size : 0));
    },
    feedback: honest(chance),
  };
}

/** Wants the answers, but reports a random result, or the least helpful one. */
export function senselessUser(index: number, chance: Chance, kind: 'random' | 'adversarial'): SimulatedUser {
  return {
    ...averageUser(index, chance),
    name: `${kind} ${index}`,
    feedback: (wanted, shown) => {
      if (kind === 'random') return chance.pick(shown);
      return shown.findLast((candidate) => candidate !== wanted);
    },
  };
}

/** How a user differs from the average one. */
export interface Difference {
  /** Strength of its preferences, in logits per standard deviation of a signal. */
  strength: number;
  /** Inverse temperature of its choices: 1 is that of the default scores' softmax. */
  decision: number;
  /** The event at which its preferences change. */
  changesAt?: number;
}

/** Prefers two to four signals and dislikes one. */
export function differingUser(
  index: number,
  chance: Chance,
  model: SignalModel,
  { strength, decision, changesAt = Number.POSITIVE_INFINITY }: Difference,
): SimulatedUser {
  const live = model.names.filter((name) => name !== 'vector');
  const drawPreference = () => {
    const [away, ...toward] = chance.shuffled(live).slice(0, 3 + Math.floor(chance.uniform() * 3));
    const pull = () => strength * (0.6 + 0.8 * chance.uniform());
    return new Map([[away!, -pull()], ...toward.map((name) => [name, pull()] as const)]);
  };
  const preferences = [drawPreference(), drawPreference()] as const;
  const preferenceAt = (event: number): Preference => preferences[event < changesAt ? 0 : 1];
  const label = [...preferences[0]].map(([name, pull]) => `${name}${pull < 0 ? '−' : '+'}`).join(' ');
  const weightsAt = (event: number) => {
    const { names, weights, deviations, temperature } = model;
    const now = preferenceAt(event);
    return names.map((name, at) => weights[at]! + (temperature * (now.get(name) ?? 0)) / deviations[at]!);
  };
  return {
    name: `differing ${index} (${label})`,
    wishes: (pool, event) => wishesOf(pool, weightsAt(event), model, decision),
    feedback: honest(chance),
  };
}

/** The softmax of the utilities. */
function wishesOf(
  { signals, relevant }: NumberedPool,
  weights: readonly number[],
  { temperature }: SignalModel,
  decision: number,
): number[] {
  const answers = new Set(relevant);
  const utilities = signals.map((row, index) => {
    let utility = answers.has(index) ? ANSWER_BONUS : 0;
    for (let at = 0; at < row.length; at += 1) utility += (weights[at]! * row[at]!) / temperature;
    return utility * decision;
  });
  return softmax(utilities);
}

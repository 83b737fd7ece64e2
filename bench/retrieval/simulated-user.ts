import type { SignalModel } from '../../src/features/learning/signal-model.ts';
import type { Chance } from './chance.ts';
import type { NumberedPool } from './pools.ts';

/** What a user wants of a question's candidates, and what it says of the results. */
export interface SimulatedUser {
  name: string;
  wanted(pool: NumberedPool, event: number): number;
  /** The weights of a ranking that knew its taste outright. */
  ideal(model: SignalModel, event: number): number[];
  /** The result that it says it used, if it says anything. */
  feedback(wanted: number, shown: readonly number[], event: number): number | undefined;
}

type Taste = ReadonlyMap<string, number>;

/** Pays heed to what answers the question, and beside it to some signals more or less than others do. */
interface Differing {
  tastes: Taste[];
  /** Which of the tastes is in force at an event. */
  tasteAt(event: number): number;
}

const OBSERVED = 0.7;
const FALSE = 0.05;
/** Utility of an answer over a candidate that is none, in logits. */
const ANSWER_BONUS = 1;

const honest =
  (chance: Chance): SimulatedUser['feedback'] =>
  (wanted, shown) => {
    if (chance.uniform() < FALSE) return chance.pick(shown);
    const rank = shown.indexOf(wanted) + 1;
    return rank > 0 && chance.uniform() < OBSERVED / Math.sqrt(rank) ? wanted : undefined;
  };

/** Wants what answers the question, and nothing else. */
export function averageUser(index: number, chance: Chance): SimulatedUser {
  return {
    name: `average ${index}`,
    wanted: ({ relevant }) => chance.pick(relevant),
    ideal: ({ weights }) => [...weights],
    feedback: honest(chance),
  };
}

/** The same, and says anything whatever: any of the results, or the one that helps least. */
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

/** Leans toward two to four signals, away from one; another taste from `changesAt` on, where that is given. */
export function differingUser(
  index: number,
  chance: Chance,
  model: SignalModel,
  { strength, changesAt = Number.POSITIVE_INFINITY }: { strength: number; changesAt?: number },
): SimulatedUser {
  const live = model.names.filter((name) => name !== 'vec');
  const taste = () => {
    const [away, ...toward] = chance.shuffled(live).slice(0, 3 + Math.floor(chance.uniform() * 3));
    const pull = () => strength * (0.6 + 0.8 * chance.uniform());
    return new Map([[away!, -pull()], ...toward.map((name) => [name, pull()] as const)]);
  };
  const user: Differing = { tastes: [taste(), taste()], tasteAt: (event) => (event < changesAt ? 0 : 1) };
  const told = [...user.tastes[0]!].map(([name, pull]) => `${name}${pull < 0 ? '−' : '+'}`).join(' ');
  return {
    name: `differing ${index} (${told})`,
    wanted: (pool, event) => mostUseful(pool, user.tastes[user.tasteAt(event)]!, model, chance),
    ideal: ({ names, weights, deviations, temperature }, event) => {
      const now = user.tastes[user.tasteAt(event)]!;
      return names.map((name, at) => weights[at]! + (temperature * (now.get(name) ?? 0)) / deviations[at]!);
    },
    feedback: honest(chance),
  };
}

function mostUseful({ signals, relevant }: NumberedPool, taste: Taste, model: SignalModel, chance: Chance): number {
  const answers = new Set(relevant);
  const pulls = model.names.map((name, at) => (taste.get(name) ?? 0) / model.deviations[at]!);
  let best = { index: 0, utility: Number.NEGATIVE_INFINITY };
  for (const [index, row] of signals.entries()) {
    const base = row.reduce((sum, value, at) => sum + model.weights[at]! * value, 0) / model.temperature;
    const pulled = row.reduce((sum, value, at) => sum + pulls[at]! * value, 0);
    const utility = base + pulled + (answers.has(index) ? ANSWER_BONUS : 0) + chance.gumbel();
    if (utility > best.utility) best = { index, utility };
  }
  return best.index;
}

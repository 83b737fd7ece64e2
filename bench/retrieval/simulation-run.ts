import { guarded, learnedWeights } from '../../src/features/learning/learned-ranking.ts';
import { createLearnedState, type LearnedState } from '../../src/features/learning/learned-state.ts';
import { learnFrom } from '../../src/features/learning/learning-step.ts';
import { KEPT_CANDIDATES } from '../../src/features/learning/remembered-search.ts';
import type { SignalModel } from '../../src/features/learning/signal-model.ts';
import type { Chance } from './chance.ts';
import type { NumberedPool } from './pools.ts';
import type { SimulatedUser } from './simulated-user.ts';

const SHOWN = 10;
/** A user who says nothing for so long gives up. */
const MAX_SEARCHES = 20;
const TRIALS = 400;

export interface Figures {
  mrr: number;
  recall: number;
}

/** What one user had of it: by default, and after each number of events. */
export interface UserOutcome {
  name: string;
  /** After each of the checkpoints, how much better than by default, in points. */
  gains: Figures[];
  byDefault: Figures;
  /** How much better a ranking would be that knew the taste outright. */
  attainable: Figures;
}

const scoreOf = (row: Float64Array, weights: readonly number[]) =>
  row.reduce((sum, value, at) => sum + weights[at]! * value, 0);

function rank({ signals }: NumberedPool, weights: readonly number[]): number[] {
  const scores = signals.map((row) => scoreOf(row, weights));
  return [...signals.keys()].sort((a, b) => scores[b]! - scores[a]! || a - b);
}

function ranking(pool: NumberedPool, state: LearnedState, model: SignalModel): number[] {
  const byDefault = rank(pool, model.weights);
  if (state.events === 0) return byDefault;
  const weights = learnedWeights(state, model, pool.bucket);
  return guarded(
    rank(
      pool,
      model.names.map((name) => weights[name]!),
    ),
    byDefault,
  );
}

/** One user learns for as many events as the last checkpoint says, and is tried at each on questions not learned from. */
export function simulate(
  user: SimulatedUser,
  pools: readonly NumberedPool[],
  { model, chance, checkpoints }: { model: SignalModel; chance: Chance; checkpoints: readonly number[] },
): UserOutcome {
  const order = chance.shuffled(pools);
  const half = Math.floor(order.length / 2);
  const [learning, trial] = [order.slice(0, half), order.slice(half)];
  let state = createLearnedState(model.names);
  const gains: Figures[] = [];
  const defaults: Figures[] = [];
  let attainable: Figures = { mrr: 0, recall: 0 };
  for (const checkpoint of checkpoints) {
    let silent = 0;
    while (state.events < checkpoint && silent < MAX_SEARCHES) {
      const before = state;
      state = search(user, chance.pick(learning), state, model);
      silent = state === before ? silent + 1 : 0;
    }
    const { now, byDefault, ideally } = tryOut(user, trial, state, { model, chance, event: checkpoint });
    gains.push(inPoints(now, byDefault));
    attainable = inPoints(ideally, byDefault);
    defaults.push({ mrr: 100 * byDefault.mrr, recall: 100 * byDefault.recall });
  }
  return { name: user.name, gains, byDefault: meanOf(defaults), attainable };
}

function inPoints(now: Figures, before: Figures): Figures {
  return { mrr: 100 * (now.mrr - before.mrr), recall: 100 * (now.recall - before.recall) };
}

function search(user: SimulatedUser, pool: NumberedPool, state: LearnedState, model: SignalModel): LearnedState {
  const order = ranking(pool, state, model);
  const shown = order.slice(0, SHOWN);
  const used = user.feedback(user.wanted(pool, state.events), shown, state.events);
  if (used === undefined) return state;
  const kept = [...new Set([...rank(pool, model.weights).slice(0, KEPT_CANDIDATES), ...shown])];
  const place = (index: number) => kept.indexOf(index);
  return learnFrom(state, model, {
    bucket: pool.bucket,
    signals: kept.map((index) => pool.signals[index]!),
    shown: shown.map(place),
    used: [place(used)],
    irrelevant: [],
  });
}

interface Trial {
  model: SignalModel;
  chance: Chance;
  event: number;
}

function tryOut(
  user: SimulatedUser,
  pools: readonly NumberedPool[],
  state: LearnedState,
  { model, chance, event }: Trial,
) {
  const ideal = user.ideal(model, event);
  const tried = Array.from({ length: TRIALS }, () => {
    const pool = chance.pick(pools);
    const wanted = user.wanted(pool, event);
    return {
      now: figuresOf(wanted, ranking(pool, state, model)),
      byDefault: figuresOf(wanted, rank(pool, model.weights)),
      ideally: figuresOf(wanted, rank(pool, ideal)),
    };
  });
  const meanBy = (name: 'now' | 'byDefault' | 'ideally') => meanOf(tried.map((one) => one[name]));
  return { now: meanBy('now'), byDefault: meanBy('byDefault'), ideally: meanBy('ideally') };
}

function figuresOf(wanted: number, order: readonly number[]): Figures {
  const place = order.slice(0, SHOWN).indexOf(wanted) + 1;
  return { mrr: place > 0 ? 1 / place : 0, recall: place > 0 ? 1 : 0 };
}

export function meanOf(all: readonly Figures[]): Figures {
  const mean = (name: keyof Figures) => all.reduce((sum, one) => sum + one[name], 0) / all.length;
  return { mrr: mean('mrr'), recall: mean('recall') };
}

import { learnedWeights, reserveDefaults } from '../../src/features/learning/learned-ranking.ts';
import { createLearnedState, type LearnedState } from '../../src/features/learning/learned-state.ts';
import { learnFrom } from '../../src/features/learning/learning-step.ts';
import type { QueryBucket } from '../../src/features/learning/query-bucket.ts';
import { MAX_STORED_CANDIDATES } from '../../src/features/learning/remembered-search.ts';
import type { SignalModel } from '../../src/features/learning/signal-model.ts';
import { oracleWeights } from './attainable.ts';
import type { Chance } from './chance.ts';
import type { NumberedPool } from './pools.ts';
import type { SimulatedUser } from './simulated-user.ts';

const SHOWN = 10;
/** A user who gives no feedback for this many searches is abandoned. */
const MAX_SEARCHES = 20;

export interface Figures {
  mrr: number;
  recall: number;
}

/** Ranking quality for one user: by default, and after each number of events. */
export interface UserOutcome {
  name: string;
  /** Gain over the default at each checkpoint, in points. */
  gains: Figures[];
  byDefault: Figures;
  /** Gain of the oracle's ranking at the last checkpoint; 0 where it was not asked for. */
  attainable: Figures;
}

/** When to evaluate: after so many feedback events, or so many searches since the last checkpoint if that comes first. */
export interface Checkpoint {
  events: number;
  searches?: number;
}

interface SimulationSettings {
  model: SignalModel;
  chance: Chance;
  checkpoints: readonly Checkpoint[];
  /** Whether to compute what is attainable. */
  oracle: boolean;
}

type Order = readonly number[];

function rank({ signals }: NumberedPool, weights: readonly number[]): number[] {
  const scores = signals.map((row) => {
    let score = 0;
    for (let at = 0; at < row.length; at += 1) score += weights[at]! * row[at]!;
    return score;
  });
  return [...signals.keys()].sort((a, b) => scores[b]! - scores[a]! || a - b);
}

const defaultOrders = new WeakMap<NumberedPool, Order>();

/** Cached per model. */
function defaultOrder(pool: NumberedPool, { weights }: SignalModel): Order {
  const order = defaultOrders.get(pool) ?? rank(pool, weights);
  defaultOrders.set(pool, order);
  return order;
}

/** Orders pools by the learned weights. */
function rankerOf(state: LearnedState, model: SignalModel): (pool: NumberedPool) => Order {
  if (state.events === 0) return (pool) => defaultOrder(pool, model);
  const weights = new Map<QueryBucket, number[]>();
  return (pool) => {
    if (!weights.has(pool.bucket)) {
      const own = learnedWeights(state, model, pool.bucket);
      weights.set(
        pool.bucket,
        model.names.map((name) => own[name]!),
      );
    }
    return reserveDefaults(rank(pool, weights.get(pool.bucket)!), defaultOrder(pool, model));
  };
}

/**
 * Simulates one user up to the last checkpoint and evaluates at each on the questions not learned from, weighting every
 * candidate by its probability of being the wanted one so that the figures have no sampling noise.
 */
export function simulate(
  user: SimulatedUser,
  pools: readonly NumberedPool[],
  { model, chance, checkpoints, oracle }: SimulationSettings,
): UserOutcome {
  const order = chance.shuffled(pools);
  const half = Math.floor(order.length / 2);
  const [learning, trial] = [order.slice(0, half), order.slice(half)];
  let state = createLearnedState(model.names);
  const gains: Figures[] = [];
  const defaults: Figures[] = [];
  let attainable: Figures = { mrr: 0, recall: 0 };
  for (const [index, { events, searches = Number.POSITIVE_INFINITY }] of checkpoints.entries()) {
    let silent = 0;
    for (let asked = 0; asked < searches && state.events < events && silent < MAX_SEARCHES; asked += 1) {
      const before = state;
      state = search(user, chance.pick(learning), state, { model, chance });
      silent = state === before ? silent + 1 : 0;
    }
    const labeled = trial.map((pool) => ({ pool, wishes: user.wishes(pool, events) }));
    const figuresBy = (ranker: (pool: NumberedPool) => Order) =>
      meanOf(labeled.map(({ pool, wishes }) => figuresOf(wishes, ranker(pool))));
    const byDefault = figuresBy((pool) => defaultOrder(pool, model));
    gains.push(inPoints(figuresBy(rankerOf(state, model)), byDefault));
    defaults.push({ mrr: 100 * byDefault.mrr, recall: 100 * byDefault.recall });
    if (oracle && index === checkpoints.length - 1) {
      const weights = oracleWeights(labeled, model);
      attainable = inPoints(
        figuresBy((pool) => rank(pool, weights)),
        byDefault,
      );
    }
  }
  return { name: user.name, gains, byDefault: meanOf(defaults), attainable };
}

function inPoints(now: Figures, before: Figures): Figures {
  return { mrr: 100 * (now.mrr - before.mrr), recall: 100 * (now.recall - before.recall) };
}

function search(
  user: SimulatedUser,
  pool: NumberedPool,
  state: LearnedState,
  { model, chance }: { model: SignalModel; chance: Chance },
): LearnedState {
  const shown = rankerOf(state, model)(pool).slice(0, SHOWN);
  const used = user.feedback(drawn(user.wishes(pool, state.events), chance), shown);
  if (used === undefined) return state;
  const stored = [...new Set([...defaultOrder(pool, model).slice(0, MAX_STORED_CANDIDATES), ...shown])];
  const place = (index: number) => stored.indexOf(index);
  return learnFrom(state, model, {
    bucket: pool.bucket,
    signals: stored.map((index) => pool.signals[index]!),
    shown: shown.map(place),
    used: [place(used)],
    irrelevant: [],
  });
}

function drawn(wishes: readonly number[], chance: Chance): number {
  let left = chance.uniform();
  for (const [index, wish] of wishes.entries()) {
    left -= wish;
    if (left < 0) return index;
  }
  return wishes.length - 1;
}

function figuresOf(wishes: readonly number[], order: Order): Figures {
  const shown = order.slice(0, SHOWN);
  return {
    mrr: shown.reduce((sum, index, place) => sum + wishes[index]! / (place + 1), 0),
    recall: shown.reduce((sum, index) => sum + wishes[index]!, 0),
  };
}

export function meanOf(all: readonly Figures[]): Figures {
  const mean = (name: keyof Figures) => all.reduce((sum, one) => sum + one[name], 0) / all.length;
  return { mrr: mean('mrr'), recall: mean('recall') };
}

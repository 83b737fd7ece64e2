import { SIGNAL_NAMES, type SignalName } from '../../src/contract/signals.ts';
import { STRATEGY_WEIGHTS } from '../../src/features/search/fusion.ts';
import { meanRecall, recallOf } from '../recall.ts';
import type { Section } from '../report.ts';
import type { RecordedPool } from './pools.ts';

const { default: WEIGHTS } = STRATEGY_WEIGHTS;

/** What every signal is worth: the ranking of recorded candidates by all default weights, and without each in turn. */
export function signalsOf(pools: readonly RecordedPool[]): Section {
  const all = figuresWithout(pools, undefined);
  const used = SIGNAL_NAMES.filter((name) => pools.some(({ pool }) => pool.some(({ signals }) => signals[name] !== 0)));
  const rows = used
    .filter((name) => WEIGHTS[name] !== 0)
    .map((name) => {
      const without = figuresWithout(pools, name);
      const gain = (figure: keyof typeof all) => signed(100 * (all[figure] - without[figure]));
      return {
        signal: name,
        weight: String(WEIGHTS[name]),
        'R@5': gain('recall@5'),
        'R@10': gain('recall@10'),
        MRR: gain('mrr'),
      };
    });
  return { name: 'signals', title: 'What each signal gains, in points: with it less without it', rows, findings: [] };
}

function figuresWithout(pools: readonly RecordedPool[], left: SignalName | undefined) {
  const names = SIGNAL_NAMES.filter((name) => name !== left);
  const scoreOf = (signals: Record<string, number>) =>
    names.reduce((sum, name) => sum + WEIGHTS[name] * (signals[name] ?? 0), 0);
  return meanRecall(
    pools.map(({ pool, relevant }) => {
      const scored = pool.map(({ id, signals }) => ({ id, score: scoreOf(signals) }));
      const ranked = scored.sort((a, b) => b.score - a.score).map(({ id }) => id);
      return recallOf(relevant, ranked);
    }),
  );
}

function signed(points: number): string {
  return `${points >= 0 ? '+' : '−'}${Math.abs(points).toFixed(1)}`;
}

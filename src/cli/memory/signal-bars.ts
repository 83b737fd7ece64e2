import type { LearnedShift } from '../../contract/learning.ts';
import type { SearchResult } from '../../contract/search.ts';
import { SIGNAL_LABELS } from '../../contract/signals.ts';
import type { MemoryStyle } from './style.ts';
import { padToWidth, truncate } from './terminal-text.ts';

/** Signals of a newer daemon go by their own names. */
const NAMES: Record<string, string> = SIGNAL_LABELS;
const LONGEST_BAR = 20;
const SHORTEST_BAR = 4;
/** Columns of `0.88 × 2.5` with the gap before it. */
const FIGURES = 12;
const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

/** Why a result stands where it stands: a line a signal that says something, its bar the part that it gave of all. */
export function signalBars({ why }: SearchResult, width: number, style: MemoryStyle): string[] {
  if (!why) return [];
  const rows = Object.entries(why.signals).map(([name, signal]) => ({ name: NAMES[name] ?? name, ...signal }));
  const telling = rows.filter(({ value, weight }) => value !== 0 && weight !== 0);
  const most = telling.reduce((sum, { weight }) => sum + Math.max(0, weight), 0);
  const longest = Math.max(0, ...telling.map(({ name }) => name.length)) + 1;
  const nameWidth = Math.min(longest, Math.max(6, width - SHORTEST_BAR - FIGURES));
  const barWidth = Math.max(SHORTEST_BAR, Math.min(LONGEST_BAR, width - nameWidth - FIGURES));
  const lines = telling.map(({ name, value, weight, share }) => {
    const drawn = padToWidth(fractionalBar(most > 0 ? share / most : 0, barWidth), barWidth);
    return `${style.dim(padToWidth(truncate(name, nameWidth - 1), nameWidth))}${style.good(drawn)} ${style.dim(`${round(value)} × ${round(weight)}`)}`;
  });
  return why.rank === why.defaultRank
    ? lines
    : [...lines, style.dim(`place ${why.rank}, by default ${why.defaultRank}`)];
}

/** What was learned of the user for such questions, in a line. */
export function describeLearned({ bucket, events, largest }: LearnedShift): string {
  if (events === 0) return `kind of question: ${bucket}; nothing is learned yet, this is the default order`;
  const shifts = largest.map(
    ({ signal, delta }) => `${NAMES[signal] ?? signal} ${delta > 0 ? '+' : '−'}${round(Math.abs(delta))}`,
  );
  const most = shifts.length === 0 ? '' : ` (${shifts.join(', ')})`;
  return `kind of question: ${bucket}; learned from ${events} ${events === 1 ? 'answer' : 'answers'}${most}`;
}

/** A bar of at most `width` columns, to an eighth of a column. */
export function fractionalBar(share: number, width: number): string {
  const eighths = Math.round(Math.max(0, Math.min(1, share)) * width * 8);
  return '█'.repeat(Math.floor(eighths / 8)) + EIGHTHS[eighths % 8];
}

function round(value: number): string {
  return String(Math.round(value * 100) / 100);
}

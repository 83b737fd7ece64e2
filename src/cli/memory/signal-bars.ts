import type { LearnedShift } from '../../contract/learning.ts';
import type { MeaningWeight, SearchResult } from '../../contract/search.ts';
import { SIGNAL_LABELS } from '../../contract/signals.ts';
import { pluralize } from './import-report.ts';
import type { MemoryStyle } from './style.ts';
import { padToWidth, truncate } from './terminal-text.ts';

/** A signal that only a newer daemon knows is shown under its field name. */
const NAMES: Record<string, string> = SIGNAL_LABELS;
const MAX_BAR = 20;
const MIN_BAR = 4;
/** Columns of `0.88 × 2.5` and the gap before it. */
const FIGURES_WIDTH = 12;
const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

/** Explains the score of a result: one line per contributing signal, with its share of the total as a bar. */
export function signalBars({ why }: SearchResult, width: number, style: MemoryStyle): string[] {
  if (!why) return [];
  const rows = Object.entries(why.signals).map(([name, signal]) => ({ name: NAMES[name] ?? name, ...signal }));
  const contributing = rows.filter(({ value, weight }) => value !== 0 && weight !== 0);
  const maxScore = contributing.reduce((sum, { weight }) => sum + Math.max(0, weight), 0);
  const longest = Math.max(0, ...contributing.map(({ name }) => name.length)) + 1;
  const nameWidth = Math.min(longest, Math.max(6, width - MIN_BAR - FIGURES_WIDTH));
  const barWidth = Math.max(MIN_BAR, Math.min(MAX_BAR, width - nameWidth - FIGURES_WIDTH));
  const lines = contributing.map(({ name, value, weight, share }) => {
    const filled = padToWidth(fractionalBar(maxScore > 0 ? share / maxScore : 0, barWidth), barWidth);
    return `${style.dim(padToWidth(truncate(name, nameWidth - 1), nameWidth))}${style.good(filled)} ${style.dim(`${round(value)} × ${round(weight)}`)}`;
  });
  const related = (why.related ?? []).map(({ term, word }) => `“${word}” for “${term}”`).join(', ');
  if (related !== '') lines.push(style.dim(truncate(related, width)));
  if (why.rank !== why.defaultRank) lines.push(style.dim(`rank ${why.rank}, default rank ${why.defaultRank}`));
  return lines;
}

/** Describes in one line what was learned from this user for this type of query. */
export function describeLearned({ bucket, events, largest }: LearnedShift): string {
  if (events === 0) return `query type: ${bucket}; nothing learned yet, default ranking`;
  const shifts = largest.map(
    ({ signal, delta }) => `${NAMES[signal] ?? signal} ${delta > 0 ? '+' : '−'}${round(Math.abs(delta))}`,
  );
  const largestText = shifts.length === 0 ? '' : ` (${shifts.join(', ')})`;
  return `query type: ${bucket}; learned from ${pluralize(events, 'feedback event')}${largestText}`;
}

/** Describes in one line how much the embedding model counts, and why. */
export function describeMeaning({ factor, agreement, searches }: MeaningWeight): string {
  const times = factor === 0 ? 'for nothing' : `${round(factor)} times as much as usual`;
  const counts = factor === 1 ? 'counts as usual' : `counts ${times}`;
  if (agreement === null) return `meaning ${counts}: nothing is known of the model yet`;
  const share = `${Math.round(100 * agreement)} %`;
  return `meaning ${counts}: the model agrees with words in ${share} of comparisons (${pluralize(searches, 'search', 'searches')})`;
}

/** Draws a bar of at most `width` columns, to an eighth of a column. */
export function fractionalBar(share: number, width: number): string {
  const eighths = Math.round(Math.max(0, Math.min(1, share)) * width * 8);
  return '█'.repeat(Math.floor(eighths / 8)) + EIGHTHS[eighths % 8];
}

function round(value: number): string {
  return String(Math.round(value * 100) / 100);
}

import type { ImportCounts, ImportReport } from '../../contract/portability.ts';
import { formatCount } from '../number-format.ts';
import { displayWidth, padToWidth, printable } from './terminal-text.ts';

const SHOWN = 20;

/** `1 memory`, `2,600 memories`. */
export function pluralize(amount: number, one: string, many = `${one}s`): string {
  return `${formatCount(amount)} ${amount === 1 ? one : many}`;
}

/** `3 memories, 1 conversation with 12 messages`: what there is of each kind; `nothing` where there is none. */
export function describeCounts({ memories, conversations, messages, episodes, learned }: ImportCounts): string {
  const within = messages === 0 ? '' : pluralize(messages, 'message');
  const talks = conversations === 0 ? '' : pluralize(conversations, 'conversation');
  const parts = [
    memories === 0 ? '' : pluralize(memories, 'memory', 'memories'),
    talks && within ? `${talks} with ${within}` : talks || within,
    episodes === 0 ? '' : pluralize(episodes, 'episode'),
    learned === 0 ? '' : `what was learned of ${pluralize(learned, 'person', 'people')}`,
  ].filter((part) => part !== '');
  return parts.length === 0 ? 'nothing' : parts.join(', ');
}

/** What an import did, in words: what came in, what was there, what was left out and why. */
export function formatImportReport({ added, known, skipped, reasons, complete }: ImportReport): string {
  const lines = [`Imported ${describeCounts(added)}.`];
  if (Object.values(known).some((count) => count > 0)) lines.push(`There already: ${describeCounts(known)}.`);
  if (skipped > 0) lines.push(`${pluralize(skipped, 'thing was', 'things were')} left out:`);
  const shown = reasons.slice(0, SHOWN).map(({ place, reason }) => [inLine(place), inLine(reason)] as const);
  const width = Math.max(0, ...shown.map(([place]) => displayWidth(place)));
  for (const [place, reason] of shown) lines.push(`  ${padToWidth(place, width)}  ${reason}`);
  if (skipped > shown.length) {
    lines.push(`  and ${pluralize(skipped - shown.length, 'more', 'more')} (--json has the first thousand)`);
  }
  if (!complete) lines.push('The file ends before its last line: it was cut off.');
  return lines.join('\n');
}

/** Names in the file stand in both, whatever they are. */
function inLine(text: string): string {
  return printable(text).replaceAll('\n', ' ');
}

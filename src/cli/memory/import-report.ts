import type { ImportCounts, ImportReport } from '../../contract/portability.ts';
import { formatCount } from '../number-format.ts';
import { displayWidth, padToWidth, printable } from './terminal-text.ts';

const MAX_REASONS = 20;
/** The most entries of one reason whose place is shown. */
const MAX_PLACES = 3;

/** `1 memory`, `2,600 memories`. */
export function pluralize(amount: number, one: string, many = `${one}s`): string {
  return `${formatCount(amount)} ${amount === 1 ? one : many}`;
}

/** `3 memories, 1 conversation with 12 messages`, or `nothing`. */
export function describeCounts({
  memories,
  conversations,
  messages,
  episodes,
  learned,
  suggestions,
}: ImportCounts): string {
  const messageCount = messages === 0 ? '' : pluralize(messages, 'message');
  const conversationCount = conversations === 0 ? '' : pluralize(conversations, 'conversation');
  const parts = [
    memories === 0 ? '' : pluralize(memories, 'memory', 'memories'),
    conversationCount && messageCount ? `${conversationCount} with ${messageCount}` : conversationCount || messageCount,
    episodes === 0 ? '' : pluralize(episodes, 'episode'),
    learned === 0 ? '' : `learned rankings for ${pluralize(learned, 'user')}`,
    suggestions ? pluralize(suggestions, 'suggestion') : '',
  ].filter((part) => part !== '');
  return parts.length === 0 ? 'nothing' : parts.join(', ');
}

/** Describes an import: what was added, what was already stored, and what was skipped and why. */
export function formatImportReport({ added, known, skipped, reasons, complete }: ImportReport): string {
  const lines = [`Imported ${describeCounts(added)}.`];
  if (Object.values(known).some((count) => count > 0)) lines.push(`Already stored: ${describeCounts(known)}.`);
  if (skipped > 0) lines.push(`${pluralize(skipped, 'entry', 'entries')} skipped:`);
  const placesOf = new Map<string, string[]>();
  for (const { place, reason } of reasons) {
    const places = placesOf.get(reason) ?? [];
    places.push(singleLine(place));
    placesOf.set(reason, places);
  }
  const groups = [...placesOf].slice(0, MAX_REASONS).map(([reason, all]) => {
    const places = all.slice(0, MAX_PLACES);
    return { reason: singleLine(reason), places, others: all.length - places.length };
  });
  const width = Math.max(0, ...groups.flatMap(({ places }) => places.map(displayWidth)));
  for (const { reason, places, others } of groups) {
    for (const place of places) lines.push(`  ${padToWidth(place, width)}  ${reason}`);
    if (others > 0) lines.push(`  and ${pluralize(others, 'more', 'more')} for the same reason`);
  }
  const shown = groups.reduce((sum, { places, others }) => sum + places.length + others, 0);
  if (skipped > shown) lines.push(`  and ${pluralize(skipped - shown, 'more', 'more')} (--json lists the first 1,000)`);
  if (!complete) lines.push('The file is truncated: its last line is missing.');
  return lines.join('\n');
}

/** Both the place and the reason can contain text from the file. */
function singleLine(text: string): string {
  return printable(text).replaceAll('\n', ' ');
}

import { sayCount } from '../wording.ts';
import type { ImportTally } from './import-sending.ts';

const SHOWN = 20;

/** `1 memory`, `2,600 memories`. */
export function countOf(amount: number, one: string, many = `${one}s`): string {
  return `${sayCount(amount)} ${amount === 1 ? one : many}`;
}

/** What an import did, in words: what came in, what was there, which lines were left out and why. */
export function importReport({ added, known, skipped }: ImportTally): string {
  const lines = [`Imported ${countOf(added, 'memory', 'memories')}.`];
  if (known > 0) lines.push(`${countOf(known, 'memory was', 'memories were')} there already.`);
  if (skipped.length > 0) lines.push(`${countOf(skipped.length, 'line was', 'lines were')} skipped:`);
  const width = Math.max(0, ...skipped.slice(0, SHOWN).map(({ line }) => String(line).length));
  for (const { line, reason } of skipped.slice(0, SHOWN)) {
    lines.push(`  line ${String(line).padStart(width)}: ${reason}`);
  }
  if (skipped.length > SHOWN) lines.push(`  and ${countOf(skipped.length - SHOWN, 'more', 'more')} (--json has all)`);
  return lines.join('\n');
}

import { printable } from '../memory/terminal-text.ts';
import type { Style } from '../output.ts';
import { maskSecrets } from './mask-secrets.ts';

/** Unchanged lines shown before and after the changes. */
const CONTEXT_LINES = 3;
/** Above this many lines, the changed range is shown as all removed and all added, because matching is quadratic. */
const MAX_MATCHED_LINES = 400;

type Mark = ' ' | '-' | '+';
interface Line {
  mark: Mark;
  text: string;
}

/**
 * Unified diff with a single hunk from the first change to the last. Masks secrets after comparing, so that a changed
 * key still shows as a change. Ignores differences in line endings.
 */
export function unifiedDiff(path: string, before: string | undefined, after: string | undefined, style: Style): string {
  const [old, updated] = [linesOf(before), linesOf(after)];
  const prefix = commonPrefixLength(old, updated);
  const suffix = Math.min(
    commonPrefixLength([...old].reverse(), [...updated].reverse()),
    Math.min(old.length, updated.length) - prefix,
  );
  const [oldEnd, updatedEnd] = [old.length - suffix, updated.length - suffix];
  const from = Math.max(0, prefix - CONTEXT_LINES);
  const context = (lines: string[]) => lines.map((text): Line => ({ mark: ' ', text }));
  const lines = [
    ...context(old.slice(from, prefix)),
    ...diffLines(old.slice(prefix, oldEnd), updated.slice(prefix, updatedEnd)),
    ...context(old.slice(oldEnd, oldEnd + CONTEXT_LINES)),
  ];
  const count = (mark: Mark) => lines.filter((line) => line.mark !== mark).length;
  const head = [
    style.bold(`--- ${before === undefined ? 'no file' : path}`),
    style.bold(`+++ ${after === undefined ? 'no file' : path}`),
    style.dim(`@@ -${from + 1},${count('+')} +${from + 1},${count('-')} @@`),
  ];
  return [...head, ...lines.map((line) => colorLine(line, style))].join('\n');
}

function colorLine({ mark, text }: Line, style: Style): string {
  const line = mark + printable(maskSecrets(text));
  if (mark === '+') return style.good(line);
  return mark === '-' ? style.bad(line) : line;
}

function linesOf(text = ''): string[] {
  const lines = text.replace(/^\ufeff/, '').split(/\r?\n/);
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}

function commonPrefixLength(a: string[], b: string[]): number {
  const at = a.findIndex((line, index) => line !== b[index]);
  return at === -1 ? Math.min(a.length, b.length) : at;
}

/** Computes the fewest removed and added lines (longest common subsequence). */
function diffLines(old: string[], updated: string[]): Line[] {
  const removed = (text: string): Line => ({ mark: '-', text });
  const added = (text: string): Line => ({ mark: '+', text });
  if (old.length > MAX_MATCHED_LINES || updated.length > MAX_MATCHED_LINES)
    return [...old.map(removed), ...updated.map(added)];
  const common = commonLengths(old, updated);
  const lines: Line[] = [];
  let [i, j] = [0, 0];
  while (i < old.length || j < updated.length) {
    if (i < old.length && j < updated.length && old[i] === updated[j]) {
      lines.push({ mark: ' ', text: old[i++]! });
      j += 1;
    } else if (j === updated.length || (i < old.length && common[i + 1]![j]! >= common[i]![j + 1]!))
      lines.push(removed(old[i++]!));
    else lines.push(added(updated[j++]!));
  }
  return lines;
}

/** For every pair of positions, the length of the longest common subsequence of the remaining lines. */
function commonLengths(old: string[], updated: string[]): number[][] {
  const table = Array.from({ length: old.length + 1 }, () => new Array<number>(updated.length + 1).fill(0));
  for (let i = old.length - 1; i >= 0; i -= 1) {
    for (let j = updated.length - 1; j >= 0; j -= 1) {
      table[i]![j] = old[i] === updated[j] ? table[i + 1]![j + 1]! + 1 : Math.max(table[i + 1]![j]!, table[i]![j + 1]!);
    }
  }
  return table;
}

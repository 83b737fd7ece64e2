import type { Style } from '../output.ts';
import { maskSecrets } from './mask-secrets.ts';

/** Lines shown around a change. */
const CONTEXT = 3;
/** Beyond this many changed lines nothing is matched up: all old ones go, all new ones come. */
const MATCHED = 400;

type Mark = ' ' | '-' | '+';
interface Line {
  mark: Mark;
  text: string;
}

/**
 * What becomes of a text, in the unified form, as one stretch from the first change to the last. Secrets are masked
 * after comparing, so that a changed key still shows as a change. Line ends are not told apart.
 */
export function unifiedDiff(path: string, before: string | undefined, after: string | undefined, style: Style): string {
  const [old, now] = [linesOf(before), linesOf(after)];
  const same = sharedStart(old, now);
  const tail = Math.min(sharedStart([...old].reverse(), [...now].reverse()), Math.min(old.length, now.length) - same);
  const [oldEnd, nowEnd] = [old.length - tail, now.length - tail];
  const from = Math.max(0, same - CONTEXT);
  const context = (lines: string[]) => lines.map((text): Line => ({ mark: ' ', text }));
  const lines = [
    ...context(old.slice(from, same)),
    ...changes(old.slice(same, oldEnd), now.slice(same, nowEnd)),
    ...context(old.slice(oldEnd, oldEnd + CONTEXT)),
  ];
  const count = (mark: Mark) => lines.filter((line) => line.mark !== mark).length;
  const head = [
    style.bold(`--- ${before === undefined ? 'no file' : path}`),
    style.bold(`+++ ${after === undefined ? 'no file' : path}`),
    style.dim(`@@ -${from + 1},${count('+')} +${from + 1},${count('-')} @@`),
  ];
  return [...head, ...lines.map((line) => painted(line, style))].join('\n');
}

function painted({ mark, text }: Line, style: Style): string {
  const line = mark + maskSecrets(text);
  if (mark === '+') return style.good(line);
  return mark === '-' ? style.bad(line) : line;
}

function linesOf(text = ''): string[] {
  const lines = text.replace(/^\ufeff/, '').split(/\r?\n/);
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}

function sharedStart(a: string[], b: string[]): number {
  const at = a.findIndex((line, index) => line !== b[index]);
  return at === -1 ? Math.min(a.length, b.length) : at;
}

/** The fewest lines to take out and put in (longest common subsequence). */
function changes(old: string[], now: string[]): Line[] {
  const removed = (text: string): Line => ({ mark: '-', text });
  const added = (text: string): Line => ({ mark: '+', text });
  if (old.length > MATCHED || now.length > MATCHED) return [...old.map(removed), ...now.map(added)];
  const shared = commonLengths(old, now);
  const lines: Line[] = [];
  let [i, j] = [0, 0];
  while (i < old.length || j < now.length) {
    if (i < old.length && j < now.length && old[i] === now[j]) {
      lines.push({ mark: ' ', text: old[i++]! });
      j += 1;
    } else if (j === now.length || (i < old.length && shared[i + 1]![j]! >= shared[i]![j + 1]!))
      lines.push(removed(old[i++]!));
    else lines.push(added(now[j++]!));
  }
  return lines;
}

/** For every pair of positions: how many lines the rest of both has in common. */
function commonLengths(old: string[], now: string[]): number[][] {
  const table = Array.from({ length: old.length + 1 }, () => new Array<number>(now.length + 1).fill(0));
  for (let i = old.length - 1; i >= 0; i -= 1) {
    for (let j = now.length - 1; j >= 0; j -= 1) {
      table[i]![j] = old[i] === now[j] ? table[i + 1]![j + 1]! + 1 : Math.max(table[i + 1]![j]!, table[i]![j + 1]!);
    }
  }
  return table;
}

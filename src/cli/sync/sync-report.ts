import { basename } from 'node:path';
import type { CommandContext } from '../command-context.ts';
import { pluralize } from '../memory/import-report.ts';
import { oneLine } from '../memory/terminal-text.ts';
import { formatCount } from '../number-format.ts';
import { createStyle, jsonFor } from '../output.ts';
import type { Change, PassReport } from './sync-pass.ts';

/** Past this many of a kind, they are counted instead of listed. */
const MAX_LISTED = 20;
const MAX_SAME_PROBLEM = 5;

/** Prints what passes did: changes to standard output, what needs a person to standard error, each only once. */
export function createSyncReport(
  { terminal }: Pick<CommandContext, 'terminal'>,
  { json }: { json?: true | undefined },
) {
  const style = createStyle(terminal.color);
  let told = new Set<string>();
  const name = (path: string) => oneLine(path);

  const lineOf = ({ in: side, change, path, keptAs, masked = 0 }: Change): string => {
    if (change === 'conflict') {
      return `${style.caution('!')} conflict  ${name(path)}: your text is now in ${name(basename(keptAs!))}`;
    }
    const arrow = style.dim(side === 'memories' ? '↑' : '↓');
    const note = masked > 0 ? ` (svc masked ${pluralize(masked, 'credential')}; the file keeps it)` : '';
    return `${arrow} ${WORDS[change].padEnd(8)}  ${name(path)}${note}`;
  };

  return {
    changes(changes: readonly Change[]): void {
      if (json) {
        for (const change of changes) terminal.out(`${jsonFor(terminal, JSON.stringify(change))}\n`);
        return;
      }
      for (const group of groupByKind(changes)) {
        const [first] = group as [Change];
        const isListed = group.length <= MAX_LISTED || first.change === 'conflict';
        const lines = isListed ? group.map(lineOf) : [lineOf({ ...first, path: pluralize(group.length, 'file') })];
        terminal.out(lines.map((line) => `${line}\n`).join(''));
      }
    },
    /** Says what was left alone, and what waits for a decision. */
    attention(report: PassReport): void {
      const lines = attentionLines(report);
      for (const line of lines) if (!told.has(line)) terminal.error(`${style.caution('!')} ${line}\n`);
      // The changes tell of conflicts that were just found.
      told = new Set([...lines, ...report.changes.flatMap(({ keptAs }) => (keptAs ? conflictLine(keptAs) : []))]);
    },
  };
}

const WORDS = { created: 'new', changed: 'changed', deleted: 'deleted', conflict: 'conflict' } as const;

function groupByKind(changes: readonly Change[]): Change[][] {
  const groups = new Map<string, Change[]>();
  for (const change of changes) {
    const key = `${change.in} ${change.change}`;
    const group = groups.get(key);
    if (group) group.push(change);
    else groups.set(key, [change]);
  }
  return [...groups.values()].map((group) => group.toSorted((a, b) => (a.path < b.path ? -1 : 1)));
}

/** A line for each file, or for many with the same problem. */
function problemLines(problems: PassReport['problems']): string[] {
  const paths = new Map<string, string[]>();
  for (const { path, problem } of problems) {
    const same = paths.get(problem);
    if (same) same.push(path);
    else paths.set(problem, [path]);
  }
  return [...paths].flatMap(([problem, all]) => {
    const because = oneLine(problem).replace(/\.$/, '');
    if (all.length <= MAX_SAME_PROBLEM) return all.map((path) => `${oneLine(path)} was left alone: ${because}.`);
    return [`${pluralize(all.length, 'file')}, such as ${oneLine(all[0]!)}, were left alone: ${because}.`];
  });
}

function conflictLine(path: string): string {
  return `${oneLine(path)} keeps the other side of a conflict: merge it by hand, then delete it.`;
}

function attentionLines({ problems, conflicts, held, undecided }: PassReport): string[] {
  const lines = problemLines(problems);
  lines.push(...conflicts.map(conflictLine));
  if (held.memories > 0) {
    const missing = `${pluralize(held.memories, 'file')} are missing, so ${pluralize(held.memories, 'memory', 'memories')} would be erased`;
    lines.push(`${missing}. Nothing was. If you deleted them, run again with --confirm-deletions.`);
  }
  if (held.files > 0) {
    const missing = `${pluralize(held.files, 'memory', 'memories')} are gone, so their files would be removed`;
    lines.push(`${missing}. None was. If that is right, run again with --confirm-deletions.`);
  }
  if (undecided > 0) {
    lines.push(
      `${pluralize(undecided, 'deleted file')} waits until every file can be read: its memory was not erased.`,
    );
  }
  return lines;
}

/** Sums up a pass in one line. */
export function summarize(
  { changes, files, problems }: Pick<PassReport, 'changes' | 'files' | 'problems'>,
  isDryRun: boolean,
): string {
  const count = (side: Change['in'], change: Change['change'], word: string) => {
    const found = changes.filter((one) => one.in === side && one.change === change).length;
    return found === 0 ? [] : [`${formatCount(found)} ${word}`];
  };
  const sent = [
    ...count('memories', 'created', 'new'),
    ...count('memories', 'changed', 'changed'),
    ...count('memories', 'deleted', 'deleted'),
  ];
  const received = [
    ...count('files', 'created', 'new'),
    ...count('files', 'changed', 'changed'),
    ...count('files', 'deleted', 'deleted'),
  ];
  const conflicts = count('files', 'conflict', 'in conflict');
  const parts = [
    ...(sent.length > 0 ? [`sent ${sent.join(', ')}`] : []),
    ...(received.length > 0 ? [`received ${received.join(', ')}`] : []),
    ...conflicts,
  ];
  const done = parts.length > 0 ? parts.join('; ') : 'nothing to do';
  const except = problems.length > 0 ? `, but for ${formatCount(problems.length)} left alone` : '';
  return isDryRun
    ? `Dry run, nothing was changed: ${done}.`
    : `In sync, ${pluralize(files, 'file')}${except}: ${done}.`;
}

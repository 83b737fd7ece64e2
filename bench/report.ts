import type { BarChart } from './charts/bar-chart.ts';

/** A measured value, optionally with a target. */
export interface Finding {
  name: string;
  value: number;
  /** Target: the value must not be below this. */
  atLeast?: number;
  /** Target: the value must not exceed this. */
  atMost?: number;
}

/** The result of one benchmark: a table to read, and findings to compare with their targets. */
export interface Section {
  name: string;
  title: string;
  rows: Record<string, string | number>[];
  findings: Finding[];
  charts?: BarChart[];
}

export function isReached({ value, atLeast, atMost }: Finding): boolean {
  return (atLeast === undefined || value >= atLeast) && (atMost === undefined || value <= atMost);
}

/** Formats a section as text: title, table, and a line per finding. */
export function formatSection(section: Section): string {
  return formatWith(section, formatTable);
}

/** Formats a section as text, with its table in Markdown. */
export function formatMarkdown(section: Section): string {
  return formatWith(section, markdownTable);
}

function formatWith({ title, rows, findings }: Section, tableOf: typeof formatTable): string {
  const lines = findings.map((finding) => {
    const { name, value, atLeast, atMost } = finding;
    const bound = atLeast === undefined ? `at most ${atMost}` : `at least ${atLeast}`;
    const target = atLeast ?? atMost;
    const verdict = target === undefined ? '' : `  (target: ${bound}; ${isReached(finding) ? 'reached' : 'MISSED'})`;
    return `  ${name}: ${formatNumber(value)}${verdict}`;
  });
  return [title, '', tableOf(rows), '', ...lines, ''].join('\n');
}

/** Formats rows as an aligned table with numbers to the right. */
export function formatTable(rows: readonly Record<string, string | number>[]): string {
  const columns = columnsOf(rows);
  const cells = rows.map((row) => columns.map((column) => formatCell(row[column])));
  const widths = columns.map((column, index) => Math.max(column.length, ...cells.map((line) => line[index]!.length)));
  const isNumber = columns.map((column) => rows.some((row) => typeof row[column] === 'number'));
  const lineOf = (texts: string[]) =>
    `  ${texts
      .map((text, index) => (isNumber[index] ? text.padStart(widths[index]!) : text.padEnd(widths[index]!)))
      .join('  ')
      .trimEnd()}`;
  return [lineOf(columns), ...cells.map(lineOf)].join('\n');
}

function markdownTable(rows: readonly Record<string, string | number>[]): string {
  const columns = columnsOf(rows);
  const lines = rows.map((row) => columns.map((column) => formatCell(row[column])));
  return [columns, columns.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

function columnsOf(rows: readonly Record<string, string | number>[]): string[] {
  return [...new Set(rows.flatMap((row) => Object.keys(row)))];
}

function formatCell(value: string | number | undefined): string {
  return typeof value === 'number' ? formatNumber(value) : (value ?? '');
}

/** Rounds to three significant digits; whole numbers from 100 on. */
export function formatNumber(value: number): string {
  if (!Number.isFinite(value)) return '–';
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return value.toFixed(digits);
}

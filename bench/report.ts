/** A figure that has an aim. */
export interface Finding {
  name: string;
  value: number;
  /** The bound that counts as reached. */
  atLeast?: number;
  atMost?: number;
}

/** What one benchmark found: a table for people, findings to hold against the aims. */
export interface Section {
  name: string;
  title: string;
  rows: Record<string, string | number>[];
  findings: Finding[];
}

export function isReached({ value, atLeast, atMost }: Finding): boolean {
  return (atLeast === undefined || value >= atLeast) && (atMost === undefined || value <= atMost);
}

/** A section as text: title, table, and a line for each finding. */
export function formatSection({ title, rows, findings }: Section): string {
  const lines = findings.map((finding) => {
    const { name, value, atLeast, atMost } = finding;
    const bound = atLeast === undefined ? `at most ${atMost}` : `at least ${atLeast}`;
    const aim = atLeast ?? atMost;
    const verdict = aim === undefined ? '' : `  (aim: ${bound}; ${isReached(finding) ? 'reached' : 'MISSED'})`;
    return `  ${name}: ${formatNumber(value)}${verdict}`;
  });
  return [title, '', formatTable(rows), '', ...lines, ''].join('\n');
}

/** Columns under their names; numbers to the right. */
export function formatTable(rows: readonly Record<string, string | number>[]): string {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
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

function formatCell(value: string | number | undefined): string {
  return typeof value === 'number' ? formatNumber(value) : (value ?? '');
}

/** Three telling digits, or whole numbers where there are more before the point. */
export function formatNumber(value: number): string {
  if (!Number.isFinite(value)) return '–';
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return value.toFixed(digits);
}

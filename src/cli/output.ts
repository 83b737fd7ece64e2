import type { CommandTerminal } from './command-context.ts';
import { padToWidth, printableJson, wrap } from './memory/terminal-text.ts';

/** Text styles. Without color they do nothing, so the words alone must carry the meaning. */
export interface Style {
  bold(text: string): string;
  dim(text: string): string;
  good(text: string): string;
  caution(text: string): string;
  bad(text: string): string;
  link(text: string): string;
}

const CODES: Record<keyof Style, [on: string, off: string]> = {
  bold: ['1', '22'],
  dim: ['2', '22'],
  good: ['32', '39'],
  caution: ['33', '39'],
  bad: ['31', '39'],
  link: ['1;4;36', '22;24;39'],
};

export function createStyle(color: boolean): Style {
  const set =
    ([on, off]: [string, string]) =>
    (text: string) =>
      color ? `\u001b[${on}m${text}\u001b[${off}m` : text;
  return Object.fromEntries(Object.entries(CODES).map(([name, codes]) => [name, set(codes)])) as Record<
    keyof Style,
    (text: string) => string
  >;
}

/** Writes the result to standard output and everything else to standard error. */
export interface Output {
  json: boolean;
  style: Style;
  columns: number;
  /** Prints a line of the result, unless `--json` is given. */
  line(text?: string): void;
  /** Prints the result as JSON, only with `--json`. */
  data(value: unknown): void;
  /** Prints progress to standard error. */
  note(text: string): void;
  warn(text: string): void;
}

export interface OutputOptions {
  json?: boolean | undefined;
}

export function createOutput(terminal: CommandTerminal, { json = false }: OutputOptions = {}): Output {
  const style = createStyle(terminal.color);
  const errorStyle = createStyle(terminal.color && terminal.errorIsTty);
  const { columns } = terminal;
  const printError = (text: string) => terminal.error(`${text}\n`);
  return {
    json,
    style,
    columns,
    line(text = '') {
      if (!json) terminal.out(`${text}\n`);
    },
    data(value) {
      if (json) terminal.out(`${jsonFor(terminal, JSON.stringify(value, null, 2))}\n`);
    },
    note: (text) => printError(wrap(text, columns).join('\n')),
    warn(text) {
      const [first = '', ...rest] = wrap(text, columns - 2);
      printError([`${errorStyle.caution('!')} ${first}`, ...rest.map((line) => `  ${line}`)].join('\n'));
    },
  };
}

/** Escapes control and direction characters in JSON for a terminal; elsewhere the JSON is unchanged. */
export function jsonFor({ isTty }: Pick<CommandTerminal, 'isTty'>, json: string): string {
  return isTty ? printableJson(json) : json;
}

/** A label with its value: text to wrap, or a function that formats lines for a width. */
export type Field = [label: string, value: string | ((width: number) => string[])];

/** Formats labels in one column and their values in the next, wrapped. */
export function formatFields(rows: Field[], columns: number, style: Style): string[] {
  const margin = 2;
  const gutter = margin + Math.max(...rows.map(([label]) => label.length)) + 2;
  const width = Math.max(columns - gutter, 16);
  return rows.flatMap(([label, value]) => {
    const lines = typeof value === 'string' ? wrap(value, width) : value(width);
    return lines.map((line, index) => {
      const head = padToWidth(' '.repeat(margin) + (index === 0 ? label : ''), gutter);
      return style.dim(head) + line;
    });
  });
}

/** Draws a share between 0 and 1 as a bar of `width` columns. Any share above 0 fills at least one. */
export function bar(share: number, width: number, style: Style): string {
  const bounded = Math.min(Math.max(share, 0), 1);
  const filled = bounded === 0 ? 0 : Math.max(1, Math.floor(bounded * width));
  const tone = bounded >= 1 ? style.bad : bounded >= 0.8 ? style.caution : style.good;
  return tone('█'.repeat(filled)) + style.dim('░'.repeat(width - filled));
}

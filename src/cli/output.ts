import type { CommandTerminal } from './command-context.ts';
import { padToWidth, wrap } from './memory/terminal-text.ts';

/** How a word is set off. Without color every one of these changes nothing: the words must say it all. */
export interface Style {
  bold(text: string): string;
  dim(text: string): string;
  good(text: string): string;
  caution(text: string): string;
  bad(text: string): string;
}

const CODES: Record<keyof Style, [number, number]> = {
  bold: [1, 22],
  dim: [2, 22],
  good: [32, 39],
  caution: [33, 39],
  bad: [31, 39],
};

export function createStyle(color: boolean): Style {
  const set =
    ([on, off]: [number, number]) =>
    (text: string) =>
      color ? `\u001b[${on}m${text}\u001b[${off}m` : text;
  return Object.fromEntries(Object.entries(CODES).map(([name, codes]) => [name, set(codes)])) as Record<
    keyof Style,
    (text: string) => string
  >;
}

/** What a command says: its result on standard output, all else on standard error. */
export interface Output {
  json: boolean;
  style: Style;
  columns: number;
  /** A line of the result; left out with `--json`, where the result is data. */
  line(text?: string): void;
  /** The result for programs; only with `--json`. */
  data(value: unknown): void;
  /** Progress, for whoever watches. */
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
  const told = (text: string) => terminal.error(`${text}\n`);
  return {
    json,
    style,
    columns,
    line(text = '') {
      if (!json) terminal.out(`${text}\n`);
    },
    data(value) {
      if (json) terminal.out(`${JSON.stringify(value, null, 2)}\n`);
    },
    note: (text) => told(wrap(text, columns).join('\n')),
    warn(text) {
      const [first = '', ...rest] = wrap(text, columns - 2);
      told([`${errorStyle.caution('!')} ${first}`, ...rest.map((line) => `  ${line}`)].join('\n'));
    },
  };
}

/** A label with what it names: a text to be wrapped, or lines that fit themselves into a width. */
export type Field = [label: string, value: string | ((width: number) => string[])];

/** Labels in one column, what they name in the next, wrapped within it. */
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

/** A share between 0 and 1 as a bar of `width` columns. What is begun shows. */
export function bar(share: number, width: number, style: Style): string {
  const bounded = Math.min(Math.max(share, 0), 1);
  const filled = bounded === 0 ? 0 : Math.max(1, Math.floor(bounded * width));
  const tone = bounded >= 1 ? style.bad : bounded >= 0.8 ? style.caution : style.good;
  return tone('█'.repeat(filled)) + style.dim('░'.repeat(width - filled));
}

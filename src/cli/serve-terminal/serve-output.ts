import { wrap } from '../memory/terminal-text.ts';
import { createStyle, type Field, formatFields, type Style } from '../output.ts';
import { DEFAULT_URL } from '../settings.ts';
import { formatLogLine, levelOf, WARN } from './log-line.ts';

/** Wider lines are harder to read. */
const LARGEST_WIDTH = 76;

/** Wraps a framed mail for people. A link gets a line to itself, in one piece, so that it can be clicked. */
function formatMail(frame: string, style: Style, columns: number): string {
  const width = Math.min(columns - 3, LARGEST_WIDTH);
  const lines = frame.trimEnd().split('\n');
  return lines.flatMap((line) => formatLine(line, style, width)).join('\n');
}

function formatLine(line: string, style: Style, width: number): string[] {
  if (!line.startsWith('│')) return [style.dim(line.slice(0, width + 2))];
  const text = line.slice(2);
  const edge = style.dim('│');
  if (/^https?:\/\/\S+$/.test(text)) return [`${edge} ${style.link(text)}`];
  if (text.startsWith('Subject: ')) return [`${edge} ${style.bold(text.slice('Subject: '.length))}`];
  if (text.startsWith('To: ')) return [`${edge} ${style.dim(`Mail for ${text.slice('To: '.length).trim()}`)}`];
  return wrap(text, width).map((part) => `${edge} ${part}`.trimEnd());
}

/** Announcement that the daemon has started. */
interface Started {
  version: string;
  /** The public address. */
  url: string;
  /** The data folder, or the database's address without its password. */
  data: string;
  /** What happens to mails: `shown here`. */
  mail: string;
  warnings: readonly string[];
  /** No account exists yet. */
  isEmpty: boolean;
}

/** Where the daemon writes. */
export interface ServeOutput {
  /** Start and stop are told to people, so the log need not repeat them. */
  announces: boolean;
  started(facts: Started): void;
  /** Shows a mail if there is no other way to deliver it. */
  mail(text: string): void;
  /** A line of JSON. */
  log(line: string): void;
  stopping(): void;
  stopped(): void;
}

type Write = (text: string) => void;

/** For programs, such as a service manager: an overview and mails on standard output, the log as JSON on standard error. */
export function createPlainOutput(out: Write, error: Write): ServeOutput {
  return {
    announces: false,
    started({ url, warnings, ...facts }) {
      const rows = [...overviewOf({ url, ...facts }), ...warnings.map((text): [string, string] => ['Warning', text])];
      const lines = rows.map(([label, value]) => `  ${label.padEnd(7)}  ${value}`);
      out(
        `${[`svc is running at ${url}`, '', ...lines, '', 'Sign in with svc login, or in the web app.', ''].join('\n')}\n`,
      );
    },
    mail: (text) => out(`${text}\n`),
    log: error,
    stopping() {},
    stopped() {},
  };
}

interface Screen {
  columns: number;
  color: boolean;
}

/** For people: everything as text, in the order it happens; until the daemon has started, warnings only. */
export function createScreenOutput(out: Write, { columns, color }: Screen): ServeOutput {
  const style = createStyle(color);
  let hasStarted = false;
  return {
    announces: true,
    started(facts) {
      hasStarted = true;
      out(`${welcome(facts, columns, style).join('\n')}\n\n`);
    },
    mail: (text) => out(`\n${formatMail(text, style, columns)}\n\n`),
    log(line) {
      if (hasStarted || levelOf(line) >= WARN) out(`${formatLogLine(line.trimEnd(), style)}\n`);
    },
    stopping: () => out('\nStopping: open requests are finished first. Press Ctrl-C again to stop at once.\n'),
    stopped: () => out('Stopped.\n'),
  };
}

function overviewOf({ url, version, data, mail }: Omit<Started, 'warnings' | 'isEmpty'>): [string, string][] {
  return [
    ['Web app', `${url}/dashboard`],
    ['API', `${url}/docs`],
    ['MCP', `${url}/v1/mcp`],
    ['Data', data],
    ['Mail', mail],
    ['Version', version],
  ];
}

function welcome(facts: Started, columns: number, style: Style): string[] {
  const { url, warnings, isEmpty } = facts;
  const shown = warnings.flatMap((warning) => {
    const [first = '', ...rest] = wrap(warning, columns - 2);
    return [`${style.caution('!')} ${first}`, ...rest.map((line) => `  ${line}`)];
  });
  const steps: Field[] = isEmpty
    ? [
        [
          `svc login${url === DEFAULT_URL ? '' : ` --url ${url}`}`,
          'sign in; without a mail server, the link appears here',
        ],
        ['svc mcp-config', 'connect the assistants on this machine'],
      ]
    : [
        ['svc open', 'open the web app, signed in'],
        ['svc service install', 'keep svc running in the background'],
      ];
  return [
    '',
    `${style.good('●')} svc is running at ${style.bold(url)}`,
    '',
    ...formatFields(overviewOf(facts), columns, style),
    ...(shown.length > 0 ? ['', ...shown] : []),
    '',
    isEmpty ? 'Next, in another terminal:' : 'In another terminal:',
    ...formatFields(steps, columns, { ...style, dim: style.bold }),
    '',
    style.dim('Press Ctrl-C to stop.'),
  ];
}

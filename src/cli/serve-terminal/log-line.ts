import { parseTimestamp } from '../../lib/clock.ts';
import { formatSeconds } from '../memory/local-day.ts';
import { oneLine, printable } from '../memory/terminal-text.ts';
import type { Style } from '../output.ts';

/** The level of a warning; those of errors are higher. */
export const WARN = 40;

/** The parts of a log line with a place of their own. */
interface LogLine {
  time?: string;
  level: number;
  msg?: string;
  [field: string]: unknown;
}

const ERROR = 50;
const GUTTER = ' '.repeat(11);
/** Fields that say nothing to a reader of one daemon's terminal. */
const HIDDEN = new Set(['time', 'level', 'msg', 'requestId', 'tenantId', 'mailId', 'version', 'url']);

/**
 * Formats a JSON line of the daemon's log for people: local time, a mark for warnings and errors, the message, and its
 * fields. An error adds the stack. Any other text is returned unchanged.
 */
export function formatLogLine(text: string, style: Style): string {
  const line = parseLine(text);
  if (line === undefined) return printable(text);
  const tone = line.level >= ERROR ? style.bad : line.level >= WARN ? style.caution : undefined;
  const mark = line.level >= ERROR ? '✗' : line.level >= WARN ? '!' : ' ';
  const head = `${style.dim(timeOf(line))} ${tone?.(mark) ?? mark}`;
  if (isRequest(line)) return `${head} ${formatRequest(line, style)}`;
  const message = oneLine(line.msg ?? '');
  const fields = formatFields(line);
  const rest = fields === '' ? '' : `  ${style.dim(fields)}`;
  return [`${head} ${tone?.(message) ?? message}${rest}`, ...stackOf(line).map((row) => style.dim(row))].join('\n');
}

/** A line of the log, or `undefined` for any other text, such as a mail. */
function parseLine(text: string): LogLine | undefined {
  if (!text.startsWith('{')) return undefined;
  try {
    const line = JSON.parse(text) as LogLine;
    return typeof line.level === 'number' ? line : undefined;
  } catch {
    return undefined;
  }
}

/** The level of a line; 0 for any other text. */
export function levelOf(text: string): number {
  return parseLine(text)?.level ?? 0;
}

function timeOf({ time = '' }: LogLine): string {
  const epochMs = parseTimestamp(time);
  return epochMs === undefined ? '        ' : formatSeconds(epochMs);
}

interface RequestLine extends LogLine {
  method: string;
  route: string;
  status: number;
  ms: number;
}

function isRequest(line: LogLine): line is RequestLine {
  return line.msg === 'request' && typeof line.status === 'number';
}

function formatRequest({ method, route, status, ms }: RequestLine, style: Style): string {
  const tone = status >= 500 ? style.bad : status >= 400 ? style.caution : style.good;
  const path = route === 'none' ? 'an unknown path' : oneLine(route);
  return `${tone(String(status))} ${method.padEnd(6)} ${path}  ${style.dim(`${Math.round(ms)} ms`)}`;
}

function formatFields(line: LogLine): string {
  const rows = Object.entries(line).filter(([name, value]) => !HIDDEN.has(name) && value !== undefined);
  return rows.map(([name, value]) => `${name}=${formatValue(value)}`).join(' ');
}

function formatValue(value: unknown): string {
  const { message } = Object(value) as { message?: unknown };
  const text = typeof message === 'string' ? message : typeof value === 'string' ? value : JSON.stringify(value);
  return oneLine(text);
}

function stackOf({ level, error, err }: LogLine): string[] {
  const { stack } = Object(error ?? err) as { stack?: unknown };
  if (level < ERROR || typeof stack !== 'string') return [];
  const calls = printable(stack).split('\n').slice(1);
  return calls.map((call) => `${GUTTER}${call.trim()}`);
}

import { parse, TomlDate, TomlError } from 'smol-toml';
import { isObject } from '../../../lib/is-object.ts';
import {
  ConfigFileError,
  describeSegment,
  detectLineBreak,
  type Editor,
  type Json,
  splice,
  valueAt,
} from './document.ts';
import { parseStatements, type Statement } from './toml-statements.ts';

/** Entries are tables at depth two (`[mcp_servers.svc]`). Their parent is never rewritten. */
const ENTRY_DEPTH = 2;

/** The TOML editor. Inserts, replaces and cuts lines of one table. */
export const tomlEditor: Editor = {
  read: (text) => (text.trim() === '' ? undefined : parseToml(text)),
  set: (text, path, value) => setValue(text, path.map(describeSegment), value),
  remove: (text, path) => removeValue(text, path.map(describeSegment)),
};

function parseToml(text: string): unknown {
  try {
    return parse(text, { integersAsBigInt: true });
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const [reason = ''] = error.message.replace('Invalid TOML document: ', '').split('\n');
    throw new ConfigFileError(`line ${error.line}, column ${error.column}: not valid TOML (${reason})`);
  }
}

function startsWith(path: readonly string[], prefix: readonly string[]): boolean {
  return prefix.every((name, index) => path[index] === name);
}

function setValue(text: string, path: string[], value: Json): string {
  const data = parseToml(text);
  const statements = parseStatements(text);
  const enclosing = findEnclosingPair(statements, path);
  if (enclosing) {
    const inner = assign(valueAt(data, enclosing.path), path.slice(enclosing.path.length), value);
    return splice(text, enclosing.valueFrom, enclosing.valueTo, inline(inner));
  }
  const below = statements.filter((statement) => startsWith(statement.path, path));
  const section =
    path.length > ENTRY_DEPTH && below.length === 0 ? findSection(statements, path.slice(0, -1)) : undefined;
  if (section) return insertPair(text, section, path.at(-1)!, value);
  const entry = path.slice(0, ENTRY_DEPTH);
  const table = assign(valueAt(data, entry), path.slice(ENTRY_DEPTH), value);
  return appendTable(removeValue(text, entry), entry, table);
}

/** Finds the pair whose value is at `path` or contains it. */
function findEnclosingPair(statements: Statement[], path: string[]): Statement | undefined {
  const enclosing = statements.find(({ kind, path: pairPath }) => kind === 'pair' && startsWith(path, pairPath));
  if (!enclosing || enclosing.path.length >= ENTRY_DEPTH) return enclosing;
  throw new ConfigFileError(
    `${enclosing.path.join('.')} is an inline table, which svc does not edit; use a [${path.join('.')}] table instead`,
  );
}

/** Returns the header of a table and the pairs directly below it. */
function findSection(statements: Statement[], table: string[]): Statement[] | undefined {
  const at = statements.findIndex(({ kind, path }) => kind === 'header' && path.join('\0') === table.join('\0'));
  if (at === -1) return undefined;
  const next = statements.findIndex(({ kind }, index) => index > at && kind === 'header');
  return statements.slice(at, next === -1 ? undefined : next);
}

function insertPair(text: string, section: Statement[], key: string, value: Json): string {
  const last = section.at(-1)!;
  const indent = /^[ \t]*/.exec(text.slice(last.from))![0];
  const line = `${indent}${keyText(key)} = ${inline(value)}`;
  const lineBreak = detectLineBreak(text);
  const endsWithLineBreak = text.slice(0, last.to).endsWith('\n');
  return splice(text, last.to, last.to, endsWithLineBreak ? line + lineBreak : lineBreak + line);
}

/** Appends a table after a blank line. Ends the text with a line break only if it had one. */
function appendTable(text: string, path: string[], value: unknown): string {
  const lineBreak = detectLineBreak(text);
  const pairs = Object.entries(isObject(value) ? value : {});
  const lines = [
    `[${path.map(keyText).join('.')}]`,
    ...pairs.map(([key, inner]) => `${keyText(key)} = ${inline(inner)}`),
  ];
  const table = lines.join(lineBreak);
  if (text.trim() === '') return `${table}${lineBreak}`;
  return text.endsWith('\n') ? text + lineBreak + table + lineBreak : text + lineBreak + lineBreak + table;
}

function removeValue(text: string, path: string[]): string {
  if (text.trim() === '') return text;
  const statements = parseStatements(text);
  const enclosing = findEnclosingPair(statements, path);
  if (enclosing && enclosing.path.length < path.length) {
    const before = valueAt(parseToml(text), enclosing.path);
    const rest = assign(before, path.slice(enclosing.path.length), undefined);
    return splice(text, enclosing.valueFrom, enclosing.valueTo, inline(rest));
  }
  const below = statements.filter((statement) => startsWith(statement.path, path));
  const last = below.at(-1);
  return groupRuns(below, statements)
    .reverse()
    .reduce((rest, run) => cut(rest, run.from, run.to, run.to === last?.to), text);
}

/** Groups adjacent pairs with their header, so that comments between them are cut too. */
function groupRuns(selected: Statement[], all: Statement[]): { from: number; to: number }[] {
  const runs: { from: number; to: number }[] = [];
  for (const statement of selected) {
    const previous = all[all.indexOf(statement) - 1];
    const run = runs.at(-1);
    if (run && previous && selected.includes(previous) && statement.kind === 'pair') run.to = statement.to;
    else runs.push({ from: statement.from, to: statement.to });
  }
  return runs;
}

/** Cuts lines, and a blank line before a header. A text without a final line break remains without one. */
function cut(text: string, from: number, to: number, last: boolean): string {
  const isHeader = /^[ \t]*\[/.test(text.slice(from));
  const blank = isHeader ? (/(?<=\n|^)\r?\n$/.exec(text.slice(0, from))?.[0].length ?? 0) : 0;
  const rest = splice(text, from - blank, to);
  return last && to === text.length && !text.endsWith('\n') ? rest.replace(/\r?\n$/, '') : rest;
}

/** Copies `table` with `value` at `path`, in the same position if the key exists. `undefined` removes the key. */
function assign(table: unknown, path: readonly string[], value: Json | undefined): unknown {
  const [name, ...rest] = path;
  if (name === undefined) return value;
  const old = isObject(table) ? table : {};
  const inner = assign(old[name], rest, value);
  if (inner !== undefined) return { ...old, [name]: inner };
  const { [name]: _, ...others } = old;
  return others;
}

function keyText(key: string): string {
  return /^[\w-]+$/.test(key) ? key : JSON.stringify(key);
}

/** Renders a value on one line. */
function inline(value: unknown): string {
  if (value instanceof TomlDate) return value.toISOString();
  if (typeof value === 'string') return JSON.stringify(value).replaceAll('\u007f', '\\u007f');
  if (typeof value === 'number') return floatText(value);
  if (Array.isArray(value)) return `[${value.map(inline).join(', ')}]`;
  if (!isObject(value)) return String(value);
  const pairs = Object.entries(value).map(([key, inner]) => `${keyText(key)} = ${inline(inner)}`);
  return pairs.length === 0 ? '{}' : `{ ${pairs.join(', ')} }`;
}

/** Renders a float. Integers are parsed as bigints, so a whole number needs `.0` to remain a float. */
function floatText(value: number): string {
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf';
  return Number.isInteger(value) && Math.abs(value) < 1e21 ? `${value}.0` : String(value);
}

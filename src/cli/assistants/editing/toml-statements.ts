import { parse, type TomlTable } from 'smol-toml';
import { lineEnd, lineStart } from './document.ts';

/** A TOML statement: a table header, or a key with its value, which can span several lines. */
export interface Statement {
  kind: 'header' | 'pair';
  /** The full path from the root; for a pair it includes the path of its table. */
  path: string[];
  /** Start of the first line, and end of the last line including its line break. */
  from: number;
  to: number;
  /** The range of a pair's value, or of a header with its brackets. */
  valueFrom: number;
  valueTo: number;
}

const TRIVIA = /(?:[ \t\r\n]|#[^\n]*)*/y;
const KEY = /(?:[\w-]+|"(?:\\.|[^"\\])*"|'[^']*')(?:[ \t]*\.[ \t]*(?:[\w-]+|"(?:\\.|[^"\\])*"|'[^']*'))*/y;
const STRING = /"""[\s\S]*?(?<!\\)(?:\\\\)*"""+|'''[\s\S]*?'''+|"(?:\\.|[^"\\])*"|'[^']*'/y;
const BARE = /[^,\]}\s#][^,\]}\n#]*?(?=[ \t\r]*(?:[,\]}\n#]|$))/y;

/** Splits valid TOML into its statements, in order. */
export function parseStatements(text: string): Statement[] {
  const statements: Statement[] = [];
  let table: string[] = [];
  for (let at = skip(TRIVIA, text, 0); at < text.length; ) {
    const brackets = /^\[\[?/.exec(text.slice(at, at + 2))?.[0].length ?? 0;
    const keyFrom = at + brackets + (brackets ? /^[ \t]*/.exec(text.slice(at + brackets))![0].length : 0);
    const keyTo = skip(KEY, text, keyFrom);
    const key = splitKey(text.slice(keyFrom, keyTo));
    if (brackets) table = key;
    const valueFrom = brackets
      ? at
      : text.indexOf('=', keyTo) + 1 + whitespaceLength(text, text.indexOf('=', keyTo) + 1);
    const valueTo = brackets ? text.indexOf(']', keyTo) + brackets : skipValue(text, valueFrom);
    statements.push({
      kind: brackets ? 'header' : 'pair',
      path: brackets ? key : [...table, ...key],
      from: lineStart(text, at),
      to: lineEnd(text, valueTo),
      valueFrom,
      valueTo,
    });
    at = skip(TRIVIA, text, valueTo);
  }
  return statements;
}

function whitespaceLength(text: string, at: number): number {
  return /^[ \t]*/.exec(text.slice(at))![0].length;
}

function skip(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  const found = pattern.exec(text);
  return found ? at + found[0].length : at;
}

function skipValue(text: string, at: number): number {
  const closing = { '[': ']', '{': '}' }[text[at] ?? ''];
  if (closing === undefined) return /["']/.test(text[at] ?? '') ? skip(STRING, text, at) : skip(BARE, text, at);
  let inner = skip(TRIVIA, text, at + 1);
  while (text[inner] !== closing && inner < text.length) {
    const separator = /[,=.]/.test(text[inner]!);
    inner = skip(TRIVIA, text, separator ? inner + 1 : Math.max(skipPart(text, inner), inner + 1));
  }
  return inner + 1;
}

/** Skips a value or, in an inline table, a key. */
function skipPart(text: string, at: number): number {
  const key = skip(KEY, text, at);
  return key > at && /^[ \t]*=/.test(text.slice(key)) ? key : skipValue(text, at);
}

function splitKey(dottedKey: string): string[] {
  const names: string[] = [];
  for (let table: unknown = parse(`${dottedKey} = 0`); typeof table === 'object' && table !== null; ) {
    const [name, inner] = Object.entries(table as TomlTable)[0]!;
    names.push(name);
    table = inner;
  }
  return names;
}

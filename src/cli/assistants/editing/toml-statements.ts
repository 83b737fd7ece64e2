import { parse, type TomlTable } from 'smol-toml';
import { lineEnd, lineStart } from './document.ts';

/** A line of a TOML text that says something: a table's header, or a key with its value (over several lines, maybe). */
export interface Statement {
  kind: 'header' | 'pair';
  /** From the root: a pair's includes the header that it stands under. */
  path: string[];
  /** From the start of its first line to behind the end of its last. */
  from: number;
  to: number;
  /** A pair's value; of a header the brackets. */
  valueFrom: number;
  valueTo: number;
}

const BLANK = /(?:[ \t\r\n]|#[^\n]*)*/y;
const KEY = /(?:[\w-]+|"(?:\\.|[^"\\])*"|'[^']*')(?:[ \t]*\.[ \t]*(?:[\w-]+|"(?:\\.|[^"\\])*"|'[^']*'))*/y;
const STRING = /"""[\s\S]*?(?<!\\)(?:\\\\)*"""+|'''[\s\S]*?'''+|"(?:\\.|[^"\\])*"|'[^']*'/y;
const BARE = /[^,\]}\s#][^,\]}\n#]*?(?=[ \t\r]*(?:[,\]}\n#]|$))/y;

/** The statements of a text that is known to be valid TOML, in their order. */
export function parseStatements(text: string): Statement[] {
  const statements: Statement[] = [];
  let table: string[] = [];
  for (let at = skip(BLANK, text, 0); at < text.length; ) {
    const brackets = /^\[\[?/.exec(text.slice(at, at + 2))?.[0].length ?? 0;
    const keyFrom = at + brackets + (brackets ? /^[ \t]*/.exec(text.slice(at + brackets))![0].length : 0);
    const keyTo = skip(KEY, text, keyFrom);
    const key = splitKey(text.slice(keyFrom, keyTo));
    if (brackets) table = key;
    const valueFrom = brackets ? at : text.indexOf('=', keyTo) + 1 + blanksAt(text, text.indexOf('=', keyTo) + 1);
    const valueTo = brackets ? text.indexOf(']', keyTo) + brackets : skipValue(text, valueFrom);
    statements.push({
      kind: brackets ? 'header' : 'pair',
      path: brackets ? key : [...table, ...key],
      from: lineStart(text, at),
      to: lineEnd(text, valueTo),
      valueFrom,
      valueTo,
    });
    at = skip(BLANK, text, valueTo);
  }
  return statements;
}

function blanksAt(text: string, at: number): number {
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
  let inner = skip(BLANK, text, at + 1);
  while (text[inner] !== closing && inner < text.length) {
    const separator = /[,=.]/.test(text[inner]!);
    inner = skip(BLANK, text, separator ? inner + 1 : Math.max(skipPart(text, inner), inner + 1));
  }
  return inner + 1;
}

/** A value, or (in an inline table) a key. */
function skipPart(text: string, at: number): number {
  const key = skip(KEY, text, at);
  return key > at && /^[ \t]*=/.test(text.slice(key)) ? key : skipValue(text, at);
}

function splitKey(written: string): string[] {
  const names: string[] = [];
  for (let table: unknown = parse(`${written} = 0`); typeof table === 'object' && table !== null; ) {
    const [name, inner] = Object.entries(table as TomlTable)[0]!;
    names.push(name);
    table = inner;
  }
  return names;
}

import { getNodeValue, type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';
import {
  type ConfigFileError,
  describeSegment,
  detectLineBreak,
  errorAt,
  lineStart,
  matchesItem,
  type Segment,
} from './document.ts';

/** The layout of a JSON text: its line break and one level of indentation. */
export interface Layout {
  lineBreak: string;
  unit: string;
}

const COMMENTS_ON_LINE = /(?:[ \t]*(?:\/\/[^\r\n]*|\/\*[\s\S]*?\*\/))*/y;
const TRIVIA = /(?:\s|\/\/[^\r\n]*|\/\*[\s\S]*?\*\/)*/y;

/** Parses a text to a syntax tree, or `undefined` if it contains only whitespace and comments. */
export function parseJsonc(text: string, strict: boolean): Node | undefined {
  const errors: ParseError[] = [];
  const options = { allowTrailingComma: !strict, disallowComments: strict, allowEmptyContent: true };
  const root = parseTree(text, errors, options);
  if (errors[0]) throw toParseError(text, errors[0]);
  return root;
}

function toParseError(text: string, { error, offset }: ParseError): ConfigFileError {
  const reason = printParseErrorCode(error).replace(/([a-z])([A-Z])/g, '$1 $2');
  return errorAt(text, offset, `not valid JSON (${reason.toLowerCase()})`);
}

export function detectLayout(text: string, root: Node): Layout {
  const first = root.children?.[0];
  const inner = first && indentBefore(text, first.offset);
  const outer = lineIndent(text, root.offset);
  return {
    lineBreak: detectLineBreak(text),
    unit: (inner?.startsWith(outer) ? inner.slice(outer.length) : inner) || '  ',
  };
}

/** Returns the whitespace before `offset` on its line, or `undefined` if other text precedes it. */
export function indentBefore(text: string, offset: number): string | undefined {
  const before = text.slice(lineStart(text, offset), offset);
  return /^[ \t]*$/.test(before) ? before : undefined;
}

/** Returns the indentation of the line that contains `offset`. */
export function lineIndent(text: string, offset: number): string {
  return /^[ \t]*/.exec(text.slice(lineStart(text, offset), offset))?.[0] ?? '';
}

export function endOf(node: Node): number {
  return node.offset + node.length;
}

/** Returns the end of the comments that follow `offset` on its line, or `offset` if there are none. */
export function afterComments(text: string, offset: number): number {
  COMMENTS_ON_LINE.lastIndex = offset;
  return offset + (COMMENTS_ON_LINE.exec(text)?.[0].length ?? 0);
}

/** Returns the offset after the next comma, if only whitespace and comments precede it. */
export function afterComma(text: string, offset: number): number | undefined {
  TRIVIA.lastIndex = offset;
  const at = offset + (TRIVIA.exec(text)?.[0].length ?? 0);
  return text[at] === ',' ? at + 1 : undefined;
}

/** Finds the property of an object or the item of a list. Throws if the key is a duplicate. */
export function findMember(text: string, container: Node, segment: Segment): Node | undefined {
  const found = (container.children ?? []).filter((member) =>
    typeof segment === 'string' ? member.children?.[0]?.value === segment : matchesItem(segment, getNodeValue(member)),
  );
  if (found[1] && typeof segment === 'string') {
    throw errorAt(text, found[1].offset, `duplicate key "${describeSegment(segment)}"`);
  }
  return found[0];
}

/** Throws if `node` cannot contain the segment. */
export function expectContainer(text: string, node: Node, segment: Segment): void {
  const expected = typeof segment === 'string' ? 'object' : 'array';
  if (node.type === expected) return;
  throw errorAt(text, node.offset, `expected an ${expected} for ${describeSegment(segment)}, got ${node.type}`);
}

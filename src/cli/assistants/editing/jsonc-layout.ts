import { type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';
import { type ConfigFileError, describeStep, detectLineBreak, errorAt, lineStart, type Step } from './document.ts';

/** How a JSON text is laid out: its line end and one level of its indentation. */
export interface Layout {
  lineBreak: string;
  unit: string;
}

const COMMENTS_ON_LINE = /(?:[ \t]*(?:\/\/[^\r\n]*|\/\*[\s\S]*?\*\/))*/y;
const TRIVIA = /(?:\s|\/\/[^\r\n]*|\/\*[\s\S]*?\*\/)*/y;

/** The tree of a text, `undefined` where it holds nothing but blanks and comments. */
export function parseJsonc(text: string, strict: boolean): Node | undefined {
  const errors: ParseError[] = [];
  const options = { allowTrailingComma: !strict, disallowComments: strict, allowEmptyContent: true };
  const root = parseTree(text, errors, options);
  if (errors[0]) throw toParseError(text, errors[0]);
  return root;
}

function toParseError(text: string, { error, offset }: ParseError): ConfigFileError {
  const words = printParseErrorCode(error).replace(/([a-z])([A-Z])/g, '$1 $2');
  return errorAt(text, offset, `not valid JSON (${words.toLowerCase()})`);
}

export function detectLayout(text: string, root: Node): Layout {
  const first = root.children?.[0];
  const own = first && indentBefore(text, first.offset);
  const outer = lineIndent(text, root.offset);
  return { lineBreak: detectLineBreak(text), unit: (own?.startsWith(outer) ? own.slice(outer.length) : own) || '  ' };
}

/** The blanks before `offset` on its line; `undefined` where something else stands there. */
export function indentBefore(text: string, offset: number): string | undefined {
  const before = text.slice(lineStart(text, offset), offset);
  return /^[ \t]*$/.test(before) ? before : undefined;
}

/** The blanks that the line of `offset` begins with. */
export function lineIndent(text: string, offset: number): string {
  return /^[ \t]*/.exec(text.slice(lineStart(text, offset), offset))?.[0] ?? '';
}

export function endOf(node: Node): number {
  return node.offset + node.length;
}

/** Where the comments end that follow `offset` on its line; `offset` where there are none. */
export function afterComments(text: string, offset: number): number {
  COMMENTS_ON_LINE.lastIndex = offset;
  return offset + (COMMENTS_ON_LINE.exec(text)?.[0].length ?? 0);
}

/** The offset behind the comma that follows `offset`, past blanks and comments. */
export function afterComma(text: string, offset: number): number | undefined {
  TRIVIA.lastIndex = offset;
  const at = offset + (TRIVIA.exec(text)?.[0].length ?? 0);
  return text[at] === ',' ? at + 1 : undefined;
}

/** The member of an object (its property) or of a list that `step` names; refuses a key that stands twice. */
export function findMember(text: string, container: Node, step: Step): Node | undefined {
  const found = (container.children ?? []).filter((member) =>
    typeof step === 'string'
      ? member.children?.[0]?.value === step
      : member.children?.some(({ children: pair }) => pair?.[0]?.value === step.field && pair[1]?.value === step.is),
  );
  if (found[1] && typeof step === 'string') {
    throw errorAt(text, found[1].offset, `"${describeStep(step)}" stands here for the second time`);
  }
  return found[0];
}

/** Refuses to look for `step` in what cannot hold it. */
export function expectContainer(text: string, node: Node, step: Step): void {
  const wanted = typeof step === 'string' ? 'object' : 'array';
  if (node.type === wanted) return;
  throw errorAt(text, node.offset, `an ${wanted} is expected here for ${describeStep(step)}, not ${node.type}`);
}

import { getNodeValue, type Node } from 'jsonc-parser';
import { detectLineBreak, type Editor, type Json, nest, type Path, type Segment, splice } from './document.ts';
import {
  afterComma,
  afterComments,
  detectLayout,
  endOf,
  expectContainer,
  findMember,
  indentBefore,
  type Layout,
  lineIndent,
  parseJsonc,
} from './jsonc-layout.ts';

/**
 * Creates a JSON editor. With `strict`, comments and trailing commas are errors, for assistants that cannot read them.
 * Otherwise both are preserved, and a new member gets a trailing comma if its predecessor has one.
 */
export function jsoncEditor(strict: boolean): Editor {
  const parse = (text: string) => parseJsonc(text, strict);
  return {
    read(text) {
      const root = parse(text);
      return root && getNodeValue(root);
    },
    set: (text, path, value) => setValue(text, parse(text), path, value),
    remove: (text, path) => removeValue(text, parse(text), path),
  };
}

function setValue(text: string, root: Node | undefined, path: Path, value: Json): string {
  if (root === undefined) return writeDocument(text, nest(path, value));
  const layout = detectLayout(text, root);
  let node = root;
  for (const [index, segment] of path.entries()) {
    expectContainer(text, node, segment);
    const member = findMember(text, node, segment);
    if (member === undefined) return insertMember(text, node, segment, nest(path.slice(index + 1), value), layout);
    node = member.type === 'property' ? member.children![1]! : member;
  }
  const inline = value !== null && typeof value === 'object' && !text.slice(node.offset, endOf(node)).includes('\n');
  const replacement =
    inline && node.children?.length ? JSON.stringify(value) : render(value, lineIndent(text, node.offset), layout);
  return splice(text, node.offset, endOf(node), replacement);
}

function writeDocument(text: string, value: Json): string {
  const lineBreak = detectLineBreak(text);
  const before = text.trim() === '' ? '' : text.replace(/(?<!\n)$/, lineBreak);
  return `${before}${render(value, '', { lineBreak, unit: '  ' })}${lineBreak}`;
}

function render(value: Json, indent: string, { lineBreak, unit }: Layout): string {
  return JSON.stringify(value, null, unit).replaceAll('\n', lineBreak + indent);
}

function insertMember(text: string, container: Node, segment: Segment, value: Json, layout: Layout): string {
  const key = typeof segment === 'string' ? `${JSON.stringify(segment)}: ` : '';
  const last = container.children?.at(-1);
  if (last === undefined) return insertFirst(text, container, key, value, layout);
  const comma = afterComma(text, endOf(last));
  const anchor = comma ?? endOf(last);
  const inline = !text.slice(container.offset, last.offset).includes('\n');
  if (inline) {
    const member = key + JSON.stringify(value);
    return splice(text, anchor, anchor, comma === undefined ? `, ${member}` : ` ${member},`);
  }
  const indent = indentBefore(text, last.offset) ?? lineIndent(text, container.offset) + layout.unit;
  const member = layout.lineBreak + indent + key + render(value, indent, layout);
  const at = afterComments(text, anchor);
  if (comma !== undefined) return splice(text, at, at, `${member},`);
  return splice(splice(text, at, at, member), anchor, anchor, ',');
}

function insertFirst(text: string, container: Node, key: string, value: Json, layout: Layout): string {
  const open = container.offset + 1;
  const close = endOf(container) - 1;
  const document = text.trim();
  if (!document.includes('\n') && !/^[{[]\s*[}\]]$/.test(document)) {
    return splice(text, open, open, key + JSON.stringify(value));
  }
  const outer = lineIndent(text, container.offset);
  const indent = outer + layout.unit;
  const at = afterComments(text, open);
  const closing = text.slice(at, close).includes('\n') ? '' : layout.lineBreak + outer;
  return splice(text, at, at, layout.lineBreak + indent + key + render(value, indent, layout) + closing);
}

function removeValue(text: string, root: Node | undefined, path: Path): string {
  let container: Node | undefined;
  let member = root;
  for (const segment of path) {
    container = member?.type === 'property' ? member.children![1] : member;
    if (container === undefined) return text;
    member = findMember(text, container, segment);
    if (member === undefined) return text;
  }
  return container && member ? cutMember(text, container, member) : text;
}

/** Cuts a member with its comma and whitespace. The exact inverse of appending one. */
function cutMember(text: string, container: Node, member: Node): string {
  const members = container.children!;
  const comma = afterComma(text, endOf(member));
  const previous = members[members.indexOf(member) - 1];
  const afterPrevious = previous ? afterComma(text, endOf(previous))! : container.offset + 1;
  const from = whitespaceStart(text, { from: afterPrevious, to: member.offset }, comma ?? endOf(member));
  if (previous === undefined && members.length === 1)
    return cutOnlyMember(text, container, from, comma ?? endOf(member));
  if (comma !== undefined || previous === undefined) return splice(text, from, comma ?? endOf(member));
  const commaBefore = afterComma(text, endOf(previous))!;
  return splice(splice(text, from, endOf(member)), commaBefore - 1, commaBefore);
}

function cutOnlyMember(text: string, container: Node, from: number, to: number): string {
  const [open, close] = [container.offset + 1, endOf(container) - 1];
  const rest = text.slice(open, from) + text.slice(to, close);
  return rest.trim() === '' ? splice(text, open, close) : splice(text, from, to);
}

/** Returns the start of the whitespace before a member, unless it must stay to end a line comment. */
function whitespaceStart(text: string, { from, to }: { from: number; to: number }, end: number): number {
  const trivia = text.slice(from, to);
  const comments = trivia.match(/\/\/[^\n]*|\/\*[\s\S]*?\*\//g);
  const needed = comments?.at(-1)?.startsWith('//') && !/^[ \t]*\r?\n/.test(text.slice(end));
  return needed ? to : from + trivia.trimEnd().length;
}

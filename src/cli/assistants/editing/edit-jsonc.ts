import { getNodeValue, type Node } from 'jsonc-parser';
import { detectLineBreak, type Editor, type Json, nest, type Path, type Step, splice } from './document.ts';
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
 * The editor of JSON. `strict` refuses comments and trailing commas, for assistants that cannot read them either;
 * otherwise both stay as they are, and a trailing comma is written where the neighbours have one.
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
  for (const [index, step] of path.entries()) {
    expectContainer(text, node, step);
    const member = findMember(text, node, step);
    if (member === undefined) return insertMember(text, node, step, nest(path.slice(index + 1), value), layout);
    node = member.type === 'property' ? member.children![1]! : member;
  }
  const inline = value !== null && typeof value === 'object' && !text.slice(node.offset, endOf(node)).includes('\n');
  const put =
    inline && node.children?.length ? JSON.stringify(value) : render(value, lineIndent(text, node.offset), layout);
  return splice(text, node.offset, endOf(node), put);
}

function writeDocument(text: string, value: Json): string {
  const lineBreak = detectLineBreak(text);
  const before = text.trim() === '' ? '' : text.replace(/(?<!\n)$/, lineBreak);
  return `${before}${render(value, '', { lineBreak, unit: '  ' })}${lineBreak}`;
}

function render(value: Json, indent: string, { lineBreak, unit }: Layout): string {
  return JSON.stringify(value, null, unit).replaceAll('\n', lineBreak + indent);
}

function insertMember(text: string, container: Node, step: Step, value: Json, layout: Layout): string {
  const key = typeof step === 'string' ? `${JSON.stringify(step)}: ` : '';
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
  for (const step of path) {
    container = member?.type === 'property' ? member.children![1] : member;
    if (container === undefined) return text;
    member = findMember(text, container, step);
    if (member === undefined) return text;
  }
  return container && member ? cutMember(text, container, member) : text;
}

/** Takes out a member with the comma and the blanks that belong to it: the exact opposite of inserting one last. */
function cutMember(text: string, container: Node, member: Node): string {
  const members = container.children!;
  const comma = afterComma(text, endOf(member));
  const previous = members[members.indexOf(member) - 1];
  const behind = previous ? afterComma(text, endOf(previous))! : container.offset + 1;
  const from = blanksBefore(text, { from: behind, to: member.offset }, comma ?? endOf(member));
  if (previous === undefined && members.length === 1) return cutOnly(text, container, from, comma ?? endOf(member));
  if (comma !== undefined || previous === undefined) return splice(text, from, comma ?? endOf(member));
  const commaBefore = afterComma(text, endOf(previous))!;
  return splice(splice(text, from, endOf(member)), commaBefore - 1, commaBefore);
}

function cutOnly(text: string, container: Node, from: number, to: number): string {
  const [open, close] = [container.offset + 1, endOf(container) - 1];
  const rest = text.slice(open, from) + text.slice(to, close);
  return rest.trim() === '' ? splice(text, open, close) : splice(text, from, to);
}

/** Where the blanks before a member begin, unless they keep a line comment apart from what follows the member. */
function blanksBefore(text: string, { from, to }: { from: number; to: number }, end: number): number {
  const blanks = text.slice(from, to);
  const comments = blanks.match(/\/\/[^\n]*|\/\*[\s\S]*?\*\//g);
  const needed = comments?.at(-1)?.startsWith('//') && !/^[ \t]*\r?\n/.test(text.slice(end));
  return needed ? to : from + blanks.trimEnd().length;
}

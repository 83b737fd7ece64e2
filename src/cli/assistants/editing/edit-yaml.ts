import { isCollection, isMap, isScalar, isSeq, type Node, stringify } from 'yaml';
import {
  detectLineBreak,
  type Editor,
  type Json,
  lineEnd,
  lineStart,
  nest,
  type Path,
  type Segment,
  splice,
} from './document.ts';
import {
  asContainer,
  type Container,
  endOf,
  expectMap,
  findMember,
  indentToColumn,
  isBlank,
  listMembers,
  type Member,
  parseYaml,
  startOf,
} from './yaml-layout.ts';

/** The YAML editor. Inserts and cuts lines in block style, and text between brackets in flow style. */
export const yamlEditor: Editor = {
  read(text) {
    const { data } = parseYaml(text);
    expectMap(data);
    return data ?? undefined;
  },
  set: setValue,
  remove: removeValue,
};

/** One level of indentation in new text. */
const UNIT = '  ';

function setValue(text: string, path: Path, value: Json): string {
  const { root } = parseYaml(text);
  if (root === null) return appendLines(text, block('', nest(path, value)));
  let node = root;
  for (const [index, segment] of path.entries()) {
    const container = asContainer(text, node, segment);
    const member = findMember(text, container, segment);
    const rest = path.slice(index + 1);
    if (member === undefined) return insertMember(text, container, segment, nest(rest, value));
    if (isReplaceable(member.value, rest[0])) return replaceMember(text, container, member, nest(rest, value));
    node = member.value!;
  }
  return text;
}

/** Whether a value is replaced as a whole: the target, or an empty value that is not a container of the wrong kind. */
function isReplaceable(node: Node | null, next: Segment | undefined): boolean {
  if (next === undefined) return true;
  return isEmpty(node) && !(typeof next === 'string' ? isSeq(node) : isMap(node));
}

/** Whether a value is absent, `~`, `{}` or `[]`. */
function isEmpty(node: Node | null): boolean {
  if (node === null || (isScalar(node) && node.value === null)) return true;
  return isCollection(node) && node.items.length === 0;
}

/** Renders `value` as indented block lines, each with a line break. */
function block(indent: string, value: Json): string {
  const lines = stringify(value, { lineWidth: 0, indent: UNIT.length }).replace(/\n$/, '').split('\n');
  return lines.map((line) => `${indent}${line}\n`).join('');
}

/** Inserts whole lines at a line start or at the end of the text, which gets a final line break only if it had one. */
function insertLines(text: string, at: number, lines: string): string {
  const lineBreak = detectLineBreak(text);
  const converted = lines.replaceAll('\n', lineBreak);
  if (at < text.length || text === '' || text.endsWith('\n')) return splice(text, at, at, converted);
  return `${text}${lineBreak}${converted.slice(0, -lineBreak.length)}`;
}

function appendLines(text: string, lines: string): string {
  return text.trim() === '' ? lines : insertLines(text, text.length, lines);
}

function memberValue(segment: Segment, value: Json): Json {
  return typeof segment === 'string' ? { [segment]: value } : [value];
}

function flowText(segment: Segment, value: Json): string {
  return typeof segment === 'string' ? `${JSON.stringify(segment)}: ${JSON.stringify(value)}` : JSON.stringify(value);
}

function insertMember(text: string, container: Container, segment: Segment, value: Json): string {
  const last = listMembers(text, container).at(-1);
  if (container.flow || last === undefined) {
    const at = last ? memberEnd(last) : startOf(container) + 1;
    return splice(text, at, at, (last ? ', ' : '') + flowText(segment, value));
  }
  const lines = block(indentToColumn(text, last.from), memberValue(segment, value));
  return insertLines(text, nextLine(text, memberEnd(last)), lines);
}

function memberEnd({ key, value }: Member): number {
  return endOf((value ?? key)!);
}

/** Returns the start of the next line, or `offset` itself if a block scalar has already ended its line. */
function nextLine(text: string, offset: number): number {
  return text[offset - 1] === '\n' ? offset : lineEnd(text, offset);
}

/** Replaces a key's value: on the same line if both values are scalars, else as lines below the key. */
function replaceMember(text: string, container: Container, { key, value: old }: Member, value: Json): string {
  const scalar = value === null || typeof value !== 'object';
  const inFlow = container.flow || (isCollection(old) && old.flow && old.items.length > 0);
  if (key === undefined || inFlow || (scalar && isScalar(old) && !isBlank(old))) {
    const [from, to] = old ? [startOf(old), endOf(old)] : [endOf(key!) + 1, endOf(key!) + 1];
    return splice(text, from, to, inFlow ? JSON.stringify(value) : stringify(value).trimEnd());
  }
  const afterColon = text.indexOf(':', endOf(key)) + 1;
  const valueEnd = old && !isBlank(old) ? endOf(old) : afterColon;
  const indent = indentToColumn(text, startOf(key));
  if (scalar)
    return splice(
      text,
      afterColon,
      valueEnd,
      ` ${stringify(value).trimEnd()}${text[valueEnd - 1] === '\n' ? '\n' : ''}`,
    );
  const withoutOld = isEmpty(old)
    ? splice(text, afterColon, valueEnd)
    : cutLines(text, nextLine(text, afterColon), nextLine(text, valueEnd));
  return insertLines(withoutOld, nextLine(withoutOld, afterColon), block(indent + UNIT, value));
}

function removeValue(text: string, path: Path): string {
  let { root: node }: { root: Node | null } = parseYaml(text);
  let owner: Member | undefined;
  for (const [index, segment] of path.entries()) {
    if (node === null || isEmpty(node)) return text;
    const container = asContainer(text, node, segment);
    const member = findMember(text, container, segment);
    if (member === undefined) return text;
    if (index === path.length - 1) return cutMember(text, container, member, owner);
    [owner, node] = [member, member.value];
  }
  return text;
}

function cutMember(text: string, container: Container, member: Member, owner: Member | undefined): string {
  const members = listMembers(text, container);
  const index = members.findIndex(({ from }) => from === member.from);
  const [previous, next] = [members[index - 1], members[index + 1]];
  if (container.flow) {
    if (previous) return splice(text, memberEnd(previous), memberEnd(member));
    return splice(text, member.from, next ? next.from : memberEnd(member));
  }
  const start = lineStart(text, member.from);
  if (text.slice(start, member.from).trim() !== '') return splice(text, member.from, next?.from ?? memberEnd(member));
  const rest = cutLines(text, start, nextLine(text, memberEnd(member)));
  if (members.length > 1 || owner?.key === undefined) return rest;
  const afterColon = text.indexOf(':', endOf(owner.key)) + 1;
  return splice(rest, afterColon, afterColon, member.key ? ' {}' : ' []');
}

/** Cuts whole lines. A text without a final line break remains without one. */
function cutLines(text: string, from: number, to: number): string {
  const rest = splice(text, from, to);
  return to === text.length && !text.endsWith('\n') ? rest.replace(/\r?\n$/, '') : rest;
}

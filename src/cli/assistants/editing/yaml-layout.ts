import { isMap, isScalar, isSeq, type Node, type Pair, parseAllDocuments, type YAMLMap, type YAMLSeq } from 'yaml';
import { isObject } from '../../../lib/is-object.ts';
import { ConfigFileError, describeSegment, errorAt, lineStart, matchesItem, type Segment } from './document.ts';

export type Container = YAMLMap<Node, Node | null> | YAMLSeq<Node>;

/** A pair of a map or an item of a list. `from` is the start of its text (for an item, its dash). */
export interface Member {
  from: number;
  key: Node | undefined;
  value: Node | null;
}

/** Parses a single document to its root node (`null` if it is empty) and plain data. */
export function parseYaml(text: string): { root: Node | null; data: unknown } {
  const documents = parseAllDocuments(text, { logLevel: 'silent' });
  if (!Array.isArray(documents)) return { root: null, data: undefined };
  const error = documents.flatMap(({ errors }) => errors)[0];
  if (error) throw errorAt(text, error.pos[0], `not valid YAML (${reasonOf(error.message)})`);
  const [document, second] = documents;
  if (second) throw errorAt(text, second.range[0], 'expected a single document, got another one');
  return { root: document?.contents ?? null, data: document?.toJS() };
}

function reasonOf(message: string): string {
  return message.split(/ at line \d+|\n/)[0]!.toLowerCase();
}

export function startOf(node: Node): number {
  return node.range![0];
}

/** Returns the end of a node's text, without trailing comments. */
export function endOf(node: Node): number {
  if ((isMap(node) || isSeq(node)) && !node.flow) {
    const last = node.items.at(-1);
    if (last) return isMap(node) ? pairEnd(last as Pair<Node, Node | null>) : endOf(last as Node);
  }
  return node.range![1];
}

function pairEnd({ key, value }: Pair<Node, Node | null>): number {
  return value ? endOf(value) : key.range![1];
}

/** Whether a key has no value at all, as in `extensions:`. */
export function isBlank(node: Node | null): boolean {
  return node === null || (isScalar(node) && node.value === null && node.range![0] === node.range![1]);
}

/** Lists the members of a map or list, in order. */
export function listMembers(text: string, container: Container): Member[] {
  if (isMap(container)) {
    return container.items.map(({ key, value }) => ({ from: startOf(key), key, value }));
  }
  return container.items.map((value) => ({ from: dashOf(text, value, container.flow), key: undefined, value }));
}

function dashOf(text: string, item: Node, flow: boolean | undefined): number {
  if (flow) return startOf(item);
  const dash = /-[ \t\r\n]*$/.exec(text.slice(0, startOf(item)));
  if (dash) return dash.index;
  throw errorAt(text, startOf(item), 'svc cannot edit a list item written like this');
}

/** Finds the pair or item that `segment` selects. */
export function findMember(text: string, container: Container, segment: Segment): Member | undefined {
  return listMembers(text, container).find(({ key, value }) => {
    if (typeof segment === 'string') return isScalar(key) && key.value === segment;
    return isMap(value) && matchesItem(segment, value.toJSON());
  });
}

/** Narrows `node` to the map or list that can contain `segment`, or throws. */
export function asContainer(text: string, node: Node, segment: Segment): Container {
  if (typeof segment === 'string' ? isMap(node) : isSeq(node)) return node as Container;
  const expected = typeof segment === 'string' ? 'a map' : 'a list';
  throw errorAt(text, startOf(node), `expected ${expected} for ${describeSegment(segment)}`);
}

/** Returns as many spaces as there are characters before `offset` on its line. */
export function indentToColumn(text: string, offset: number): string {
  return ' '.repeat(offset - lineStart(text, offset));
}

/** Throws if the top level is a list or a scalar. */
export function expectMap(data: unknown): void {
  if (data !== undefined && data !== null && !isObject(data))
    throw new ConfigFileError('expected a map at the top level');
}

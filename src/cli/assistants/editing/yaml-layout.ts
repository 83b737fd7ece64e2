import { isMap, isScalar, isSeq, type Node, type Pair, parseAllDocuments, type YAMLMap, type YAMLSeq } from 'yaml';
import { ConfigFileError, describeStep, errorAt, isObject, lineStart, type Step, valueAt } from './document.ts';

export type Container = YAMLMap<Node, Node | null> | YAMLSeq<Node>;

/** A pair of a map or an item of a list, with the offset at which its text begins (an item's dash). */
export interface Member {
  from: number;
  key: Node | undefined;
  value: Node | null;
}

/** The root node of the one document in `text` (`null` where it is empty) and its plain data. */
export function parseYaml(text: string): { root: Node | null; data: unknown } {
  const documents = parseAllDocuments(text, { logLevel: 'silent' });
  if (!Array.isArray(documents)) return { root: null, data: undefined };
  const error = documents.flatMap(({ errors }) => errors)[0];
  if (error) throw errorAt(text, error.pos[0], `not valid YAML (${reasonOf(error.message)})`);
  const [document, second] = documents;
  if (second) throw errorAt(text, second.range[0], 'a second document begins here');
  return { root: document?.contents ?? null, data: document?.toJS() };
}

function reasonOf(message: string): string {
  return message.split(/ at line \d+|\n/)[0]!.toLowerCase();
}

/** The start of a node's text and the end of what is written of it, trailing comments left out. */
export function startOf(node: Node): number {
  return node.range![0];
}

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

/** True for a key without a value: `extensions:` and nothing behind it. */
export function isBlank(node: Node | null): boolean {
  return node === null || (isScalar(node) && node.value === null && node.range![0] === node.range![1]);
}

/** The members of a map or list in their order. */
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
  throw errorAt(text, startOf(item), 'this list item is written in a way that svc does not change');
}

/** The member that `step` names. */
export function findMember(text: string, container: Container, step: Step): Member | undefined {
  return listMembers(text, container).find(({ key, value }) => {
    if (typeof step === 'string') return isScalar(key) && key.value === step;
    return isMap(value) && valueAt(value.toJSON(), [step.field]) === step.is;
  });
}

/** `node` as the map or list in which `step` can be looked for; refuses everything else. */
export function asContainer(text: string, node: Node, step: Step): Container {
  if (typeof step === 'string' ? isMap(node) : isSeq(node)) return node as Container;
  const wanted = typeof step === 'string' ? 'a map' : 'a list';
  throw errorAt(text, startOf(node), `${wanted} is expected here for ${describeStep(step)}`);
}

/** The column of an offset as the blanks that lead to it. */
export function indentToColumn(text: string, offset: number): string {
  return ' '.repeat(offset - lineStart(text, offset));
}

/** Refuses data that no assistant's configuration is: a list or a scalar at the top. */
export function expectMap(data: unknown): void {
  if (data !== undefined && data !== null && !isObject(data)) throw new ConfigFileError('a map is expected at the top');
}

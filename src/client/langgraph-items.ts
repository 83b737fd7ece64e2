import { InvalidNamespaceError, type Item, type MatchCondition } from '@langchain/langgraph-checkpoint';
import { contentOf, isUnstorable, LONGEST_NAME, MOST_GROUPS, textOf } from '../contract/named-items.ts';
import type { Memory } from './client.ts';

type Value = Item['value'];

const PREFIX = 'langgraph';

/** Throws `InvalidNamespaceError` for labels that LangGraph does not allow. */
export function requireLabels(namespace: string[]): void {
  const wrong = namespace.find((label) => typeof label !== 'string' || label === '' || /[.:\0]/.test(label));
  if (wrong === undefined) return;
  throw new InvalidNamespaceError(
    `Invalid namespace label ${JSON.stringify(wrong)}: a text without "." and ":" is needed`,
  );
}

/** Returns the name of an item. Labels have no colons, so that it is unambiguous. Throws if it cannot be stored. */
export function nameOf({ namespace, key }: { namespace: string[]; key: string }): string {
  if (namespace.length === 0) throw new InvalidNamespaceError('Namespace cannot be empty.');
  requireLabels(namespace);
  const name = `${groupOf(namespace)}:${key}`;
  if (isUnstorable(name))
    throw new Error(`${JSON.stringify(name)} contains a control character or an unpaired surrogate`);
  if (name.length <= LONGEST_NAME && namespace.length < MOST_GROUPS) return name;
  const most = LONGEST_NAME - PREFIX.length - 2;
  throw new Error(`${name} is too long: ${most} characters and ${MOST_GROUPS - 1} labels are allowed`);
}

/** Returns the tag of the items below a namespace. */
export function groupOf(namespace: readonly string[]): string {
  return namespace.length === 0 ? PREFIX : `${PREFIX}:${namespace.join('.')}`;
}

/** Whether a memory stores an item. */
export function isItem({ externalId }: Memory): boolean {
  return externalId?.startsWith(`${PREFIX}:`) === true && externalId.includes(':', PREFIX.length + 1);
}

/** Returns the item that a memory stores. */
export function itemOf({ externalId, content, createdAt, updatedAt }: Memory): Item {
  const name = externalId!;
  const [, labels, key] = /^[^:]*:([^:]*):([\s\S]*)$/.exec(name)!;
  const value = parsed(textOf(titleOf(name), content));
  return {
    namespace: labels!.split('.'),
    key: key!,
    value,
    createdAt: new Date(createdAt),
    updatedAt: new Date(updatedAt),
  };
}

/** Parses a value. A person may have written something else in its place. */
function parsed(text: string): Value {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch {}
  return { text };
}

/** Whether a namespace begins or ends with a path, in which `*` is any label. */
export function fits(namespace: string[], { matchType, path }: MatchCondition): boolean {
  if (path.length > namespace.length) return false;
  const start = matchType === 'prefix' ? 0 : namespace.length - path.length;
  return path.every((label, index) => label === '*' || label === namespace[start + index]);
}

const OPERATORS: Readonly<Record<string, (value: unknown, operand: unknown) => boolean>> = {
  $eq: (value, operand) => value === operand,
  $ne: (value, operand) => value !== operand,
  $gt: (value, operand) => Number(value) > Number(operand),
  $gte: (value, operand) => Number(value) >= Number(operand),
  $lt: (value, operand) => Number(value) < Number(operand),
  $lte: (value, operand) => Number(value) <= Number(operand),
  $in: (value, operand) => Array.isArray(operand) && operand.includes(value),
  $nin: (value, operand) => !Array.isArray(operand) || !operand.includes(value),
};

/** Compares members as LangGraph's own stores do: a condition is a value or an object of operators. */
export function matches(value: Value, filter: Record<string, unknown> = {}): boolean {
  return Object.entries(filter).every(([name, condition]) => {
    const isObject = typeof condition === 'object' && condition !== null;
    if (!isObject || !Object.keys(condition).every((key) => Object.hasOwn(OPERATORS, key)))
      return value[name] === condition;
    return Object.entries(condition).every(([key, operand]) => OPERATORS[key]!(value[name], operand));
  });
}

/** Returns the content of the memory that stores an item. Throws if the value is too large. */
export function memoryContent(name: string, value: Value): string {
  return contentOf(titleOf(name), JSON.stringify(value, null, 2));
}

/** Returns the groups of an item: all items, and those below each part of its namespace. */
export function groupsOf(namespace: readonly string[]): string[] {
  return [PREFIX, ...namespace.map((_, index) => groupOf(namespace.slice(0, index + 1)))];
}

function titleOf(name: string): string {
  return name.slice(PREFIX.length + 1);
}

import { parseAst } from 'vitest/node';
import type { SeededRandom } from '../../test/helpers/seeded-random.ts';
import { folderOf } from '../source-folders.ts';

/** One change of one line: an operator is turned round, a condition negated, a number or truth changed, a call left out. */
export interface Mutant {
  /** From the root of the repository, as `src/lib/clock.ts`. */
  file: string;
  line: number;
  /** Where the source that it changes begins and ends. */
  start: number;
  end: number;
  /** In words. */
  change: string;
  /** What stands there instead; absent for a statement that is left out. */
  changed?: string;
}

interface Node {
  type: string;
  start: number;
  end: number;
  [field: string]: unknown;
}

const OPPOSITES: Record<string, string> = {
  '===': '!==',
  '!==': '===',
  '<': '>=',
  '>': '<=',
  '<=': '>',
  '>=': '<',
  '&&': '||',
  '||': '&&',
  '-': '+',
  '*': '/',
};

/** Fields of a node with types alone, or names that are no expressions. */
const NOT_CODE = new Set([
  'typeAnnotation',
  'typeParameters',
  'typeArguments',
  'returnType',
  'decorators',
  'implements',
]);
/** Nodes of TypeScript around an expression. The others are types. */
const AROUND_CODE = new Set(['TSAsExpression', 'TSNonNullExpression', 'TSSatisfiesExpression']);

/** Returns the mutants of each line of a file that has any. */
export async function mutantsIn(file: string, text: string): Promise<Mutant[][]> {
  const program = (await parseAst(text, { lang: file.endsWith('x') ? 'tsx' : 'ts' })) as unknown as Node;
  const byLine = new Map<number, Mutant[]>();
  const sourceOf = ({ start, end }: Node) => text.slice(start, end);
  const add = ({ start, end }: Node, change: string, changed?: string) => {
    const line = text.slice(0, start).split('\n').length;
    const mutant = { file, line, start, end, change, ...(changed !== undefined && { changed }) };
    byLine.set(line, [...(byLine.get(line) ?? []), mutant]);
  };

  function visit(node: Node): void {
    const { type, operator, left, right, test, argument, expression } = node as Node & Record<string, Node>;
    const { value } = node as { value?: unknown };
    const opposite = OPPOSITES[String(operator)];
    if (type === 'BinaryExpression' || type === 'LogicalExpression') {
      if (opposite) add(node, `${operator} is ${opposite}`, `(${sourceOf(left!)}) ${opposite} (${sourceOf(right!)})`);
      if (String(operator) === '??') add(node, '?? is left out', sourceOf(left!));
    }
    if (type === 'UnaryExpression' && String(operator) === '!') add(node, '! is left out', sourceOf(argument!));
    if (type === 'ConditionalExpression' || type === 'IfStatement') add(test!, 'is negated', `!(${sourceOf(test!)})`);
    if (type === 'Literal' && typeof value === 'number') add(node, 'is one more', `${sourceOf(node)} + 1`);
    if (type === 'Literal' && typeof value === 'boolean') add(node, 'is the opposite', String(!value));
    const isCall = ['CallExpression', 'AwaitExpression'].includes(expression?.type ?? '');
    if (type === 'ExpressionStatement' && isCall && !sourceOf(node).startsWith('super')) add(node, 'is left out');
    for (const child of childrenOf(node)) visit(child);
  }

  visit(program);
  return [...byLine.values()];
}

function childrenOf(node: Node): Node[] {
  if (node.type === 'ImportDeclaration' || (node.type.startsWith('TS') && !AROUND_CODE.has(node.type))) return [];
  return Object.entries(node).flatMap(([field, value]) => {
    if (NOT_CODE.has(field) || (field === 'key' && node.computed !== true)) return [];
    return [value].flat().filter((one): one is Node => typeof (one as Node | null)?.type === 'string');
  });
}

/** Chooses a mutant for each of about `count` lines: of each folder its share, and at least one. */
export function chooseMutants(lines: readonly Mutant[][], count: number, random: SeededRandom): Mutant[] {
  const chosen: Mutant[] = [];
  const overlaps = (one: Mutant) =>
    chosen.some(({ file, start, end }) => file === one.file && start < one.end && one.start < end);
  const folders = new Set(lines.map(([mutant]) => folderOf(mutant!.file)));
  for (const folder of folders) {
    const ofFolder = lines.filter(([mutant]) => folderOf(mutant!.file) === folder);
    const wanted = chosen.length + Math.max(1, Math.round((count * ofFolder.length) / lines.length));
    for (const left = ofFolder.slice(); left.length > 0 && chosen.length < wanted; ) {
      const [line] = left.splice(Math.floor(random.fraction() * left.length), 1);
      const mutant = random.oneOf(line!);
      if (!overlaps(mutant)) chosen.push(mutant);
    }
  }
  return chosen;
}

/** Returns the source with both: the mutants, by their numbers, and what they change. `runtime` has `isAlive`. */
export function withMutants(text: string, mutants: ReadonlyMap<number, Mutant>, runtime: string): string {
  let source = text;
  for (const [id, { start, end, changed }] of [...mutants].sort(([, one], [, other]) => other.start - one.start)) {
    const original = source.slice(start, end);
    const both =
      changed === undefined
        ? // In braces of its own, so that no `else` after it belongs to it.
          `{ if (!isAlive(${id})) { ${original} } }`
        : `(isAlive(${id}) ? (${changed}) : (${original}))`;
    source = source.slice(0, start) + both + source.slice(end);
  }
  return `import { isAlive } from '${runtime}';\n${source}`;
}

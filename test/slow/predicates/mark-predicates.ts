import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Plugin } from 'esbuild';

/** A place in the source where a statement is limited to a tenant. */
export interface Predicate {
  id: number;
  /** Path below `src`, with the line. */
  place: string;
  /** The line of the source. */
  text: string;
  path: string;
  offset: number;
}

/** The files that contain SQL. */
const STORES = /(-store|-sqlite|[/\\]?db[/\\][\w-]+)\.ts$/;

/**
 * `tenantId = …`, `m.tenantId IN (…)`, and `(tenantId, id) IN (…)`. In JavaScript the mark would be a comment without
 * effect, and the predicate would be reported as never executed.
 */
const PREDICATE = /\((?:\w+\.)?tenantId,[^()]*\)\s+IN\b|(?:\b\w+\.)?\btenantId\s*(?:=(?![=>])|IN\b|\$\{)/g;

/** Finds the tenant predicates of all stores below `src`. */
export async function findPredicates(src: string): Promise<Predicate[]> {
  const names = (await readdir(src, { recursive: true })).filter((name) => STORES.test(name)).sort();
  const found: Predicate[] = [];
  for (const name of names) {
    const path = join(src, name);
    const source = await readFile(path, 'utf8');
    for (const { index } of source.matchAll(PREDICATE)) {
      const before = source.slice(0, index).split('\n');
      const text = source.split('\n')[before.length - 1]!.trim();
      found.push({ id: found.length, place: `${name}:${before.length}`, text, path, offset: index });
    }
  }
  return found;
}

/** The mark of a predicate in a statement: a comment, in SQL as in TypeScript. */
export const markOf = (id: number): string => `/*predicate ${id}*/`;

/** Puts its mark before each predicate, in the bundle alone. */
export function markPredicates(predicates: readonly Predicate[]): Plugin {
  return {
    name: 'mark-predicates',
    setup(build) {
      build.onLoad({ filter: STORES }, async ({ path }) => {
        const own = predicates.filter((predicate) => predicate.path === path).toReversed();
        let contents = await readFile(path, 'utf8');
        for (const { id, offset } of own) contents = contents.slice(0, offset) + markOf(id) + contents.slice(offset);
        return { contents, loader: 'ts' };
      });
    },
  };
}

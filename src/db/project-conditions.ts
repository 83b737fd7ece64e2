import type { ProjectFilter } from '../contract/project.ts';

/** Returns the SQL condition on a project column with its bound value; empty without a filter. */
export function projectConditions(filter: ProjectFilter | undefined, column: string): [sql: string, value: string][] {
  if (filter === undefined) return [];
  return [[filter.only ? `${column} = ?` : `(${column} = ? OR ${column} IS NULL)`, filter.name]];
}

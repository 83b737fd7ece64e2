import { MOVED_TABLES, UNMOVED_TABLES } from '../../src/db/moving/moved-tables.ts';

/** The columns that a move knows, as `table.column`. */
export const movedColumns = (): string[] =>
  MOVED_TABLES.flatMap(({ name, columns, derivedColumns }) =>
    [...columns, ...derivedColumns].map((column) => `${name}.${column}`),
  ).sort();

const FULL_TEXT = /^(memory|message|episode)Text/;

/** Those of a schema's columns that a move has to know. */
export const columnsToMove = (found: readonly { table: string; name: string }[]): string[] =>
  found
    .filter(({ table }) => !UNMOVED_TABLES.includes(table) && !FULL_TEXT.test(table))
    .map(({ table, name }) => `${table}.${name}`)
    .sort();

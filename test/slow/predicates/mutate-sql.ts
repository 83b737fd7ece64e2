import { markOf } from './mark-predicates.ts';

/** Lists the predicates in a marked statement that limit it to a tenant. */
export function predicatesIn(sql: string): number[] {
  const marked = sql.matchAll(/\/\*predicate (\d+)\*\/(?!(?:\w+\.)?tenantId\s*>)/g);
  return [...marked].map(([, id]) => Number(id));
}

/** Makes a predicate true for every tenant. Bound values keep their order. */
export function withoutPredicate(sql: string, id: number): string {
  const mark = markOf(id);
  const [head = '', ...tails] = sql.split(mark);
  return head + tails.map(alwaysTrue).join('');
}

/** Replaces the predicate at the start of `sql`. */
function alwaysTrue(sql: string): string {
  const row = /^\((?:\w+\.)?tenantId,([^()]*)\)\s+IN\s*/.exec(sql);
  if (row)
    return otherColumns(
      sql,
      row[0].length,
      row[1]!.split(',').map((column) => column.trim()),
    );
  const [compared] = /^(?:\w+\.)?tenantId\s*(?:=\s*[\w?.]+|IN\s*(?=\())/.exec(sql) ?? [];
  if (compared === undefined) return sql;
  const end = compared.includes('=') ? compared.length : endOfGroup(sql, compared.length);
  return `(${sql.slice(0, end)} OR 1)${sql.slice(end)}`;
}

/** `(tenantId, id) IN (…)` becomes `(id) IN (…)` over the same rows without their first column. */
function otherColumns(sql: string, start: number, columns: readonly string[]): string {
  const end = endOfGroup(sql, start);
  const rows = sql.slice(start + 1, end - 1);
  const isValues = /^\s*VALUES\b/.test(rows);
  const selected = columns.map((column, index) => (isValues ? `column${index + 2}` : column));
  return `(${columns}) IN (SELECT ${selected} FROM (${rows}))${sql.slice(end)}`;
}

/** The end of the group of parentheses that begins at `start`. */
function endOfGroup(sql: string, start: number): number {
  let depth = 0;
  for (let end = start; end < sql.length; end += 1) {
    if (sql[end] === '(') depth += 1;
    if (sql[end] === ')') depth -= 1;
    if (depth === 0) return end + 1;
  }
  throw new Error(`Unbalanced parentheses in ${sql}`);
}

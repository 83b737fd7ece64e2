/** The database engines that svc runs on. */
export type Engine = 'sqlite' | 'postgres';

/**
 * Translates the SQL of the stores, which is written once, into an engine's. In the stores, names are not quoted and
 *
 * - `numbers(?)` and `texts(?)` are tables of `key` (from 0) and `value`, made from a JSON list;
 * - `CROSS JOIN x ON …` keeps SQLite from changing the order of a join;
 * - `(x = y) IS TRUE` keeps SQLite from choosing an index for that condition.
 */
export function translate(sql: string, engine: Engine): string {
  return engine === 'sqlite' ? sql.replaceAll(LISTS, 'json_each(?)') : toPostgres(sql);
}

const LISTS = /\b(?:numbers|texts)\(\?\)/g;

/** PostgreSQL folds names without quotes to lower case and numbers its parameters; it chooses the order of joins. */
function toPostgres(sql: string): string {
  let parameters = 0;
  return sql
    .replaceAll(/\(([^()]+)\) IS TRUE/g, '$1')
    .replaceAll('CROSS JOIN', 'JOIN')
    .replaceAll(TOKENS, (token) => {
      if (token === '?') {
        parameters += 1;
        return `$${parameters}`;
      }
      return CAMEL_CASE.test(token) && !/^['"]/.test(token) ? `"${token}"` : token;
    });
}

/** String literals and quoted names, which are not changed; parameters; words. */
const TOKENS = /'(?:[^']|'')*'|"[^"]*"|\?|\b[A-Za-z_]\w*\b/g;
const CAMEL_CASE = /[a-z][A-Z]/;

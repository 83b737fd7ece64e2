import { expect, test } from 'vitest';
import { translate } from '../../src/db/dialect.ts';

test('PostgreSQL gets quoted names and numbered parameters, and string literals are not changed', () => {
  const sql = `SELECT m.tenantId, 'isIt?' AS told FROM memoryTags m WHERE m.tenantId = ? AND m.tag = ?`;
  expect(translate(sql, 'postgres')).toBe(
    `SELECT m."tenantId", 'isIt?' AS told FROM "memoryTags" m WHERE m."tenantId" = $1 AND m.tag = $2`,
  );
  expect(translate(sql, 'sqlite')).toBe(sql);
});

test('a list of values is a table in both engines', () => {
  const sql = 'SELECT n.value FROM numbers(?) n CROSS JOIN texts(?) t ON t.key = n.key';
  expect(translate(sql, 'sqlite')).toBe(
    'SELECT n.value FROM json_each(?) n CROSS JOIN json_each(?) t ON t.key = n.key',
  );
  expect(translate(sql, 'postgres')).toBe('SELECT n.value FROM numbers($1) n JOIN texts($2) t ON t.key = n.key');
});

test('a condition that must not choose an index is a plain one in PostgreSQL', () => {
  const sql = 'SELECT * FROM messages WHERE number > ? AND (tenantId = ?) IS TRUE';
  expect(translate(sql, 'sqlite')).toBe(sql);
  expect(translate(sql, 'postgres')).toBe('SELECT * FROM messages WHERE number > $1 AND "tenantId" = $2');
});

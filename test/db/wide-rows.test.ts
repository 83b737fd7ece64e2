import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Connection, openPlainConnection } from '../../src/db/connection.ts';
import { createWideRows } from '../../src/db/row-codec.ts';

const wide = createWideRows<Record<'number' | 'a' | 'b' | 'c', string | number | null>>(['number', 'a', 'b', 'c']);

let connection: Connection;
beforeAll(async () => {
  connection = await openPlainConnection(':memory:', { create: true });
  await connection.exec('CREATE TABLE t (number INTEGER PRIMARY KEY, a TEXT, b INTEGER, c TEXT)');
});
afterAll(() => connection.close());

const both = async () => {
  const plain = await connection.all('SELECT number, a, b, c FROM t ORDER BY number');
  const parsed = await wide.all(connection, (columns) => `SELECT ${columns} FROM t m ORDER BY number`, []);
  return { plain, parsed };
};

/** Any code units, so that NUL, control characters and lone surrogates are among them. */
const text = fc.option(fc.string({ unit: fc.nat({ max: 0xffff }).map((code) => String.fromCharCode(code)) }));
const integer = fc.option(fc.maxSafeInteger());

test('reads the same rows as column by column, in the same order', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(text, integer, text), { maxLength: 20 }), async (rows) => {
      await connection.exec('DELETE FROM t');
      for (const row of rows) await connection.run('INSERT INTO t (a, b, c) VALUES (?, ?, ?)', row);
      const { plain, parsed } = await both();
      expect(parsed).toEqual(plain);
      expect(parsed).toHaveLength(rows.length);
    }),
    { numRuns: 200 },
  );
});

test.each([
  ['integers that JavaScript cannot represent', "('a', 9223372036854775807, 'c'), ('a', -9007199254740993, 'c')"],
  ['bytes that are not UTF-8', "(CAST(x'61ff62' AS TEXT), 1, CAST(x'e282' AS TEXT)), (CAST(x'eda080' AS TEXT), 2, '')"],
  ['NUL, quotes and what looks like JSON', `('{"a":1}' || char(0) || 'b', 1, '["\\u0000"]'), ('"', 2, '\\')`],
])('reads %s like the driver', async (_, rows) => {
  await connection.exec(`DELETE FROM t; INSERT INTO t (a, b, c) VALUES ${rows}`);
  const { plain, parsed } = await both();
  expect(parsed).toEqual(plain);
  expect(parsed).toHaveLength(2);
});

import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Connection, openPlainConnection } from '../../../src/db/connection.ts';
import { stemOf } from '../../../src/features/text/porter.ts';

let connection: Connection;

beforeAll(async () => {
  connection = await openPlainConnection(':memory:');
  await connection.exec(
    `CREATE VIRTUAL TABLE words USING fts5(body, content='', contentless_delete=1, tokenize="porter ascii tokenchars '_'");
     CREATE VIRTUAL TABLE stems USING fts5vocab(words, 'instance')`,
  );
});
afterAll(() => connection.close());

/** Stems tokens with FTS5; a stem that is not valid UTF-8 is left out. */
async function stemsByFts5(tokens: readonly string[]): Promise<Map<string, string>> {
  await connection.run('DELETE FROM words');
  await connection.run('INSERT INTO words (rowid, body) SELECT key, value FROM json_each(?)', [JSON.stringify(tokens)]);
  const rows = await connection.all<{ doc: number; bytes: string }>('SELECT doc, HEX(term) AS bytes FROM stems');
  const decode = new TextDecoder('utf-8', { fatal: true });
  return new Map(
    rows.flatMap(({ doc, bytes }) => {
      try {
        return [[tokens[doc]!, decode.decode(Buffer.from(bytes, 'hex'))] as const];
      } catch {
        return [];
      }
    }),
  );
}

async function expectSameStems(tokens: readonly string[]): Promise<void> {
  const expected = await stemsByFts5(tokens);
  expect(Object.fromEntries([...expected.keys()].map((token) => [token, stemOf(token)]))).toEqual(
    Object.fromEntries(expected),
  );
}

const SUFFIXES =
  `ational tional enci anci izer logi bli alli entli eli ousli ization ation ator alism iveness fulness ousness
  aliti iviti biliti ical ness icate iciti ful ative alize al ance ence er ic able ible ant ement ment ent ion sion tion ou
  ism ate iti ous ive ize s es ies sses ss ed eed ing y ying e ee ll at bl iz`.split(/\s+/);
const BEGINNINGS = ['', 'b', 'y', 'tr', 'hop', 'fall', 'fil', 'agre', 'conflat', 'syzyg', 'relat', 'controll', 'wax'];

test('every suffix is removed as FTS5 removes it', async () => {
  const endings = SUFFIXES.flatMap((suffix) => [suffix, ...['s', 'ed', 'ing', 'ly'].map((more) => suffix + more)]);
  await expectSameStems(BEGINNINGS.flatMap((beginning) => endings.map((ending) => `2_${beginning}${ending}`)));
});

test('any token has the stem that FTS5 gives it', async () => {
  const letters = fc.string({ unit: fc.constantFrom(...'aeiouybdlnstwxzgc0øт茶'), minLength: 1, maxLength: 30 });
  const word = fc.tuple(letters, fc.constantFrom('', ...SUFFIXES)).map((parts) => parts.join(''));
  const token = fc.tuple(fc.constantFrom('2_', '1234567_', '3__', ''), word).map((parts) => parts.join(''));
  await fc.assert(fc.asyncProperty(fc.uniqueArray(token, { minLength: 50, maxLength: 50 }), expectSameStems), {
    numRuns: 60,
  });
});

import { afterAll, beforeAll, expect, test } from 'vitest';
import { textTraitsOf } from '../../../src/features/learning/query-bucket.ts';
import { attributeQuestionOf } from '../../../src/features/search/attribute-followers.ts';
import { parseQuery } from '../../../src/features/search/parsed-query.ts';
import { MAX_QUERY_TERMS } from '../../../src/features/text/terms.ts';
import { growthOf, LINEAR, msToDo } from '../../helpers/growth.ts';
import { type MemoryDaemon, startMemoryDaemon } from '../memories/memory-daemon.ts';

/** As long as a query may be: 10,000 different characters, each a word of its own. */
const RARE = Array.from({ length: 10_000 }, (_, at) => String.fromCodePoint(0x20000 + at)).join('');

let daemon: MemoryDaemon;

beforeAll(async () => {
  daemon = await startMemoryDaemon();
});
afterAll(() => daemon.close());

test.each([
  ['of characters that no other text has', RARE],
  ['of prose', '我昨天下午在北京的一家小书店里遇到了一位多年没有见面的老朋友。'.repeat(300)],
  ['in Japanese', '昨日の午後、京都の小さな本屋で何年も会っていなかった友人に会いました。'.repeat(270)],
])('a query without spaces has as few terms as any other: %s', (_, query) => {
  expect(parseQuery(query, 0).terms.length).toBeLessThanOrEqual(MAX_QUERY_TERMS);
});

test('the longest query without spaces is answered, also once words were learned', async () => {
  const caller = await daemon.account();
  const { id } = await caller.add('我住在北京');
  const { searchId } = (await caller.search('我住在哪里')).body;
  const used = await caller.call(`/v1/searches/${searchId}/feedback`, { body: { used: [id] } });
  expect(used.status).toBeLessThan(300);
  expect((await caller.search(RARE)).status).toBe(200);
});

test.each([
  ['Chinese numerals', (count: number) => `住${'九'.repeat(count)}`],
  ['dots', (count: number) => `where${'.'.repeat(count)}x`],
  ['blanks', (count: number) => `where${' '.repeat(count)}x`],
  ['line breaks', (count: number) => `where${'\n'.repeat(count)}x`],
  ['capitals between other letters', (count: number) => `what phone do I have ${'Aé'.repeat(count / 2)}`],
  ['slashes', (count: number) => `where${'/a'.repeat(count / 2)}`],
])('16 times as many %s in a query take about 16 times as long to read', (_, queryOf) => {
  const msToRead = (count: number) => {
    const query = queryOf(count);
    return msToDo(() => {
      const parsed = parseQuery(query, 0);
      attributeQuestionOf(query, parsed);
      textTraitsOf(query);
    });
  };
  msToRead(100);
  expect(growthOf(msToRead, 1000)).toBeLessThan(LINEAR);
});

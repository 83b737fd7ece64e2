import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { onPostgres } from '../../helpers/postgres/folder-databases.ts';
import { type Caller, instant, type MemoryDaemon, startMemoryDaemon } from './memory-daemon.ts';

let daemon: MemoryDaemon;
let caller: Caller;

beforeAll(async () => {
  daemon = await startMemoryDaemon();
  daemon.clock.freeze();
});
afterAll(() => daemon.close());

const now = () => daemon.clock.nowMs();
const DAY_MS = 86_400_000;

describe('expiry', () => {
  test('hides a memory everywhere from the exact instant on', async () => {
    caller = await daemon.account();
    const expiresAt = instant(now() + 1000);
    const { id } = await caller.add('Passing thought', { expiresAt, tags: ['t'] });
    const before = instant(now());
    const sights = async () => ({
      get: (await caller.read(id)).status,
      history: (await caller.history(id)).status,
      list: (await caller.list()).length,
      tagged: (await caller.list('?tag=t&includeSuperseded=true')).length,
      search: (await caller.find('thought')).length,
      filtered: (await caller.find('thought', { filter: { tags: ['t'] } })).length,
      past: (await caller.find('thought', { asOf: before })).length,
      context: ((await caller.call('/v1/context', { body: { query: 'thought' } })).body.citations as []).length,
    });
    daemon.clock.advance(999);
    const seen = { get: 200, history: 200, list: 1, tagged: 1, search: 1, filtered: 1, past: 1, context: 1 };
    expect(await sights()).toEqual(seen);
    daemon.clock.advance(1);
    const gone = { get: 404, history: 404, list: 0, tagged: 0, search: 0, filtered: 0, past: 0, context: 0 };
    expect(await sights()).toEqual(gone);
    for (const refused of [
      await caller.change(id, { expiresAt: null }),
      await caller.erase(id),
      await caller.call('/v1/memories', { body: { content: 'Too late', supersedes: id } }),
      await caller.call('/v1/memories', { body: { content: 'Passing thought', supersedes: id } }),
    ]) {
      expect(refused.status, refused.text).toBe(404);
    }
  });

  test('also hides the versions from before it was set, even in searches of the past', async () => {
    caller = await daemon.account();
    const { id } = await caller.add('Once without an end');
    const before = instant(now());
    daemon.clock.advance(1000);
    await caller.change(id, { content: 'Now with one', expiresAt: instant(now() + 1000) });
    expect(await caller.find('once', { asOf: before })).toEqual(['Once without an end']);
    daemon.clock.advance(1000);
    expect(await caller.find('once', { asOf: before })).toEqual([]);
  });

  test('that is postponed in time leaves earlier versions visible', async () => {
    caller = await daemon.account();
    const { id } = await caller.add('Once with an end', { expiresAt: instant(now() + 1000) });
    const before = instant(now());
    await caller.change(id, { expiresAt: null });
    daemon.clock.advance(5000);
    await daemon.memories.sweep();
    expect((await caller.history(id)).body.data).toHaveLength(2);
    expect(await caller.find('once', { asOf: before })).toHaveLength(1);
  });

  test('is evaluated at the requested time if that is in the future', async () => {
    caller = await daemon.account();
    await caller.add('Valid until the evening', { expiresAt: instant(now() + 1000) });
    expect(await caller.find('evening', { asOf: instant(now() + 999) })).toHaveLength(1);
    expect(await caller.find('evening', { asOf: instant(now() + 1000) })).toEqual([]);
  });

  test('does not shorten pages of other memories', async () => {
    caller = await daemon.account();
    const expiresAt = instant(now() + 1000);
    const items = Array.from({ length: 60 }, (_, index) => ({ content: `short apple ${index}`, expiresAt }));
    await caller.addAll([
      ...items,
      ...Array.from({ length: 60 }, (_, index) => ({ content: `a longer text on the apple number ${index}` })),
    ]);
    daemon.clock.advance(1000);
    expect(await caller.find('apple', { limit: 50 })).toHaveLength(50);
    expect(await caller.list('?limit=60')).toHaveLength(60);
  });

  test('erases any number of rows, index entries and stored answers in the background', async () => {
    caller = await daemon.account();
    const expiresAt = instant(now() + 1000);
    await caller.addAll(Array.from({ length: 450 }, (_, index) => ({ content: `mayfly ${index}`, expiresAt })));
    await caller.add('tortoise');
    daemon.clock.advance(1000);
    await daemon.memories.sweep();
    const [left] = await daemon.db.readers.all('SELECT COUNT(*) AS count FROM memories WHERE tenantId = ?', [
      caller.tenantId,
    ]);
    expect(left).toEqual({ count: 1 });
    expect(await caller.list()).toEqual(['tortoise']);
  });
});

describe('superseding', () => {
  test('closes each memory of a chain, and searches of the past find the one valid then', async () => {
    caller = await daemon.account();
    const times: string[] = [];
    let supersedes: string | undefined;
    for (const city of ['Paris', 'Rome', 'Oslo']) {
      const { id, validFrom } = await caller.add(`Ada lives in ${city}`, supersedes ? { supersedes } : {});
      expect(validFrom).toBe(instant(now()));
      supersedes = id;
      times.push(instant(now()));
      daemon.clock.advance(DAY_MS);
    }
    expect(await caller.find('Ada lives')).toEqual(['Ada lives in Oslo']);
    expect(await caller.find('Ada lives', { asOf: instant(now()) })).toEqual(['Ada lives in Oslo']);
    for (const [index, city] of ['Paris', 'Rome', 'Oslo'].entries()) {
      expect(await caller.find('Ada lives', { asOf: times[index] })).toEqual([`Ada lives in ${city}`]);
    }
    const before = instant(Date.parse(times[1]!) - 1);
    expect(await caller.find('Ada lives', { asOf: before })).toEqual(['Ada lives in Paris']);
    expect(await caller.find('Ada lives', { asOf: '1999-01-01T00:00:00Z' })).toEqual([]);
    expect(await caller.list()).toEqual(['Ada lives in Oslo']);
  });

  test('takes effect when the new fact happened if that was in the past', async () => {
    caller = await daemon.account();
    const old = await caller.add('The office is in Bern', { occurredAt: '2010-01-01T00:00:00Z' });
    const young = await caller.add('The office is in Basel', {
      occurredAt: '2020-01-01T00:00:00Z',
      supersedes: old.id,
    });
    expect(old.validFrom).toBe('2010-01-01T00:00:00.000Z');
    expect((await caller.read(old.id)).body).toMatchObject({
      validTo: '2020-01-01T00:00:00.000Z',
      supersededBy: young.id,
    });
    for (const [asOf, contents] of [
      ['2009-12-31T23:59:59.999Z', []],
      ['2010-01-01T00:00:00Z', ['The office is in Bern']],
      ['2019-12-31T23:59:59.999Z', ['The office is in Bern']],
      ['2020-01-01T00:00:00Z', ['The office is in Basel']],
    ] as const) {
      expect(await caller.find('office', { asOf }), asOf).toEqual(contents);
    }
  });

  test('by a fact older than the superseded one never leaves both valid at once', async () => {
    caller = await daemon.account();
    const old = await caller.add('Tea is served', { occurredAt: '2020-01-01T00:00:00Z' });
    await caller.add('Coffee is served', { occurredAt: '2015-01-01T00:00:00Z', supersedes: old.id });
    expect(await caller.find('served', { asOf: '2021-01-01T00:00:00Z' })).toEqual(['Coffee is served']);
  });

  test('by content that another memory already has closes the old one now, not when that memory began', async () => {
    caller = await daemon.account();
    const kept = await caller.add('Blue it is');
    daemon.clock.advance(DAY_MS);
    const old = await caller.add('Green it is');
    const between = instant(now());
    daemon.clock.advance(DAY_MS);
    const again = await caller.call('/v1/memories', { body: { content: 'blue it is', supersedes: old.id } });
    expect(again).toMatchObject({ status: 200, body: { id: kept.id, duplicate: true } });
    expect((await caller.read(old.id)).body).toMatchObject({ validTo: instant(now()), supersededBy: kept.id });
    expect((await caller.find('it', { asOf: between })).sort()).toEqual(['Blue it is', 'Green it is']);
    expect(await caller.find('it')).toEqual(['Blue it is']);
  });

  test('a memory by its own content changes nothing', async () => {
    caller = await daemon.account();
    const { id } = await caller.add('Same as ever');
    const again = await caller.add('same as ever', { supersedes: id });
    expect(again).toMatchObject({ id, duplicate: true, validTo: null });
  });

  test.each([
    ['a memory that never was', async () => 'mem_0', 404],
    ['one that is already superseded', async () => (await chain()).old, 409],
    ['one of another user', async () => (await caller.add('Of ann', { user: 'ann' })).id, 404],
    ['the end of a chain', async () => (await chain()).young, 201],
  ])('%s is answered as it should be', async (_, supersedes, status) => {
    caller = await daemon.account();
    const id = await supersedes();
    const answer = await caller.call('/v1/memories', { body: { content: 'Next in line', supersedes: id } });
    expect(answer.status).toBe(status);
    expect(await caller.find('line')).toHaveLength(status === 201 ? 1 : 0);
  });

  test('the same memory ten times concurrently succeeds once', async () => {
    caller = await daemon.account();
    const { id } = await caller.add('To be replaced');
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        caller.call('/v1/memories', { body: { content: `Replacement ${index}`, supersedes: id } }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(9).fill(409)]);
    expect(await caller.find('replacement')).toHaveLength(1);
  });

  async function chain(): Promise<{ old: string; young: string }> {
    const { id: old } = await caller.add('First of two');
    const { id: young } = await caller.add('Second of two', { supersedes: old });
    return { old, young };
  }
});

describe('a search of the past', () => {
  test('finds the version of that time, whatever was changed later', async () => {
    caller = await daemon.account();
    const { id } = await caller.add('Meeting on Monday', { tags: ['old'] });
    const monday = instant(now());
    daemon.clock.advance(DAY_MS);
    await caller.change(id, { content: 'Meeting on Tuesday', tags: ['new'] });
    const tuesday = instant(now());
    daemon.clock.advance(DAY_MS);
    await caller.erase((await caller.add('Something else')).id);
    expect(await caller.find('meeting', { asOf: monday })).toEqual(['Meeting on Monday']);
    expect(await caller.find('meeting', { asOf: tuesday })).toEqual(['Meeting on Tuesday']);
    expect(await caller.find('meeting', { asOf: monday, filter: { tags: ['old'] } })).toHaveLength(1);
    expect(await caller.find('meeting', { asOf: monday, filter: { tags: ['new'] } })).toEqual([]);
    expect(await caller.find('monday', { strategy: 'lexical' })).toEqual([]);
  });

  test('stays correct when the clock is set back', async () => {
    caller = await daemon.account();
    const { id } = await caller.add('Written first');
    daemon.clock.setWall(now() - DAY_MS);
    const changed = await caller.change(id, { content: 'Written second' });
    expect(Date.parse(changed.body.updatedAt)).toBeGreaterThanOrEqual(Date.parse(changed.body.createdAt));
    await caller.add('Written third', { supersedes: id });
    expect(await caller.list()).toEqual(['Written third']);
    expect(await caller.find('written')).toEqual(['Written third']);
    daemon.clock.setWall(now() + DAY_MS);
  });
});

// PostgreSQL's index holds no erased word in the first place.
test.skipIf(onPostgres)('erased words are removed from the disk by the next purge', async () => {
  caller = await daemon.account();
  const { id } = await caller.add('The zanzibarcanary sings');
  await caller.add('Stays');
  await caller.erase(id);
  daemon.clock.advance(600_000);
  await daemon.memories.sweep();
  expect(await wordsOnDisk('zanzibar')).toBe(0);
  const second = await caller.add('The zanzibarcanary sings again');
  await caller.erase(second.id);
  expect(await wordsOnDisk('zanzibar')).toBeGreaterThan(0);
  daemon.clock.advance(600_000);
  await daemon.memories.sweep();
  expect(await wordsOnDisk('zanzibar')).toBe(0);
  expect(await caller.find('stays')).toEqual(['Stays']);
});

async function wordsOnDisk(word: string): Promise<number> {
  const [row] = await daemon.db.readers.all<{ count: number }>(
    'SELECT COUNT(*) AS count FROM memoryText_data WHERE INSTR(block, CAST(? AS BLOB)) > 0',
    [word],
  );
  return row!.count;
}

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { conversing } from '../conversations/conversation-caller.ts';
import { type Caller, instant, type MemoryDaemon, startMemoryDaemon } from '../memories/memory-daemon.ts';
import { newAccount } from '../portability/portable-account.ts';

/** Finds items by more than their own words, through the whole daemon. The clock stands on a Wednesday in May. */

let daemon: MemoryDaemon;
let caller: Caller;
let talk: ReturnType<typeof conversing>;

beforeAll(async () => {
  daemon = await startMemoryDaemon();
  daemon.clock.setWall(Date.parse('2026-05-20T12:00:00Z'));
});
beforeEach(async () => {
  caller = await newAccount(daemon);
  talk = conversing(caller);
});
afterAll(() => daemon.close());

const LAKE = 'We drove to the lake';
const IDLE = ['Nothing much happened', 'Then it rained', 'Breakfast was good', 'Somebody sneezed'];

/** Messages of one day, with speakers. */
async function say(day: string, messages: [name: string, content: string][], more: object = {}): Promise<string> {
  const { id } = await talk.begin(more);
  const createdAt = `${day}T10:00:00.000Z`;
  await talk.append(
    id,
    messages.map(([name, content]) => ({ role: 'user', name, content, createdAt })),
  );
  return id;
}

describe('neighbors', () => {
  test('lead to a message without query words up to two positions away', async () => {
    const { id } = await talk.begin();
    await talk.say(id, ...IDLE.slice(0, 2), LAKE, ...IDLE.slice(2), 'Nobody came');
    const found = await caller.find('lake');
    expect(found[0]).toBe(LAKE);
    expect(found.slice(1).sort()).toEqual([...IDLE].sort());
  });

  test('in another conversation do not count', async () => {
    await talk.say((await talk.begin()).id, LAKE);
    await talk.say((await talk.begin()).id, ...IDLE);
    expect(await caller.find('lake')).toEqual([LAKE]);
  });

  test('that are erased do not count', async () => {
    const { id } = await talk.begin();
    const [lake] = await talk.say(id, LAKE, ...IDLE);
    expect(await caller.find('lake')).toHaveLength(3);
    await talk.erase(`conversations/${id}/messages/${lake!.id}`);
    expect(await caller.find('lake')).toEqual([]);
    expect(await caller.find('sneezed')).toHaveLength(3);
  });

  test('hidden by a filter or asOf do not count', async () => {
    const { id } = await talk.begin();
    const at = (day: number) => ({ createdAt: `2026-05-0${day}T00:00:00.000Z`, role: 'user' });
    await talk.append(id, [
      { ...at(1), content: 'It was cold', metadata: { kept: true } },
      { ...at(2), content: LAKE, metadata: { kept: false } },
    ]);
    expect(await caller.find('lake')).toHaveLength(2);
    expect(await caller.find('lake', { filter: { metadata: { kept: true } } })).toEqual([]);
    expect(await caller.find('lake', { filter: { metadata: { kept: false } } })).toEqual([LAKE]);
    expect(await caller.find('lake', { asOf: '2026-05-01T12:00:00Z' })).toEqual([]);
    expect(await caller.find('cold', { asOf: '2026-05-01T12:00:00Z' })).toEqual(['It was cold']);
  });
});

describe('a named speaker', () => {
  test('ranks first among messages with equal words, whichever speaker is named', async () => {
    await say('2026-05-01', [
      ['Ann', 'I painted the kayak in the garden'],
      ['Bob', 'I painted the kayak in the garage'],
    ]);
    expect((await caller.find('Where did Ann paint the kayak?'))[0]).toContain('garden');
    expect((await caller.find('Where did Bob paint the kayak?'))[0]).toContain('garage');
  });

  test('is not searched for as a word unless it is the whole query', async () => {
    await say('2026-05-01', [
      ['Ann', 'The kayak is painted'],
      ['Bob', 'Ask Ann about it'],
    ]);
    expect((await caller.find('What about the kayak, Ann?'))[0]).toBe('The kayak is painted');
    expect(await caller.find('Ann')).toContain('Ask Ann about it');
  });

  test('is unknown to other users and tenants', async () => {
    await say('2026-05-01', [['Ann', 'The kayak is painted']], { user: 'one' });
    await say('2026-05-01', [['Bob', 'The kayak is repaired, says Ann']], { user: 'two' });
    const speaker = async (who: Caller, user: string) => {
      const { results } = (await who.search('Ann kayak', { user, explain: true })).body;
      return results.map(({ why }) => why!.signals.speaker!.value);
    };
    expect(await speaker(caller, 'one')).toEqual([1]);
    expect(await speaker(caller, 'two')).toEqual([0]);
    expect(await speaker(await newAccount(daemon), 'one')).toEqual([]);
  });
});

describe('memories that no longer hold', () => {
  test('are found among the others where the request includes them, in their latest version only', async () => {
    const old = await caller.add('Ada commutes by tram', { occurredAt: '2026-04-10T00:00:00Z' });
    await caller.add('Ada commutes by bicycle', { supersedes: old.id });
    const ferry = await caller.add('Ada commutes by ferri');
    await caller.change(ferry.id, { content: 'Ada commutes by ferry' });
    await caller.change(ferry.id, { validTo: '2026-05-20T12:00:00Z' });
    const query = 'how does Ada commute';
    expect(await caller.find(query)).toEqual(['Ada commutes by bicycle']);
    const { results } = (await caller.search(query, { includeSuperseded: true })).body;
    const found = results.map((result) => result.type === 'memory' && [result.content, result.validTo !== null]);
    expect(found.sort()).toEqual([
      ['Ada commutes by bicycle', false],
      ['Ada commutes by ferry', true],
      ['Ada commutes by tram', true],
    ]);
    expect(await caller.find('What happened in April?', { includeSuperseded: true })).toEqual(['Ada commutes by tram']);
  });

  test('stay hidden from other users and once they are forgotten', async () => {
    const old = await caller.add('Ada commutes by tram');
    await caller.add('Ada commutes by bicycle', { supersedes: old.id });
    expect(await caller.find('tram', { includeSuperseded: true, user: 'grace' })).toEqual([]);
    expect(await caller.find('tram', { includeSuperseded: true })).toHaveLength(1);
    await caller.erase(old.id);
    expect(await caller.find('tram', { includeSuperseded: true })).toEqual([]);
  });
});

describe('a date asked for', () => {
  test('finds items of that date whatever their words', async () => {
    await say('2026-02-10', [['Ann', 'Skates are expensive']]);
    await say('2026-04-10', [['Ann', 'Skis are expensive']]);
    await say('2026-05-13', [['Ann', 'Sandals are expensive']]);
    expect(await caller.find('What happened in April?')).toEqual(['Skis are expensive']);
    expect(await caller.find('What happened last week?')).toEqual(['Sandals are expensive']);
    expect(await caller.find('What happened in February 2026?')).toEqual(['Skates are expensive']);
    expect(await caller.find('What happened in February 2025?')).toEqual([]);
    expect((await caller.find('What was expensive in April?'))[0]).toBe('Skis are expensive');
  });

  test('finds items that mention it, relative to the day they were written', async () => {
    await say('2026-05-03', [['Ann', 'We went skating last month']]);
    await caller.add('The skates were bought', { occurredAt: '2026-03-05T00:00:00Z' });
    expect(await caller.find('What did we do in April?')).toEqual(['We went skating last month']);
    expect(await caller.find('What was it in March?')).toEqual(['The skates were bought']);
  });

  test('finds what was valid then, under asOf', async () => {
    const old = await caller.add('The skis are red', { occurredAt: '2026-04-10T00:00:00Z' });
    await caller.add('The boards are blue', { supersedes: old.id, occurredAt: '2026-04-11T00:00:00Z' });
    const query = 'What happened in April?';
    expect(await caller.find(query)).toEqual(['The boards are blue']);
    expect(await caller.find(query, { asOf: '2026-04-10T12:00:00Z' })).toEqual(['The skis are red']);
  });

  test('finds nothing of other users', async () => {
    await say('2026-04-10', [['Ann', 'Skis are expensive']], { user: 'one' });
    expect(await caller.find('What happened in April?', { user: 'one' })).toHaveLength(1);
    expect(await caller.find('What happened in April?', { user: 'two' })).toEqual([]);
    expect(await (await newAccount(daemon)).find('What happened in April?', { user: 'one' })).toEqual([]);
  });

  test('finds the few items that pass a filter among many that do not', async () => {
    const april = { occurredAt: '2026-04-10T00:00:00Z' };
    await caller.add('The one that is meant', { ...april, tags: ['meant'] });
    for (let batch = 0; batch < 2; batch += 1) {
      await caller.addAll(Array.from({ length: 90 }, (_, index) => ({ content: `Other ${batch} ${index}`, ...april })));
    }
    const query = 'What happened in April?';
    expect(await caller.find(query, { filter: { tags: ['meant'] } })).toEqual(['The one that is meant']);
    expect(await caller.find(query, { limit: 100 })).not.toContain('The one that is meant');
  });
});

describe('an unknown word', () => {
  test.each([
    ['kayk', 'The kayak is red'],
    ['hosue', 'The house is red'],
    ['cofee', 'The coffee is black'],
    ['convesation', 'A long conversation'],
    ['familly', 'All of the family'],
    ['Amelei', 'Amélie is here'],
  ])('"%s" finds "%s"', async (query, content) => {
    await caller.addAll([{ content }, { content: 'Something else entirely' }]);
    expect(await caller.find(query)).toEqual([content]);
    expect(await caller.find(query, { strategy: 'lexical' })).toEqual([]);
  });

  test('is not corrected where it occurs, is too short, or the correction belongs to another user or tenant', async () => {
    await caller.addAll([{ content: 'A kayak' }, { content: 'A kayal' }, { content: 'A cat', user: 'other' }]);
    expect(await caller.find('kayal')).toEqual(['A kayal']);
    expect(await caller.find('cst', { user: 'other' })).toEqual([]);
    expect(await caller.find('kayakk', { user: 'other' })).toEqual([]);
    expect(await (await newAccount(daemon)).find('kayakk')).toEqual([]);
    expect(await caller.find('kayakk')).toHaveLength(2);
  });
});

describe('a strategy', () => {
  test('decides what counts as a match, and auto is the default until something is learned', async () => {
    const { id } = await talk.begin();
    await talk.say(id, LAKE, ...IDLE);
    const byDefault = await caller.find('lake', { strategy: 'default' });
    expect(byDefault).toHaveLength(3);
    expect(await caller.find('lake', { strategy: 'auto' })).toEqual(byDefault);
    expect(await caller.find('lake')).toEqual(byDefault);
    expect(await caller.find('lake', { strategy: 'lexical' })).toEqual([LAKE]);
    const [old, recent] = ['Harbour and harbour', 'By that old harbour somebody is fishing'];
    await caller.addAll([{ content: old, occurredAt: '2001-01-01T00:00:00Z' }, { content: recent }]);
    expect(await caller.find('harbour', { strategy: 'default' })).toEqual([old, recent]);
    expect(await caller.find('harbour', { strategy: 'lexical' })).toEqual([old, recent]);
    expect(await caller.find('harbour', { strategy: 'recent' })).toEqual([recent, old]);
    for (const strategy of ['default', 'lexical', 'recent'] as const) {
      expect((await caller.search('lake', { strategy })).body.strategy.name).toBe(strategy);
    }
  });
});

describe('a hidden item', () => {
  const soon = () => instant(daemon.clock.nowMs() + 60_000);

  test.each([
    ['by a word', 'zeppelin'],
    ['by a misspelt word', 'zepelin'],
    ['by a date', 'What happened in March?'],
  ])('does not displace visible results %s', async (_, query) => {
    const march = { occurredAt: '2026-03-10T00:00:00Z' };
    const content = 'Of all the many things that fly or swim there was one zeppelin in the end';
    await caller.add(content, march);
    for (let batch = 0; batch < 2; batch += 1) {
      const expiring = Array.from({ length: 90 }, (_, index) => ({ content: `zeppelin ${batch} ${index}` }));
      await caller.addAll(expiring.map((one) => ({ ...one, ...march, expiresAt: soon() })));
    }
    expect(await caller.find(query, { limit: 1 })).not.toEqual([content]);
    daemon.clock.advance(61_000);
    expect(await caller.find(query)).toEqual([content]);
  });

  test('in a conversation being erased displaces no result, and does not lead to its neighbors', async () => {
    const gone = await talk.begin();
    await talk.say(gone.id, ...Array.from({ length: 120 }, (_, index) => `walrus ${index}`));
    const { id } = await talk.begin();
    await talk.say(id, 'Among many animals of the north there is one that is called a walrus');
    await daemon.db.writes.write('daemon', (connection) =>
      connection.run('UPDATE conversations SET erasedAt = 1 WHERE tenantId = ? AND id = ?', [caller.tenantId, gone.id]),
    );
    for (const query of ['walrus', 'walruss', 'wlarus']) expect(await caller.find(query), query).toHaveLength(1);
  });
});

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Retrieval } from '../../../src/contract/learning.ts';
import type { PortableLearned } from '../../../src/contract/portability.ts';
import { EXPERTS } from '../../../src/features/learning/experts.ts';
import { type Caller, instant, type MemoryDaemon, startMemoryDaemon } from '../memories/memory-daemon.ts';
import { NONE, newAccount, portable } from './portable-account.ts';

/** Export and import of the ranking learned from each user. */

const DAY_MS = 86_400_000;
let daemon: MemoryDaemon;
/** An account whose user `ada` prefers old memories, and her learned state in its export. */
let source: Caller;
let learned: PortableLearned;

beforeAll(async () => {
  daemon = await startMemoryDaemon();
  source = await newAccount(daemon);
  const nowMs = daemon.clock.nowMs();
  const memories = Array.from({ length: 12 }, (_, index) => ({
    content: `plum of day ${index + 10}`,
    user: 'ada',
    occurredAt: instant(nowMs - (11 - index) * 30 * DAY_MS),
  }));
  const [oldest] = await source.addAll(memories);
  await teach(source, 'ada', oldest!.id, 12);
  [learned] = (await learnedIn(source)) as [PortableLearned];
});
afterAll(() => daemon.close());

/** Searches and reports one of the results as used, `times` times. */
async function teach(caller: Caller, user: string, usedId: string, times: number): Promise<void> {
  for (let round = 0; round < times; round += 1) {
    const { searchId } = (await caller.search('plum', { user, limit: 12 })).body;
    const answer = await caller.call(`/v1/searches/${searchId}/feedback`, { body: { used: [usedId] } });
    expect(answer.status, answer.text).toBe(202);
  }
}

async function learnedIn(caller: Caller, query = ''): Promise<PortableLearned[]> {
  const lines = (await portable(caller).lines(query)).map((line) => JSON.parse(line));
  expect(lines.at(-1)).toMatchObject({ type: 'end', learned: lines.filter(({ type }) => type === 'learned').length });
  return lines.filter(({ type }) => type === 'learned');
}

const retrievalOf = async (caller: Caller, user: string) =>
  (await caller.call<Retrieval>(`/v1/retrieval?user=${user}`)).body;
const answerOf = async (caller: Caller, strategy = 'auto') => {
  const { results, strategy: used } = (await caller.search('plum', { user: 'ada', limit: 12, strategy })).body;
  return { order: results.map(({ id }) => id), weights: used.weights, learnedFrom: used.learnedFrom };
};
const eventsOf = async (caller: Caller, user: string) => (await retrievalOf(caller, user)).events;
/** The learned state as that of another user, without words: they lead to memories of the first account. */
const named = (user: string, more: object = {}) => {
  const { words: _words, ...state } = learned;
  return { ...state, user, ...more };
};

describe('learned state', () => {
  test('gives the same ranking immediately after an import, and learning continues', async () => {
    const to = await newAccount(daemon);
    expect(await answerOf(to)).toMatchObject({ order: [], learnedFrom: 0 });
    expect(await portable(to).importFile(await portable(source).text())).toEqual({
      added: { ...NONE, memories: 12, learned: 1 },
      ...{ known: NONE, skipped: 0, reasons: [], complete: true },
    });
    const expected = await answerOf(source);
    expect(expected.learnedFrom).toBe(12);
    expect(expected.order).not.toEqual((await answerOf(source, 'default')).order);
    expect(await answerOf(to)).toEqual(expected);
    expect(await retrievalOf(to, 'ada')).toEqual(await retrievalOf(source, 'ada'));
    await teach(to, 'ada', expected.order[0]!, 1);
    expect([await eventsOf(to, 'ada'), await eventsOf(source, 'ada')]).toEqual([13, 12]);
  });

  test('is imported from an older export with short signal names', async () => {
    const whole = ['lexical', 'trigram', 'window', 'session', 'context', 'speaker', 'recency', 'answerCue', 'vector'];
    const short = ['lex', 'tri', 'win', 'sess', 'ctx', 'spk', 'rec', 'cue', 'vec'];
    const bytes = Buffer.from(learned.state, 'base64url');
    const headEnd = 2 + bytes.readUInt16LE();
    const head = Buffer.from(
      whole.reduce((text, name, at) => text.replace(`"${name}"`, `"${short[at]}"`), bytes.toString('utf8', 2, headEnd)),
    );
    const length = Buffer.alloc(2);
    length.writeUInt16LE(head.length);
    const state = Buffer.concat([length, head, bytes.subarray(headEnd)]).toString('base64url');
    expect(state).not.toBe(learned.state);
    const to = await newAccount(daemon);
    const lines = (await portable(source).text()).replace(learned.state, state);
    expect(lines).toContain(state);
    expect(await portable(to).importFile(lines)).toMatchObject({ added: { ...NONE, memories: 12, learned: 1 } });
    expect(await answerOf(to)).toEqual(await answerOf(source));
    expect(await learnedIn(to)).toEqual([learned]);
  });

  test('is exported in pages, for all users in order or for one', async () => {
    const caller = await newAccount(daemon);
    const users = Array.from({ length: 450 }, (_, index) => `user ${String(index).padStart(3, '0')}`);
    const report = await portable(caller).importFile(users.toReversed().map((user) => named(user)));
    expect(report).toMatchObject({ added: { ...NONE, learned: 450 }, skipped: 0 });
    expect(await learnedIn(caller)).toEqual(users.map((user) => named(user)));
    expect(await learnedIn(caller, '?user=user%20007')).toEqual([named('user 007')]);
    expect(await learnedIn(caller, '?user=nobody')).toEqual([]);
  });

  test('is not imported for a user who already has some', async () => {
    const caller = await newAccount(daemon);
    const { id } = await caller.add('plum jam', { user: 'ada' });
    await teach(caller, 'ada', id, 1);
    const before = await retrievalOf(caller, 'ada');
    const report = await portable(caller).importFile([learned, named('ben'), named('ben')]);
    expect(report).toMatchObject({ added: { learned: 1 }, known: { learned: 2 }, skipped: 0 });
    expect(await retrievalOf(caller, 'ada')).toEqual(before);
    expect(await eventsOf(caller, 'ben')).toBe(12);
  });

  test('can be imported again after a reset', async () => {
    const caller = await newAccount(daemon);
    await portable(caller).importFile([learned]);
    expect((await caller.call('/v1/retrieval?user=ada', { method: 'DELETE' })).status).toBe(204);
    expect(await eventsOf(caller, 'ada')).toBe(0);
    expect(await portable(caller).importFile([learned])).toMatchObject({ added: { learned: 1 } });
    expect((await answerOf(caller)).learnedFrom).toBe(12);
  });
});

describe('learned state is left out with a reason if', () => {
  /** Replaces a number of the state: first the probability of each expert, then shifts and precisions of the first one. */
  const withNumber = (at: (signals: number) => number, value: number) => {
    const bytes = Buffer.from(learned.state, 'base64url');
    const start = 2 + bytes.readUInt16LE();
    const { signals } = JSON.parse(bytes.toString('utf8', 2, start));
    bytes.writeFloatLE(value, start + 4 * at(signals.length));
    return bytes.toString('base64url');
  };
  const BELIEF = () => 0;
  const PRECISION = (signals: number) => EXPERTS.length + signals;
  /** Replaces the last number, which couples two signals. */
  const withLast = (value: number) => {
    const bytes = Buffer.from(learned.state, 'base64url');
    bytes.writeFloatLE(value, bytes.length - 4);
    return bytes.toString('base64url');
  };
  const unread = /^state cannot be read/;
  test.each<[string, () => object, RegExp]>([
    ['its state has another format', () => ({ state: Buffer.from('something else').toString('base64url') }), unread],
    ['its state is truncated', () => ({ state: learned.state.slice(0, -8) }), unread],
    ['its state contains NaN', () => ({ state: withNumber(BELIEF, Number.NaN) }), unread],
    ['its state contains a weight out of range', () => ({ state: withNumber(BELIEF, 1e30) }), unread],
    ['its state contains a negative precision', () => ({ state: withNumber(PRECISION, -1) }), unread],
    ['its precisions contradict each other', () => ({ state: withLast(1e6) }), unread],
    ['its event count differs from that of its state', () => ({ events: 13 }), unread],
    ['its event count is negative', () => ({ events: -1 }), /^events must be/],
    ['its state is not base64url', () => ({ state: '+/==' }), /^state must match/],
    ['its state is too long', () => ({ state: 'A'.repeat(32_769) }), /^state must have at most/],
    ['its time is impossible', () => ({ updatedAt: '2026-02-30T00:00:00Z' }), /^updatedAt/],
    ['it has an unknown field', () => ({ weights: {} }), /unknown field: weights/],
  ])('%s', async (_, more, reason) => {
    const caller = await newAccount(daemon);
    const report = await portable(caller).importFile([named('ada', more()), named('ben')]);
    expect(report).toMatchObject({ added: { ...NONE, learned: 1 }, skipped: 1 });
    expect(report.reasons).toEqual([{ place: 'line 1', reason: expect.stringMatching(reason), fault: true }]);
    expect([await eventsOf(caller, 'ada'), await eventsOf(caller, 'ben')]).toEqual([0, 12]);
  });
});

import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { SuggestionSettings } from '../../../src/contract/suggestion-settings.ts';
import type { Suggestion } from '../../../src/contract/suggestions.ts';
import { type MemoryDaemon, startMemoryDaemon } from '../memories/memory-daemon.ts';
import { newSuggesting, type Suggesting } from './suggestion-daemon.ts';

let daemon: MemoryDaemon;
let caller: Suggesting;

beforeAll(async () => {
  daemon = await startMemoryDaemon();
});
afterAll(() => daemon.close());
beforeEach(async () => {
  caller = await newSuggesting(daemon);
});

const THINGS = ['desk', 'phone', 'laptop', 'printer', 'bicycle', 'car', 'stove', 'camera', 'kettle', 'drill', 'piano'];
const day = (number: number) => new Date(Date.UTC(2026, 0, number)).toISOString();

/** Stores pairs that say the same, and so many others that `pairs` of them may be merged in a day: questions, which are not compared. */
async function fill(pairs: number, others: number, more = {}): Promise<void> {
  const same = THINGS.slice(0, pairs).flatMap((thing) => [
    { content: `My ${thing} is number 28`, occurredAt: day(1), ...more },
    { content: `My ${thing} is number twenty-eight`, occurredAt: day(5), ...more },
  ]);
  const rest = Array.from({ length: others }, (_, index) => ({
    content: `What is in crate ${index}?`,
    ...more,
  }));
  await caller.addAll([...same, ...rest]);
}

const settings = async (change?: object) => {
  const options = change === undefined ? {} : { method: 'PATCH', body: change };
  const answer = await caller.call<SuggestionSettings>('/v1/suggestion-settings', options);
  expect(answer.status, answer.text).toBe(200);
  return answer.body;
};
const merged = () => caller.suggestions('?state=accepted&kind=merge');
const automatic = { merge: { mode: 'automatic', minConfidence: 0.6 } };

/** Holds all writes, makes these in their order and then decides, which reads what was before them. */
async function decideBehind(...writes: (() => Promise<unknown>)[]): Promise<Suggestion[]> {
  await caller.compared();
  let release = () => {};
  const held = daemon.db.writes.between(() => new Promise<void>((resolve) => (release = resolve)));
  const waiting = (count: number) =>
    vi.waitFor(() => expect(daemon.db.writes.waiting()).toBeGreaterThanOrEqual(count), {
      interval: 5,
      timeout: 15_000,
    });
  const made: Promise<unknown>[] = [];
  try {
    for (const write of [...writes, daemon.automaticDecisions.decideDue]) {
      const before = daemon.db.writes.waiting();
      made.push(write());
      await waiting(before + 1);
    }
  } finally {
    // Held writes would fail the tests that follow.
    release();
  }
  await Promise.all([held, ...made]);
  return merged();
}

async function decideDue(): Promise<Suggestion[]> {
  await caller.compared();
  await daemon.automaticDecisions.decideDue();
  return merged();
}

describe('suggestions of a kind', () => {
  test('wait for a person at first', async () => {
    await fill(1, 100);
    expect(await decideDue()).toEqual([]);
    expect(await settings()).toEqual({
      add: { mode: 'review', minConfidence: 0.95, pausedUntil: null },
      merge: { mode: 'review', minConfidence: 0.95, pausedUntil: null },
      supersede: { mode: 'review', minConfidence: 0.95, pausedUntil: null },
      contradiction: { mode: 'review' },
      expire: { mode: 'review' },
      split: { mode: 'review' },
    });
    expect(await caller.suggestions('?state=open')).toHaveLength(1);
  });

  test('are accepted from a confidence on, listed with who did it, and undone like any other', async () => {
    await fill(1, 100);
    await settings({ merge: { mode: 'automatic', minConfidence: 1 } });
    expect(await decideDue()).toEqual([]);
    expect((await settings(automatic)).merge).toEqual({ mode: 'automatic', minConfidence: 0.6, pausedUntil: null });
    const [decided, ...others] = await decideDue();
    expect(others).toEqual([]);
    expect(decided).toMatchObject({ state: 'accepted', decidedBy: 'svc', by: 'rules' });
    const newer = async () => (await caller.read(decided!.memoryIds[1]!)).body;
    expect(await newer()).toMatchObject({ supersededBy: decided!.memoryIds[0] });
    await caller.decide(decided!.id, 'undo');
    expect(await newer()).toMatchObject({ validTo: null, supersededBy: null });
    // A person said no: svc does not try again.
    expect(await decideDue()).toEqual([]);
  });

  test('are not made while switched off, by nobody', async () => {
    await settings({ merge: { mode: 'off' }, expire: { mode: 'off' } });
    await fill(1, 0);
    expect(await caller.compared()).toEqual([]);
    const { id } = await caller.add('The fair is on Friday');
    const suggestions = [{ kind: 'expire', memoryIds: [id], reason: 'Over' }];
    const refused = await caller.call('/v1/suggestions', { body: { suggestions } });
    expect([refused.status, refused.body.code]).toEqual([422, 'unprocessable']);
    expect(refused.body.detail).toContain('expire');
    await settings({ expire: { mode: 'review' } });
    expect((await caller.call('/v1/suggestions', { body: { suggestions } })).status).toBe(201);
  });

  test.each([
    [{}],
    [{ merge: {} }],
    [{ contradiction: { mode: 'automatic' } }],
    [{ split: { mode: 'review', minConfidence: 0.9 } }],
    [{ merge: { minConfidence: 0.4 } }],
    [{ other: { mode: 'off' } }],
  ])('cannot be set to %j', async (change) => {
    const refused = await caller.call('/v1/suggestion-settings', { method: 'PATCH', body: change });
    expect([refused.status, refused.body.code]).toEqual([400, 'invalid_request']);
  });
});

describe('what runs automatically', () => {
  test('touches at most 2 % of a user’s memories in a day', async () => {
    await fill(4, 192);
    await settings(automatic);
    // Of 200 memories four, and each merge touches two.
    expect(await decideDue()).toHaveLength(2);
    expect(await decideDue()).toHaveLength(2);
    daemon.clock.advance(24 * 3_600_000 + 1000);
    expect(await decideDue()).toHaveLength(4);
  });

  test('never accepts what an assistant suggests, however sure it says it is', async () => {
    await fill(0, 100);
    const [one, other] = await caller.addAll([{ content: 'The gate is red' }, { content: 'The barn is red' }]);
    await settings({ merge: { mode: 'automatic', minConfidence: 0.5 } });
    await caller.suggest({ kind: 'merge', memoryIds: [one!.id, other!.id], confidence: 1 });
    expect(await decideDue()).toEqual([]);
  });

  test('never accepts what an assistant put in the place of an outdated suggestion meanwhile', async () => {
    await fill(1, 100);
    await settings(automatic);
    const [found] = await caller.compared();
    const { memoryIds, content } = found!;
    const { content: before } = (await caller.read(memoryIds[0]!)).body;
    const own = { memoryIds, content: 'My desk is at the office', confidence: 1 };
    const accepted = await decideBehind(
      () => caller.change(memoryIds[0]!, { content: 'My desk is of oak' }),
      () => caller.change(memoryIds[0]!, { content: before }),
      () => caller.suggest(own),
    );
    expect(content).not.toBe(own.content);
    expect(accepted).toEqual([]);
    expect(await caller.suggestions()).toMatchObject([{ id: found!.id, by: 'assistant', content: own.content }]);
  });

  test('ends as soon as the account wants to review', async () => {
    await fill(1, 100);
    await settings(automatic);
    expect(await decideBehind(() => settings({ merge: { mode: 'review' } }))).toEqual([]);
  });

  test('goes on behind suggestions of users of whom nothing more may be touched', async () => {
    await fill(11, 0, { user: 'ben' });
    await fill(11, 0, { user: 'cleo' });
    await caller.compared();
    await fill(1, 100);
    await settings(automatic);
    expect((await decideDue()).map(({ user }) => user)).toEqual(['default']);
  });

  test('stops for a week after two decisions were undone', async () => {
    await fill(5, 192);
    await settings(automatic);
    const decided = await decideDue();
    expect(decided).toHaveLength(2);
    for (const { id } of decided) await caller.decide(id, 'undo');
    daemon.clock.advance(25 * 3_600_000);
    expect(await decideDue()).toEqual([]);
    const leftMs = Date.parse((await settings()).merge.pausedUntil!) - daemon.clock.nowMs();
    expect(Math.ceil(leftMs / 3_600_000)).toBe(6 * 24 - 1);
    daemon.clock.advance(6 * 86_400_000);
    expect((await settings()).merge.pausedUntil).toBeNull();
    expect(await decideDue()).toHaveLength(2);
  });

  test('stays stopped when an assistant suggests again what was undone', async () => {
    await fill(5, 192);
    await settings(automatic);
    for (const { id, memoryIds } of await decideDue()) {
      await caller.decide(id, 'undo');
      const { content } = (await caller.read(memoryIds[0]!)).body;
      for (const text of ['It is of oak', content]) await caller.change(memoryIds[0]!, { content: text });
      expect((await caller.suggest({ memoryIds, content })).id).toBe(id);
    }
    expect((await settings()).merge.pausedUntil).not.toBeNull();
    daemon.clock.advance(25 * 3_600_000);
    expect(await decideDue()).toEqual([]);
  });

  test('touches at most 20 memories in a day, of each user separately', async () => {
    await fill(11, 0, { user: 'ben' });
    await fill(1, 20);
    await caller.compared();
    await settings(automatic);
    for (let portion = 0; portion < 3; portion += 1) {
      const contents = Array.from({ length: 370 }, (_, index) => ({
        content: `What is in box ${portion} of ${index}?`,
        user: 'ben',
      }));
      await caller.addAll(contents);
    }
    await daemon.automaticDecisions.decideDue();
    expect((await merged()).map(({ user }) => user)).toEqual(Array(10).fill('ben'));
  });
});

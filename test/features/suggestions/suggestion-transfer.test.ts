import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { PortableSuggestion } from '../../../src/contract/portability.ts';
import type { Suggestion } from '../../../src/contract/suggestions.ts';
import { connectDevice } from '../connections/device.ts';
import { createCaller, type MemoryDaemon, startMemoryDaemon } from '../memories/memory-daemon.ts';
import { newSuggesting, type Suggesting } from './suggestion-daemon.ts';

let daemon: MemoryDaemon;
let caller: Suggesting;
let other: Suggesting;

beforeAll(async () => {
  daemon = await startMemoryDaemon();
});
afterAll(() => daemon.close());
beforeEach(async () => {
  caller = await newSuggesting(daemon);
  other = await newSuggesting(daemon);
});

const day = (number: number) => new Date(Date.UTC(2026, 0, number)).toISOString();

/** An account with an open, an accepted and a rejected suggestion. */
async function decided(): Promise<{ open: Suggestion; accepted: Suggestion; rejected: Suggestion }> {
  await caller.addAll([
    { content: 'I live in Linz, near the river', occurredAt: day(1) },
    { content: 'I moved to Graz', occurredAt: day(9) },
    { content: 'There are 28 beds on our ward', occurredAt: day(1) },
    { content: 'The ward has twenty-eight beds in total', occurredAt: day(5) },
    { content: 'The standup is at 9:30', occurredAt: day(1) },
    { content: 'The standup is at 10 from now on', occurredAt: day(5) },
  ]);
  const found = await caller.compared();
  const about = (text: string) => found.find(({ evidence }) => evidence.some((one) => one.text.includes(text)))!;
  const [open, accepted, rejected] = [about('Linz'), about('beds'), about('standup')];
  await caller.decide(accepted.id, 'accept');
  await caller.decide(rejected.id, 'reject');
  return { open, accepted, rejected };
}

const exported = async (from: Suggesting) => (await from.call('/v1/export')).text;

interface Report {
  added: { suggestions: number };
  known: { suggestions: number };
  skipped: number;
  reasons: { reason: string }[];
}

async function imported(into: Suggesting, body: string): Promise<Report> {
  const answer = await into.call<Report>('/v1/import', {
    ...{ method: 'POST', body, headers: { 'content-type': 'application/x-ndjson' } },
  });
  expect(answer.status, answer.text).toBe(200);
  return answer.body;
}

/** The lines of an export with its suggestions changed. */
function withSuggestions(text: string, change: (suggestion: PortableSuggestion) => object): string {
  return text
    .split('\n')
    .map((line) => (line.includes('"type":"suggestion"') ? JSON.stringify(change(JSON.parse(line))) : line))
    .join('\n');
}

describe('an export and its import', () => {
  test('carry suggestions as they stand: open, accepted and rejected', async () => {
    const all = await decided();
    const text = await exported(caller);
    expect(JSON.parse(text.trim().split('\n').at(-1)!)).toMatchObject({ suggestions: 3 });
    expect(await imported(other, text)).toMatchObject({ added: { suggestions: 3 }, skipped: 0 });
    const states = new Map((await other.suggestions('')).map(({ id, state }) => [id, state]));
    expect(states).toEqual(
      new Map([
        [all.open.id, 'open'],
        [all.accepted.id, 'accepted'],
        [all.rejected.id, 'rejected'],
      ]),
    );
    expect((await other.suggestions('')).toSorted(byId)).toEqual((await caller.suggestions('')).toSorted(byId));
  });

  test('let a decision be undone, and keep what was rejected from being suggested again', async () => {
    const { accepted, rejected, open } = await decided();
    const before = (await caller.list()).toSorted();
    await imported(other, await exported(caller));
    expect((await other.list()).toSorted()).toEqual(before);
    expect((await other.compared()).map(({ id }) => id)).toEqual([open.id]);
    expect((await other.call(`/v1/suggestions/${rejected.id}`)).body.state).toBe('rejected');
    await other.decide(accepted.id, 'undo');
    expect(await other.list()).toContain('There are 28 beds on our ward');
    await other.decide(open.id, 'accept');
    expect(await other.find('where do I live')).toEqual([open.content]);
  });

  test('add nothing twice', async () => {
    await decided();
    const text = await exported(caller);
    await imported(other, text);
    const again = await imported(other, text);
    expect(again).toMatchObject({ added: { suggestions: 0 }, known: { suggestions: 3 }, skipped: 0 });
    expect(await imported(caller, text)).toMatchObject({ added: { suggestions: 0 }, known: { suggestions: 3 } });
  });

  test('read a file from before suggestions were part of it', async () => {
    await decided();
    const lines = (await exported(caller)).trim().split('\n');
    const { suggestions: _, ...end } = JSON.parse(lines.at(-1)!);
    const old = [...lines.filter((line) => !/"type":"(?:suggestion|end)"/.test(line)), JSON.stringify(end)].join('\n');
    expect(await imported(other, old)).toMatchObject({ complete: true, skipped: 0, added: { suggestions: 0 } });
  });
});

describe('an import leaves out', () => {
  /** An export with an open, an accepted and a rejected suggestion. */
  let text: string;

  beforeAll(async () => {
    caller = await newSuggesting(daemon);
    await decided();
    text = await exported(caller);
  });

  test('suggestions from a device, which may not decide', async () => {
    const token = await connectDevice(daemon, other.apiKey);
    const device = createCaller(daemon.call, token, other.tenantId);
    const answer = await device.call<Report>('/v1/import', {
      ...{ method: 'POST', body: text, headers: { 'content-type': 'application/x-ndjson' } },
    });
    expect(answer.body).toMatchObject({ added: { suggestions: 0 }, skipped: 3 });
    expect(answer.body.reasons[0]!.reason).toBe('importing suggestions needs the API key or the web app');
    expect(await other.suggestions('')).toEqual([]);
  });

  test('a suggestion about a memory that is not there, or is another user’s or account’s', async () => {
    await decided();
    const [foreign] = await caller.addAll([{ content: 'The safe is behind the painting', user: 'grace' }]);
    const stranger = await newSuggesting(daemon);
    const strange = await stranger.add('The key is under the mat');
    const own = await exported(caller);
    for (const id of [foreign!.id, strange.id, `mem_${'0'.repeat(32)}`]) {
      const into = await newSuggesting(daemon);
      const report = await imported(
        into,
        withSuggestions(own, (one) => ({ ...one, memoryIds: [...one.memoryIds.slice(1), id] })),
      );
      expect(report.added.suggestions).toBe(0);
      expect(report.skipped).toBe(3);
      expect(await into.suggestions('')).toEqual([]);
    }
    const undoing = withSuggestions(own, (one) => ({
      ...one,
      applied: one.applied && { ...one.applied, added: [{ id: foreign!.id, after: 'x' }] },
    }));
    const into = await newSuggesting(daemon);
    const report = await imported(into, undoing);
    expect(report).toMatchObject({ added: { suggestions: 2 }, skipped: 1 });
    expect(report.reasons[0]!.reason).toContain('does not add');
  });

  test.each<[string, (one: PortableSuggestion) => object]>([
    ['an unknown kind', (one) => ({ ...one, kind: 'erase' })],
    ['an unknown state', (one) => ({ ...one, state: 'outdated' })],
    ['a foreign identity of texts', (one) => ({ ...one, textsHash: 'x' })],
    ['a time that is none', (one) => ({ ...one, createdAt: 'yesterday' })],
    ['huge evidence', (one) => ({ ...one, evidence: Array.from({ length: 999 }, () => one.evidence[0]) })],
    ['changes of an open one', (one) => ({ ...one, state: 'open', applied: { changed: [], closed: [], added: [] } })],
    ['no changes of an accepted one', (one) => ({ ...one, state: 'accepted', applied: null })],
    [
      'changes of a memory that it is not about',
      (one) => ({
        ...one,
        state: 'accepted',
        applied: { changed: [], closed: [{ id: `mem_${'1'.repeat(32)}`, after: 'x' }], added: [] },
      }),
    ],
    ['a broken record of changes', (one) => ({ ...one, state: 'accepted', applied: 'everything' })],
  ])('a suggestion with %s, and says so', async (_what, change) => {
    const report = await imported(other, withSuggestions(text, change));
    expect(report).toMatchObject({ added: { suggestions: 0 }, skipped: 3 });
    expect(report.reasons.map(({ reason }) => reason)).toHaveLength(3);
    expect(await other.suggestions('')).toEqual([]);
  });
});

function byId(one: Suggestion, two: Suggestion): number {
  return one.id < two.id ? -1 : 1;
}

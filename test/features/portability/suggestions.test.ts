import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { PortableSuggestion } from '../../../src/contract/portability.ts';
import type { Suggestion } from '../../../src/contract/suggestions.ts';
import { connectDevice } from '../connections/device.ts';
import { createCaller, type MemoryDaemon, startMemoryDaemon } from '../memories/memory-daemon.ts';
import { newSuggesting, type Suggesting } from '../suggestions/suggestion-daemon.ts';
import { NONE, portable } from './portable-account.ts';

/** Export and import of suggestions. */

let daemon: MemoryDaemon;
/** An account with a suggestion in each state, and the lines of its export. */
let source: Suggesting;
let lines: Record<string, unknown>[];
const made = {} as Record<'open' | 'accepted' | 'split' | 'rejected' | 'outdated', Suggestion>;

beforeAll(async () => {
  daemon = await startMemoryDaemon();
  source = await newSuggesting(daemon);
  const pair = async (name: string) => {
    const one = await source.add(`The ${name} has 28 seats`, { tags: ['first'] });
    const other = await source.add(`There are 28 chairs in the ${name}`, { tags: ['second'] });
    return { memoryIds: [one.id, other.id], evidence: [{ id: one.id, text: '28 seats' }] };
  };
  made.open = await source.suggest(await pair('library'));
  made.accepted = await source.suggest(await pair('theater'));
  made.rejected = await source.suggest(await pair('cinema'));
  made.outdated = await source.suggest(await pair('bar'));
  const both = await source.add('Ada works at Bosch; our office is in Graz');
  const content = 'Ada works at Bosch\nOur office is in Graz';
  made.split = await source.suggest({ kind: 'split', memoryIds: [both.id], content });
  await source.decide(made.accepted.id, 'accept');
  await source.decide(made.split.id, 'accept');
  await source.decide(made.rejected.id, 'reject');
  await source.change(made.outdated.memoryIds[0]!, { content: 'The bar is closed' });
  lines = await linesOf(source);
});
afterAll(() => daemon.close());

async function linesOf(caller: Suggesting): Promise<Record<string, unknown>[]> {
  return (await portable(caller).text())
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}

function lineOf(name: keyof typeof made): PortableSuggestion {
  return lines.find(({ id }) => id === made[name].id) as PortableSuggestion;
}

/** Returns the lines with suggestions replaced. */
const withSuggestions = (...suggestions: object[]) => [
  ...lines.filter(({ type }) => type !== 'suggestion' && type !== 'end'),
  ...suggestions,
  lines.at(-1)!,
];

async function imported(...suggestions: object[]) {
  const to = await newSuggesting(daemon);
  const report = await portable(to).importFile(withSuggestions(...suggestions));
  return { to, report, stored: await to.suggestions('') };
}

const valid = async (caller: Suggesting) => (await caller.list('?limit=200')).sort();

describe('an export', () => {
  test('has open and decided suggestions after all that they are about, and counts them', () => {
    const types = lines.map(({ type }) => type);
    expect(types.slice(types.indexOf('suggestion'))).toEqual([...Array(4).fill('suggestion'), 'end']);
    expect(lines.at(-1)).toMatchObject({ suggestions: 4 });
    expect(lineOf('outdated')).toBeUndefined();
    expect(lineOf('open')).toMatchObject({ ...made.open, applied: null });
  });

  test('of one user has no suggestions of another', async () => {
    const text = await portable(source).text('?user=ada');
    expect(text).not.toContain('"type":"suggestion"');
  });
});

describe('an import', () => {
  test('restores suggestions as they were, and adds nothing when it is repeated', async () => {
    const to = await newSuggesting(daemon);
    const report = await portable(to).importFile(lines);
    expect(report).toMatchObject({ added: { suggestions: 4 }, skipped: 0, reasons: [] });
    const states = (all: Suggestion[]) => all.filter(({ state }) => state !== 'outdated');
    expect(await to.suggestions('')).toEqual(states(await source.suggestions('')));
    const again = await portable(to).importFile(lines);
    expect(again).toMatchObject({ added: NONE, known: { suggestions: 4 }, skipped: 0 });
    expect((await linesOf(to)).slice(1)).toEqual(lines.slice(1));
  });

  test('lets open suggestions be accepted, and accepted ones be undone', async () => {
    const { to } = await imported(lineOf('open'), lineOf('accepted'), lineOf('split'));
    const before = await valid(to);
    await to.decide(made.open.id, 'accept');
    expect(await valid(to)).toHaveLength(before.length - 1);
    await to.decide(made.accepted.id, 'undo');
    await to.decide(made.split.id, 'undo');
    const now = await valid(to);
    expect(now).toContain('There are 28 chairs in the theater');
    expect(now).toContain('Ada works at Bosch; our office is in Graz');
    expect(now).not.toContain('Our office is in Graz');
  });

  test('refuses to undo what was accepted once a memory changed', async () => {
    const { to } = await imported(lineOf('accepted'));
    await to.change(made.accepted.memoryIds[0]!, { content: 'The theater burned down' });
    const answer = await to.call(`/v1/suggestions/${made.accepted.id}/undo`, { method: 'POST' });
    expect(answer.status).toBe(409);
    expect(await valid(to)).toContain('The theater burned down');
  });

  test('keeps what was rejected from being suggested again', async () => {
    const { to } = await imported(lineOf('rejected'));
    const { memoryIds } = made.rejected;
    expect(await to.suggest({ memoryIds })).toMatchObject({ id: made.rejected.id, state: 'rejected', duplicate: true });
  });

  test('links suggestions to what they are about: a change outdates them, an erasure erases them', async () => {
    const { to } = await imported(lineOf('open'), lineOf('rejected'));
    await to.change(made.open.memoryIds[1]!, { content: 'The library is closed' });
    await to.erase(made.rejected.memoryIds[0]!);
    expect(await to.suggestions('')).toMatchObject([{ id: made.open.id, state: 'outdated' }]);
  });

  test('leaves the suggestion that an account has for the same texts unchanged', async () => {
    const { to } = await imported(lineOf('rejected'));
    const other = { ...lineOf('open'), id: `sug_${'1'.repeat(32)}`, textsHash: lineOf('rejected').textsHash };
    const report = await portable(to).importFile(withSuggestions(other));
    expect(report).toMatchObject({ added: { suggestions: 0 }, known: { suggestions: 1 } });
    expect(await to.suggestions('')).toMatchObject([{ id: made.rejected.id, state: 'rejected' }]);
  });

  test('leaves out open suggestions about memories that have changed in the account', async () => {
    const { to } = await imported();
    await to.change(made.open.memoryIds[0]!, { content: 'The library has 30 seats' });
    const report = await portable(to).importFile(withSuggestions(lineOf('open')));
    expect(report).toMatchObject({ added: { suggestions: 0 }, skipped: 1, reasons: [{ fault: false }] });
    expect(await to.suggestions('')).toEqual([]);
  });

  test('leaves out what is about memories of another user or account, or not there', async () => {
    const stranger = await newSuggesting(daemon);
    const foreign = await stranger.add('A memory of a stranger');
    const missing = `mem_${'0'.repeat(31)}7`;
    const applied = lineOf('split').applied!;
    const replaced = (id: string) => ({ ...applied, added: [{ id, after: 'x' }] });
    const { report, stored, to } = await imported(
      { ...lineOf('open'), user: 'ada' },
      { ...lineOf('rejected'), memoryIds: [lineOf('rejected').memoryIds[1], foreign.id], evidence: [] },
      { ...lineOf('rejected'), evidence: [{ id: `msg_${'0'.repeat(32)}`, text: 'seats' }] },
      { ...lineOf('split'), applied: replaced(foreign.id) },
      { ...lineOf('split'), applied: replaced(missing) },
    );
    expect(report).toMatchObject({ added: { suggestions: 0 }, skipped: 5 });
    const first = lines.length - 4;
    expect(report.reasons.map(({ place }) => place)).toEqual(
      Array.from({ length: 5 }, (_, index) => `line ${first + index}`),
    );
    for (const { reason, fault } of report.reasons) {
      expect({ reason, fault }).toEqual({
        reason: 'is about a memory or message that is not there, or of another user',
        fault: true,
      });
    }
    expect(stored).toEqual([]);
    expect(await to.suggestions('')).toEqual([]);
    expect((await stranger.read(foreign.id)).status).toBe(200);
  });

  test.each<[string, 'open' | 'accepted' | 'split' | 'rejected', object]>([
    ['an unknown kind', 'open', { kind: 'erase' }],
    ['an unknown state', 'open', { state: 'outdated' }],
    ['an unknown suggester', 'open', { by: 'svc' }],
    ['no texts hash', 'open', { textsHash: '' }],
    ['a foreign id', 'open', { id: '../x' }],
    ['too few memories for its kind', 'open', { memoryIds: [] }],
    ['no content for its kind', 'split', { content: null }],
    ['evidence of a memory that it is not about', 'open', { evidence: [{ id: `mem_${'0'.repeat(32)}`, text: 'x' }] }],
    ['huge evidence', 'open', { evidence: [{ id: `mem_${'0'.repeat(32)}`, text: 'x'.repeat(2001) }] }],
    ['too much evidence', 'open', { evidence: Array(21).fill({ id: `mem_${'0'.repeat(32)}`, text: 'x' }) }],
    ['a decision although it is open', 'open', { decidedAt: '2026-01-01T00:00:00.000Z' }],
    ['no time of its decision', 'rejected', { decidedAt: null }],
    ['nothing applied although it is accepted', 'accepted', { applied: null }],
    ['applied changes although it is rejected', 'rejected', { applied: { changed: [], closed: [], added: [] } }],
    ['applied changes as text', 'accepted', { applied: '{"changed":[]}' }],
    ['malformed applied changes', 'accepted', { applied: { changed: [{}], closed: [], added: [] } }],
  ])('refuses a suggestion with %s, and names its line', async (_what, name, fields) => {
    const { report, stored } = await imported({ ...lineOf(name), ...fields });
    expect(report).toMatchObject({ added: { suggestions: 0 }, skipped: 1, reasons: [{ fault: true }] });
    expect(report.reasons[0]!.place).toBe(`line ${lines.length - 4}`);
    expect(stored).toEqual([]);
  });

  test('refuses applied changes of memories that a suggestion is not about and did not add', async () => {
    const [other] = made.open.memoryIds;
    const [own] = made.accepted.memoryIds;
    const none = { changed: [], closed: [], added: [] };
    const target = { id: other!, after: 'x' };
    const { report, stored } = await imported(
      { ...lineOf('accepted'), applied: { ...none, closed: [target] } },
      { ...lineOf('accepted'), applied: { ...none, changed: [{ ...target, version: 1 }] } },
      { ...lineOf('accepted'), applied: { ...none, added: [target] } },
      {
        ...lineOf('accepted'),
        applied: {
          ...none,
          closed: [
            { id: own, after: 'x' },
            { id: own, after: 'x' },
          ],
        },
      },
      { ...lineOf('split'), applied: { ...none, added: [{ id: made.split.memoryIds[0], after: 'x' }] } },
    );
    expect(report).toMatchObject({ added: { suggestions: 0 }, skipped: 5 });
    expect(report.reasons.every(({ fault }) => fault)).toBe(true);
    expect(stored).toEqual([]);
  });

  test('by a device, which may not decide, leaves out suggestions and restores the rest', async () => {
    const to = await newSuggesting(daemon);
    const token = await connectDevice(daemon, to.apiKey);
    const device = createCaller(daemon.call, token, to.tenantId);
    const report = await portable(device).importFile(lines);
    expect(report).toMatchObject({ added: { suggestions: 0 }, skipped: 4 });
    expect(report.added.memories).toBeGreaterThan(0);
    expect(report.reasons[0]!.reason).toBe('importing suggestions needs the API key or the web app');
    expect(await to.suggestions('')).toEqual([]);
  });

  test('leaves out open suggestions beyond 2,000', async () => {
    const to = await newSuggesting(daemon);
    const at = new Date(daemon.clock.nowMs()).toISOString();
    const contents = Array.from({ length: 2001 }, (_, index) => `Fact ${index}`);
    const { textsHashOf } = await import('../../../src/features/suggestions/suggesting.ts');
    const open = contents.map((content, index) => ({
      ...{ ...lineOf('open'), id: `sug_${index.toString(16).padStart(32, '0')}`, kind: 'add', content, createdAt: at },
      ...{ textsHash: textsHashOf('default', { kind: 'add', content }, []), memoryIds: [], evidence: [] },
    }));
    const report = await portable(to).importFile(withSuggestions(...open, lineOf('rejected')));
    expect(report).toMatchObject({ added: { suggestions: 2001 }, skipped: 1 });
    expect(report.reasons[0]!.reason).toBe('more than 2000 suggestions would be open');
  }, 60_000);

  test('reads an export without suggestions', async () => {
    const { suggestions: _none, ...end } = lines.at(-1)!;
    const to = await newSuggesting(daemon);
    const report = await portable(to).importFile([
      ...lines.filter(({ type }) => !/suggestion|end/.test(`${type}`)),
      end,
    ]);
    expect(report).toMatchObject({ added: { suggestions: 0 }, skipped: 0, complete: true });
  });
});

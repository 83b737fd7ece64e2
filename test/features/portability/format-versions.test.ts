import { afterAll, beforeAll, expect, test } from 'vitest';
import { type MemoryDaemon, startMemoryDaemon } from '../memories/memory-daemon.ts';
import { NONE, newAccount, portable, version } from './portable-account.ts';

/** Exports of older and newer versions of svc. */

let daemon: MemoryDaemon;

beforeAll(async () => {
  daemon = await startMemoryDaemon();
});
afterAll(() => daemon.close());

const at = '2026-01-01T10:00:00.000Z';
const END = { type: 'end', memories: 2, conversations: 1, messages: 1, episodes: 1, learned: 0 };

function records(prefix: string, more: Record<string, unknown> = {}) {
  const id = (kind: string) => `${kind}_${prefix.repeat(32)}`;
  const shared = { user: 'default', metadata: {}, createdAt: at, ...more };
  const conversation = { type: 'conversation', id: id('conv'), title: 'Tea', version: 1, cut: false, updatedAt: at };
  const message = { type: 'message', id: id('msg'), conversationId: id('conv'), ordinal: 1, role: 'user', name: null };
  const episode = {
    ...{ type: 'episode', id: id('ep'), title: 'Tea', summary: null, outcome: null, conversationId: id('conv') },
    ...{ fromMessageId: null, toMessageId: null, startedAt: at, endedAt: at, memoryIds: [], cut: false, edited: [] },
    ...{ version: 1, updatedAt: at },
  };
  const { user: _, ...ofMessage } = shared;
  return [
    { ...conversation, ...shared },
    { ...message, content: 'Oolong, please.', ...ofMessage },
    { ...episode, ...shared },
  ];
}

test('an export of the first version is imported whole', async () => {
  const caller = await newAccount(daemon);
  const head = { type: 'svc-export', format: 1, exportedAt: at };
  const report = await portable(caller).importFile([head, version(), version(), ...records('a'), END]);
  expect(report).toEqual({
    added: { ...NONE, memories: 2, conversations: 1, messages: 1, episodes: 1 },
    known: NONE,
    skipped: 0,
    reasons: [],
    complete: true,
  });
});

test('an export says which version wrote it', async () => {
  const caller = await newAccount(daemon);
  await caller.add('Tea');
  const [head] = (await portable(caller).text()).split('\n');
  expect(JSON.parse(head!)).toMatchObject({ type: 'svc-export', format: 'svc', version: 2 });
});

test('everything known of a newer export is imported, and what was left out is reported', async () => {
  const caller = await newAccount(daemon);
  const head = { type: 'svc-export', format: 'svc', version: 99, exportedAt: at, writtenBy: 'svc 9' };
  const report = await portable(caller).importFile([
    head,
    version({ content: 'Tea', mood: 'calm', weight: 3 }),
    version({ content: 'Cake', mood: 'merry', source: { conversationId: 'conv_x', pageId: 'p1' } }),
    ...records('b', { mood: 'calm' }),
    { type: 'skill', id: 'sk_1', steps: ['pour'] },
    { type: 'skill', id: 'sk_2', steps: [] },
    { ...END, skills: 2 },
  ]);
  expect(report).toMatchObject({
    added: { ...NONE, memories: 2, conversations: 1, messages: 1, episodes: 1 },
    complete: true,
  });
  expect((await caller.list()).sort()).toEqual(['Cake', 'Tea']);
  expect(report.reasons.map(({ reason }) => reason)).toEqual([
    '2 values of unknown memory field mood left out',
    '1 value of unknown memory field weight left out',
    '1 value of unknown memory field source.pageId left out',
    '1 value of unknown conversation field mood left out',
    '1 value of unknown message field mood left out',
    '1 value of unknown episode field mood left out',
    '2 lines of unknown type skill left out',
  ]);
  expect(report.reasons.every(({ place, fault }) => place === 'the file' && !fault)).toBe(true);
});

test('a known field with a value that this version does not accept leaves out its line alone', async () => {
  const caller = await newAccount(daemon);
  const head = { type: 'svc-export', format: 'svc', version: 99, exportedAt: at };
  const report = await portable(caller).importFile([
    head,
    version({ tags: { new: 'shape' } }),
    version({ content: 'Tea' }),
    END,
  ]);
  expect(report).toMatchObject({ added: { memories: 1 }, skipped: 1, reasons: [{ place: 'line 2', fault: true }] });
});

test('a file that names countless unknown fields is reported in bounded space', async () => {
  const caller = await newAccount(daemon);
  const head = { type: 'svc-export', format: 'svc', version: 99, exportedAt: at };
  const many = Array.from({ length: 300 }, (_, index) => version({ [`field${index}`]: 1 }));
  const report = await portable(caller).importFile([head, ...many, END]);
  expect(report.added.memories).toBe(300);
  expect(report.reasons).toHaveLength(101);
  expect(report.reasons.at(-1)!.reason).toBe('200 other items left out');
});

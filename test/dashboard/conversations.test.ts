import { describe, expect, test } from 'vitest';
import type { Conversation, Message } from '../../src/contract/conversations.ts';
import type { Episode } from '../../src/contract/episodes.ts';
import type { Memory } from '../../src/contract/memories.ts';
import { episodeName } from '../../src/dashboard/episode-name.ts';
import { groupByDay } from '../../src/dashboard/views/conversations/conversation-days.ts';
import {
  inOrder,
  isSameMark,
  markMessages,
  memoriesOfWhole,
} from '../../src/dashboard/views/conversations/message-marks.ts';

const at = (minute: number) => `2026-05-01T10:${String(minute).padStart(2, '0')}:00.000Z`;
const message = (id: string, minute: number) => ({ id, createdAt: at(minute) }) as Message;
const memory = (id: string, source: Memory['source']) => ({ id, source }) as Memory;
const episode = (id: string, from: number, to: number, given: Partial<Episode> = {}) =>
  ({ id, startedAt: at(from), endedAt: at(to), fromMessageId: null, toMessageId: null, ...given }) as Episode;

const MESSAGES = [message('a', 0), message('b', 1), message('c', 10), message('d', 11)];

describe('the marks of messages', () => {
  test('say to which episode each message belongs, and where the episode begins', () => {
    const marks = markMessages(MESSAGES, [episode('late', 10, 11), episode('early', 0, 1)], []);
    expect(marks.map((mark) => [mark.episode?.id, mark.beginsEpisode])).toEqual([
      ['early', true],
      ['early', false],
      ['late', true],
      ['late', false],
    ]);
  });

  test('know the first and the last message of an episode by their ids', () => {
    const marks = markMessages(MESSAGES, [episode('one', 40, 50, { fromMessageId: 'b', toMessageId: 'c' })], []);
    expect(marks.map((mark) => mark.episode?.id)).toEqual([undefined, 'one', 'one', undefined]);
  });

  test('hold the memories of each message; others belong to the whole conversation', () => {
    const memories = [memory('m1', { conversationId: 'x', messageId: 'b' }), memory('m2', { conversationId: 'x' })];
    const marks = markMessages(MESSAGES, [], memories);
    expect(marks.map((mark) => mark.memories.map(({ id }) => id))).toEqual([[], ['m1'], [], []]);
    expect(memoriesOfWhole(memories).map(({ id }) => id)).toEqual(['m2']);
  });

  test('are the same as long as the message, its episode and its memories are', () => {
    const memories = [memory('m1', { messageId: 'b' })];
    const [before, after] = [markMessages(MESSAGES, [], memories), markMessages(MESSAGES, [], memories)];
    expect(before.every((mark, index) => isSameMark(mark, after[index]!))).toBe(true);
    const other = markMessages(MESSAGES, [], [memory('m1', { messageId: 'b' })]);
    expect(before.map((mark, index) => isSameMark(mark, other[index]!))).toEqual([true, false, true, true]);
  });
});

test('episodes are listed in the order in which they began', () => {
  expect(inOrder([episode('late', 10, 11), episode('early', 0, 1)]).map(({ id }) => id)).toEqual(['early', 'late']);
});

test('conversations stand under the day of their start, in the order given', () => {
  const conversations = ['2026-05-02T09:00:00Z', '2026-05-02T08:00:00Z', '2026-05-01T08:00:00Z'].map(
    (createdAt, index) => ({ id: `c${index}`, createdAt }) as Conversation,
  );
  const days = groupByDay(conversations, (epochMs) => new Date(epochMs).toISOString().slice(0, 10));
  expect(days.map((day) => [day.title, day.conversations.map(({ id }) => id)])).toEqual([
    ['2026-05-02', ['c0', 'c1']],
    ['2026-05-01', ['c2']],
  ]);
});

test('an episode that svc cut is named by what was said first, and others by their title', () => {
  const summary = 'Ada: How do I restore a single file? It was deleted. assistant: Use restic.';
  const cut = { cut: true, title: 'restore, single, file', summary };
  expect(episodeName(cut)).toBe('How do I restore a single file?');
  expect(episodeName({ ...cut, cut: false })).toBe('restore, single, file');
  expect(episodeName({ ...cut, summary: '' })).toBe('restore, single, file');
  expect(episodeName({ ...cut, summary: `Ada: ${'word '.repeat(40)}` })).toBe(`${'word '.repeat(16).trim()}…`);
});

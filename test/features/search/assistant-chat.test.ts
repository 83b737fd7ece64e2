import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { conversing } from '../conversations/conversation-caller.ts';
import { type Caller, type MemoryDaemon, startMemoryDaemon } from '../memories/memory-daemon.ts';

let daemon: MemoryDaemon;
let caller: Caller;

const USERS = 'The deadline of my budget tracker is March 15.';
const ASSISTANTS = 'For the budget tracker a deadline of March 20 would be safer.';

beforeAll(async () => {
  daemon = await startMemoryDaemon();
  caller = await chat();
});
afterAll(() => daemon.close());

async function chat(): Promise<Caller> {
  const account = await daemon.account();
  const talk = conversing(account);
  const { id } = await talk.begin();
  const createdAt = '2024-03-01T00:00:00.000Z';
  await talk.append(id, [
    { role: 'user', content: USERS, createdAt },
    { role: 'assistant', content: ASSISTANTS, createdAt },
  ]);
  return account;
}

describe('in a chat with an assistant', () => {
  test.each([
    ['what is the deadline of my budget tracker?', USERS],
    ['when did I want the budget tracker done, what deadline?', USERS],
    ['which deadline did you recommend for the budget tracker?', ASSISTANTS],
    ['you suggested a deadline for our budget tracker', ASSISTANTS],
  ])('"%s" finds the words of whom it asks for first', async (query, expected) => {
    expect((await caller.find(query))[0]).toBe(expected);
  });

  test('a summary prefers neither', async () => {
    const { results } = (await caller.search('summarize my budget tracker deadline', { explain: true })).body;
    expect(results.map(({ why }) => why?.signals.speaker?.value)).toEqual([0, 0]);
  });

  test('a memory ranks with the user’s own words', async () => {
    const account = await chat();
    const memory = await account.add('The deadline of the budget tracker is March 15');
    const { results } = (await account.search('deadline of my budget tracker', { explain: true })).body;
    const speaker = new Map(results.map(({ id, content, why }) => [content ?? id, why?.signals.speaker?.value]));
    expect(speaker.get(memory.content)).toBe(1);
    expect(speaker.get(USERS)).toBe(1);
    expect(speaker.get(ASSISTANTS)).toBe(-1);
  });
});

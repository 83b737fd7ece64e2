import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Topic } from '../../../src/contract/topics.ts';
import { traces } from '../../helpers/tables.ts';
import { type MemoryDaemon, startMemoryDaemon } from '../memories/memory-daemon.ts';
import { newSuggesting, type Suggesting } from '../suggestions/suggestion-daemon.ts';

let daemon: MemoryDaemon;
let caller: Suggesting;

beforeAll(async () => {
  daemon = await startMemoryDaemon();
});
afterAll(() => daemon.close());
beforeEach(async () => {
  caller = await newSuggesting(daemon);
});

async function topics(): Promise<Topic[]> {
  await caller.compared();
  const { body } = await caller.call<{ data: Topic[] }>('/v1/topics');
  return body.data;
}
const tell = (...contents: string[]) => caller.addAll(contents.map((content) => ({ content })));
const erase = (id: string) => caller.call(`/v1/memories/${id}`, { method: 'DELETE' });
const send = (path: string, method: string, body: object) => caller.call<Topic>(path, { method, body });

describe('names of topics', () => {
  test('forget the title that only an erased memory said', async () => {
    const [first] = await tell(
      'Prof. Ida Holm lives in Linz',
      'Called Ida Holm about the leak',
      'Ida Holm plays the viola',
    );
    await erase(first!.id);
    const after = JSON.stringify(await topics());
    expect(after).not.toContain('Prof');
  });
  test('forget the spelling that only an erased memory said', async () => {
    const [first] = await caller.addAll([
      { content: 'Likes tea', tags: ['harbor (secret: owl!)'] },
      { content: 'Likes coffee', tags: ['harbor secret owl'] },
      { content: 'Likes milk', tags: ['harbor secret owl'] },
    ]);
    await erase(first!.id);
    const after = JSON.stringify(await topics());
    expect(after).not.toContain('owl!');
  });
  test.each([
    // No other test of this file says these words.
    ['a longer name', 'Ida Varga lives in Linz', ['Ida called about the leak', 'Ida plays the viola'], 'Varga'],
    ['a title', 'Dr. Ida Holm lives in Linz', ['Called Ida Holm', 'Ida Holm plays the viola'], 'Dr.'],
  ])('forget %s that a memory said before it was changed and then erased', async (_, before, others, word) => {
    const [first] = await tell(before, ...others);
    expect(JSON.stringify(await topics())).toContain(word);
    await caller.change(first!.id, { content: 'Likes tea' });
    await topics();
    await erase(first!.id);
    expect(JSON.stringify(await topics())).not.toContain(word);
    expect(await traces(daemon.db.readers, [word])).toEqual({});
  });
  test('forget a merged name that only erased memories said', async () => {
    const ids = await tell('Kim Park works at Acme', 'Kim Park likes tea', 'Lou Reiter likes tea', 'Lou Reiter left');
    const found = await topics();
    const [kim, lou] = ['Kim Park', 'Lou Reiter'].map((one) => found.find(({ name }) => name === one)!);
    await send(`/v1/topics/${kim!.id}/merge`, 'POST', { topicIds: [lou!.id] });
    await erase(ids[2]!.id);
    await erase(ids[3]!.id);
    const after = JSON.stringify(await topics());
    expect(after).not.toContain('Reiter');
  });
});

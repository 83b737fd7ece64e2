import { beforeAll, expect, test } from 'vitest';
import type { DrawnDialogue } from '../../bench/dialogue-drawing.ts';
import { drawAll } from '../../bench/extraction.ts';
import { type Dialogue, toDialogue } from '../../bench/locomo-data.ts';
import { madeDialogue, TOLD } from '../helpers/made-dialogue.ts';

let dialogue: Dialogue;
let drawn: DrawnDialogue;

beforeAll(async () => {
  dialogue = toDialogue(madeDialogue());
  [[, drawn]] = (await drawAll([dialogue], { nodeOptions: [], progress: () => {} })) as [[Dialogue, DrawnDialogue]];
});

const PLANTED = 'Tom: I own a red canoe called Heron.';
const TAKEN_BACK = 'Tom: I no longer own a red canoe called Heron.';

test('a dialogue of sixty turns becomes what its speakers tell of themselves, each fact once', () => {
  expect(dialogue.turns).toHaveLength(60);
  const { state, used, progress, result } = drawn.runs.first.job;
  expect({ state, progress }).toEqual({ state: 'done', progress: { done: 61, total: 61 } });
  expect(used.requests).toBeGreaterThan(1);
  expect(result).toMatchObject({ added: TOLD.length + 1, updated: 0, superseded: 0, nothing: 1 });
  const contents = drawn.memories.map(({ content }) => content);
  expect(contents.sort()).toEqual([...TOLD.map(([speaker, fact]) => `${speaker}: ${fact}`), PLANTED].sort());
});

test('every memory cites a message of the conversation that holds its words, with its day', () => {
  expect({ astray: drawn.astray, citedWrongly: drawn.citedWrongly }).toEqual({ astray: [], citedWrongly: [] });
  for (const { content, occurredAt } of drawn.memories.filter((memory) => memory.content !== PLANTED)) {
    const [speaker = '', fact = ''] = content.split(/: (.*)/);
    const said = dialogue.turns.find((turn) => turn.speaker === speaker && turn.text.includes(fact));
    expect(occurredAt, content).toBe(said!.occurredAt);
  }
});

test('a second run reads nothing, and one that reads all again changes nothing', () => {
  const { second, again } = drawn.runs;
  expect(second.job).toMatchObject({ state: 'done', used: { requests: 0 }, progress: { total: 0 } });
  expect(again.job).toMatchObject({ state: 'done', progress: { total: 61 }, used: drawn.runs.first.job.used });
  expect(again.job.result).toMatchObject({ added: 0, updated: 0, superseded: 0, nothing: TOLD.length + 2 });
});

test('a contradiction takes the place of what was known, which stays for the past', () => {
  const { job } = drawn.runs.contradiction;
  expect(job.result).toMatchObject({ added: 0, superseded: 1, nothing: 0 });
  const now = drawn.all.find(({ content }) => content === TAKEN_BACK)!;
  const before = drawn.all.find(({ content }) => content === PLANTED)!;
  expect(before).toMatchObject({ supersededBy: now.id, validTo: expect.any(String) });
  expect(now).toMatchObject({ validTo: null, supersededBy: null });
  expect(job.result!.decisions).toMatchObject([{ decision: 'supersede', memoryId: now.id, targetId: before.id }]);
  expect(drawn.all).toHaveLength(drawn.memories.length + 1);
});

import { beforeAll, expect, test } from 'vitest';
import type { ExtractedDialogue } from '../../bench/dialogue-extraction.ts';
import { extractAll } from '../../bench/extraction.ts';
import { type Dialogue, toDialogue } from '../../bench/locomo-data.ts';
import { FACTS, syntheticDialogue } from '../helpers/synthetic-dialogue.ts';

let dialogue: Dialogue;
let extracted: ExtractedDialogue;

beforeAll(async () => {
  dialogue = toDialogue(syntheticDialogue());
  [[, extracted]] = (await extractAll([dialogue], { nodeOptions: [], progress: () => {} })) as [
    [Dialogue, ExtractedDialogue],
  ];
});

const PLANTED = 'Tom: I own a red canoe called Heron.';
const RETRACTED = 'Tom: I no longer own a red canoe called Heron.';

test('extracts each fact that the speakers of a sixty-turn dialogue state about themselves, once', () => {
  expect(dialogue.turns).toHaveLength(60);
  const { state, used, progress, result } = extracted.runs.first.job;
  expect({ state, progress }).toEqual({ state: 'done', progress: { done: 61, total: 61 } });
  expect(used.requests).toBeGreaterThan(1);
  expect(result).toMatchObject({ added: FACTS.length + 1, updated: 0, superseded: 0, nothing: 1 });
  const contents = extracted.memories.map(({ content }) => content);
  expect(contents.sort()).toEqual([...FACTS.map(([speaker, fact]) => `${speaker}: ${fact}`), PLANTED].sort());
});

test('every memory cites a message of the conversation that contains its words, and has its date', () => {
  expect({ mismatches: extracted.mismatches, wrongCitations: extracted.wrongCitations }).toEqual({
    mismatches: [],
    wrongCitations: [],
  });
  for (const { content, occurredAt } of extracted.memories.filter((memory) => memory.content !== PLANTED)) {
    const [speaker = '', fact = ''] = content.split(/: (.*)/);
    const turn = dialogue.turns.find((one) => one.speaker === speaker && one.text.includes(fact));
    expect(occurredAt, content).toBe(turn!.occurredAt);
  }
});

test('a second run reads nothing, and rereading everything changes nothing', () => {
  const { second, again } = extracted.runs;
  expect(second.job).toMatchObject({ state: 'done', used: { requests: 0 }, progress: { total: 0 } });
  expect(again.job).toMatchObject({ state: 'done', progress: { total: 61 }, used: extracted.runs.first.job.used });
  expect(again.job.result).toMatchObject({ added: 0, updated: 0, superseded: 0, nothing: FACTS.length + 2 });
});

test('a contradiction supersedes the known memory, which remains in the history', () => {
  const { job } = extracted.runs.contradiction;
  expect(job.result).toMatchObject({ added: 0, superseded: 1, nothing: 0 });
  const now = extracted.all.find(({ content }) => content === RETRACTED)!;
  const before = extracted.all.find(({ content }) => content === PLANTED)!;
  expect(before).toMatchObject({ supersededBy: now.id, validTo: expect.any(String) });
  expect(now).toMatchObject({ validTo: null, supersededBy: null });
  expect(job.result!.decisions).toMatchObject([{ decision: 'supersede', memoryId: now.id, targetId: before.id }]);
  expect(extracted.all).toHaveLength(extracted.memories.length + 1);
});

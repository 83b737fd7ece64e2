import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Reader } from '../../../src/db/connection.ts';
import { openConnection } from '../../../src/db/connection.ts';
import { listPassed } from '../../../src/features/suggestions/passing-memories-store.ts';
import { createDatabaseFolder } from '../../db/database-folder.ts';
import { plannedBy } from '../../db/statement-plan.ts';
import { type MemoryDaemon, startMemoryDaemon } from '../memories/memory-daemon.ts';
import { newSuggesting, type Suggesting } from './suggestion-daemon.ts';

const DAY_MS = 24 * 3_600_000;
/** A Wednesday. */
const SAID_MS = Date.UTC(2026, 0, 7, 10);
const MEETING = 'The budget meeting is on Friday';

let daemon: MemoryDaemon;
let caller: Suggesting;

beforeAll(async () => {
  daemon = await startMemoryDaemon();
});
afterAll(() => daemon.close());
beforeEach(async () => {
  daemon.clock.setWall(SAID_MS);
  caller = await newSuggesting(daemon);
});

const storedTimes = () =>
  daemon.db.readers
    .of(caller.tenantId)
    .all('SELECT memoryId, dueAt FROM passingMemories WHERE tenantId = ?', [caller.tenantId]);
async function passed(afterDays: number) {
  daemon.clock.setWall(SAID_MS + afterDays * DAY_MS);
  await daemon.comparing.followPassed();
  return caller.suggestions();
}

describe('a memory whose time passes', () => {
  test('is suggested to expire a day after that, and not before; accepting ends its validity, and undo restores it', async () => {
    const memory = await caller.add(MEETING);
    expect(await caller.compared()).toEqual([]);
    expect(await passed(3)).toEqual([]);
    const [suggestion, ...others] = await passed(4);
    expect(others).toEqual([]);
    expect(suggestion).toMatchObject({
      ...{ kind: 'expire', memoryIds: [memory.id], by: 'rules', validFrom: '2026-01-10T00:00:00.000Z' },
      ...{ reason: 'The time that it names ended on 2026-01-09.', evidence: [{ id: memory.id, text: MEETING }] },
    });
    expect(await storedTimes()).toEqual([]);
    // Until somebody accepts it, nothing changes.
    expect(await caller.find('budget meeting')).toEqual([MEETING]);
    await caller.decide(suggestion!.id, 'accept');
    expect((await caller.read(memory.id)).body.validTo).toBe('2026-01-10T00:00:00.000Z');
    expect(await caller.list()).toEqual([]);
    await caller.decide(suggestion!.id, 'undo');
    expect((await caller.read(memory.id)).body.validTo).toBeNull();
  });

  test('is suggested at once where it was said long ago', async () => {
    await caller.add(MEETING, { occurredAt: '2025-06-02T09:00:00Z' });
    expect(await caller.compared()).toMatchObject([{ kind: 'expire', validFrom: '2025-06-07T00:00:00.000Z' }]);
    expect(await storedTimes()).toEqual([]);
  });

  test('is not suggested again after somebody rejected it', async () => {
    const memory = await caller.add(MEETING);
    await caller.compared();
    const [suggestion] = await passed(4);
    await caller.decide(suggestion!.id, 'reject');
    await caller.change(memory.id, { tags: ['work'] });
    expect(await caller.compared()).toEqual([]);
    expect(await passed(40)).toEqual([]);
  });

  test('is looked at again when it is edited', async () => {
    const memory = await caller.add(MEETING);
    await caller.compared();
    await caller.change(memory.id, { content: 'The budget meeting is on 20 January' });
    await caller.compared();
    expect(await passed(5)).toEqual([]);
    expect(await passed(15)).toMatchObject([{ kind: 'expire', validFrom: '2026-01-21T00:00:00.000Z' }]);
    await caller.change(memory.id, { content: 'The budget meeting is each January' });
    expect(await caller.compared()).toEqual([]);
    expect(await storedTimes()).toEqual([]);
  });

  test.each([
    ['pinned', (id: string) => caller.change(id, { pinned: true })],
    ['erased', (id: string) => caller.erase(id)],
  ])('is left alone when it was %s meanwhile', async (_how, change) => {
    const memory = await caller.add(MEETING);
    await caller.compared();
    expect(await storedTimes()).toHaveLength(1);
    await change(memory.id);
    expect(await passed(9)).toEqual([]);
    expect(await storedTimes()).toEqual([]);
  });

  test('is found by an index, whatever else there is', async () => {
    const place = await createDatabaseFolder();
    const connection = await openConnection(place.file, { readOnly: true });
    try {
      const ask = (reader: Reader) => listPassed(reader, 1, undefined, 10);
      expect(await plannedBy(connection, ask)).toEqual([
        expect.stringMatching(/^SEARCH passingMemories USING COVERING INDEX passingMemories_due/),
      ]);
    } finally {
      await connection.close();
      await place.clean();
    }
  });
});

describe('a memory that says several things', () => {
  const CONTENT = 'Ada works at Bosch in Reutlingen. Our office is in Graz.';

  test('is suggested to be split; accepting stores a memory for each, and undo restores the one', async () => {
    const memory = await caller.add(CONTENT, { tags: ['people'] });
    const [suggestion, ...others] = await caller.compared();
    expect(others).toEqual([]);
    const lines = ['Ada works at Bosch in Reutlingen.', 'Our office is in Graz.'];
    expect(suggestion).toMatchObject({ kind: 'split', memoryIds: [memory.id], content: lines.join('\n'), by: 'rules' });
    await caller.decide(suggestion!.id, 'accept');
    expect((await caller.list()).sort()).toEqual(lines);
    expect(await caller.compared()).toEqual([]);
    await caller.decide(suggestion!.id, 'undo');
    expect(await caller.list()).toEqual([CONTENT]);
  });

  test('stays whole if another system keeps it', async () => {
    await caller.add(CONTENT, { externalId: 'crm-1' });
    expect(await caller.compared()).toEqual([]);
  });
});

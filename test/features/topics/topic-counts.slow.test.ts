import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Topic } from '../../../src/contract/topics.ts';
import { type MemoryDaemon, startMemoryDaemon } from '../memories/memory-daemon.ts';
import { newSuggesting, type Suggesting } from '../suggestions/suggestion-daemon.ts';

let daemon: MemoryDaemon;

beforeAll(async () => {
  daemon = await startMemoryDaemon();
});
afterAll(() => daemon.close());

const TEXTS = [
  'Ada Lovelace plays chess',
  'Ada rows with Ada Byron',
  'My sister Ada has a cat',
  'My sister swims',
  'Ada Byron paints',
  'Lovelace wrote notes',
  'Peter Hahn knows Ada Lovelace',
  'We use ferrydesk and gigalixir',
  'ferrydesk is down, says Peter',
];

/** One step: `at` chooses what it is about. */
const steps = fc.array(
  fc.record({
    kind: fc.constantFrom('add', 'change', 'delete', 'merge', 'split', 'alias', 'read'),
    at: fc.nat(999),
    text: fc.constantFrom(...TEXTS),
  }),
  { minLength: 4, maxLength: 14 },
);

async function run(caller: Suggesting, { kind, at, text }: { kind: string; at: number; text: string }): Promise<void> {
  const { data: memories } = (await caller.call<{ data: { id: string }[] }>('/v1/memories?limit=200')).body;
  const { data: topics } = (await caller.call<{ data: Topic[] }>('/v1/topics?limit=200')).body;
  const memory = memories[at % Math.max(1, memories.length)];
  const topic = topics[at % Math.max(1, topics.length)];
  const other = topics[(at + 1) % Math.max(1, topics.length)];
  if (kind === 'add') await caller.call('/v1/memories', { body: { content: `${text} ${at}` } });
  else if (kind === 'change' && memory) {
    await caller.call(`/v1/memories/${memory.id}`, { method: 'PATCH', body: { content: `${text} ${at}` } });
  } else if (kind === 'delete' && memory) await caller.call(`/v1/memories/${memory.id}`, { method: 'DELETE' });
  else if (kind === 'merge' && topic && other && topic !== other) {
    await caller.call(`/v1/topics/${topic.id}/merge`, { body: { topicIds: [other.id] } });
  } else if (kind === 'split' && topic?.aliases[0]) {
    await caller.call(`/v1/topics/${topic.id}/split`, { body: { aliases: [topic.aliases[0]] } });
  } else if (kind === 'alias' && topic) {
    await caller.call(`/v1/topics/${topic.id}`, {
      method: 'PATCH',
      body: { aliases: ['plays', ...topic.aliases.slice(1)] },
    });
  } else if (kind === 'read') await caller.compared();
}

test('every topic counts the memories that mention it, and no name remains that no memory has, whatever happens', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (all) => {
      const caller = await newSuggesting(daemon);
      await caller.addAll(TEXTS.slice(0, 5).map((content) => ({ content })));
      await caller.compared();
      for (const step of all) await run(caller, step);
      await caller.compared();
      const read = <T>(sql: string) => daemon.db.readers.all<T>(sql, [caller.tenantId]);
      const wrong = await read(
        `SELECT t.id, t.name, t.memoryCount FROM topics t WHERE t.tenantId = ? AND (t.memoryCount <> (SELECT
           COUNT(DISTINCT m.memoryId) FROM topicMentions m WHERE m.tenantId = t.tenantId AND m.topicId = t.id)
           OR t.memoryCount < 1)`,
      );
      expect(wrong).toEqual([]);
      // "Ada" alone is ambiguous: it goes with the topic that got it last, though others were mentioned by it.
      const unlinked = await read(
        `SELECT m.key FROM topicMentions m WHERE m.tenantId = ? AND m.key <> 'ada' AND NOT EXISTS (SELECT 1 FROM topicNames n
           WHERE n.tenantId = m.tenantId AND n.key = m.key)`,
      );
      expect(unlinked).toEqual([]);
      const unsaid = await read(
        `SELECT n.key, n.source FROM topicNames n WHERE n.tenantId = ? AND (NOT EXISTS (SELECT 1 FROM topics t
           WHERE t.tenantId = n.tenantId AND t.id = n.topicId) OR (n.source = 'text' AND NOT EXISTS (SELECT 1
           FROM topicMentions m WHERE m.tenantId = n.tenantId AND m.topicId = n.topicId AND m.key = n.key)))`,
      );
      expect(unsaid).toEqual([]);
    }),
    { numRuns: 6 },
  );
});

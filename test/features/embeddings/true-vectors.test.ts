import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { vectorProblems } from '../../../src/features/embeddings/vector-upkeep-sqlite.ts';
import { conversing, SPAN } from '../conversations/conversation-caller.ts';
import { type Caller, instant } from '../memories/memory-daemon.ts';
import { type MeaningDaemon, startMeaningDaemon } from './meaning-daemon.ts';

/**
 * Any sequence of what can be done to memories, conversations and episodes, with an embedder that comes and goes: what is
 * found has a vector or waits for one, and nothing else has.
 */

const KINDS = [
  'add',
  'add for a while',
  'supersede',
  'change',
  'erase memory',
  'wait',
  'sweep',
  'say',
  'erase message',
  'erase conversation',
  'cut',
  'episode',
  'change episode',
  'erase episode',
  'embed',
  'fail',
  'recover',
] as const;
const step = fc.record({
  kind: fc.constantFrom(...KINDS),
  which: fc.nat(5),
  word: fc.constantFrom('car', 'cat', 'tea'),
});
type Step = { kind: (typeof KINDS)[number]; which: number; word: string };

let daemon: MeaningDaemon;

beforeAll(async () => {
  daemon = await startMeaningDaemon();
});
afterAll(() => daemon.close());

test('after any history what is found has a vector or waits for one, and nothing else has', {
  timeout: 60_000,
}, async () => {
  const caller = await daemon.account();
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
      const take = createWorld(caller);
      for (const each of steps) await take(each);
      const [vectors, jobs, rows] = [await daemon.vectors(), await daemon.jobs(), await daemon.rows()];
      expect([...vectors, ...jobs].sort()).toEqual(rows);
      expect(await daemon.db.writes.write(vectorProblems)).toEqual([]);
    }),
    { numRuns: 25 },
  );
  daemon.embedder.state.failure = undefined;
  daemon.clock.advance(3_600_000);
  await daemon.memories.sweep();
  await daemon.embed();
  expect(await daemon.vectors()).toEqual(await daemon.rows());
  expect((await daemon.vectors()).length).toBeGreaterThan(20);
});

let made = 0;

/** Does each step through the API; one about something that is not there does nothing. */
function createWorld(caller: Caller): (step: Step) => Promise<void> {
  const talk = conversing(caller);
  const [memories, conversations, messages, episodes]: string[][] = [[], [], [], []];
  const erase = (path: string) => caller.call(path, { method: 'DELETE' });
  const patch = (path: string, body: object) => caller.call(path, { method: 'PATCH', body });

  async function conversation(which: number): Promise<string> {
    if (!conversations![which]) conversations!.push((await talk.begin({})).id);
    return conversations![which] ?? conversations!.at(-1)!;
  }

  return async ({ kind, which, word }) => {
    made += 1;
    const content = `${word} ${made}`;
    const memory = memories![which];
    const episode = episodes![which];
    if (kind === 'add') memories!.push((await caller.add(content)).id);
    if (kind === 'add for a while') {
      const expiresAt = instant(daemon.clock.nowMs() + 5000);
      memories!.push((await caller.add(content, { expiresAt })).id);
    }
    if (kind === 'supersede' && memory) {
      await caller.call('/v1/memories', { body: { content, supersedes: memory } });
    }
    if (kind === 'change' && memory) await caller.change(memory, { content });
    if (kind === 'erase memory' && memory) await caller.erase(memory);
    if (kind === 'wait') daemon.clock.advance(2000);
    if (kind === 'sweep') await daemon.memories.sweep();
    if (kind === 'say') {
      const place = `/v1/conversations/${await conversation(which)}/messages`;
      const body = { messages: [word, content].map((said) => ({ role: 'user', content: said })) };
      const answer = await caller.call<{ data: { id: string }[] }>(place, { body });
      if (answer.status === 201) messages!.push(`${place}/${answer.body.data[0]!.id}`);
    }
    if (kind === 'erase message' && messages![which]) await erase(messages![which]);
    if (kind === 'erase conversation' && conversations![which])
      await erase(`/v1/conversations/${conversations![which]}`);
    if (kind === 'cut')
      await caller.call(`/v1/conversations/${await conversation(which)}/episodes`, { method: 'POST' });
    if (kind === 'episode') episodes!.push((await talk.episode({ title: content, ...SPAN })).id);
    if (kind === 'change episode' && episode) await patch(`/v1/episodes/${episode}`, { title: content });
    if (kind === 'erase episode' && episode) await erase(`/v1/episodes/${episode}`);
    if (kind === 'embed') await daemon.embed();
    if (kind === 'fail') daemon.embedder.state.failure = { status: 500 };
    if (kind === 'recover') {
      daemon.embedder.state.failure = undefined;
      daemon.clock.advance(300_000);
    }
  };
}

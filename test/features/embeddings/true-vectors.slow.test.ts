import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { vectorProblems } from '../../../src/features/embeddings/vector-sync.ts';
import { onPostgres } from '../../helpers/postgres/folder-databases.ts';
import { type ProviderServer, startProviderServer } from '../../helpers/providers/server.ts';
import { conversing, SPAN } from '../conversations/conversation-caller.ts';
import { instant } from '../memories/memory-daemon.ts';
import { type MeaningDaemon, startMeaningDaemon } from './meaning-daemon.ts';
import { type Owner, ownerOf } from './own-models.ts';

/**
 * Random sequences of operations on memories, conversations and episodes, while an embedder comes and goes and the
 * account chooses and resets its own models. Invariant: every searchable row has a vector of each model that has
 * been backfilled, or waits for one, and no other row has either.
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
  'choose',
  'choose another',
  'take back',
] as const;
const step = fc.record({
  kind: fc.constantFrom(...KINDS),
  which: fc.nat(5),
  word: fc.constantFrom('car', 'cat', 'tea'),
});
type Step = { kind: (typeof KINDS)[number]; which: number; word: string };

/** PostgreSQL takes three times as long for each step. */
const HISTORIES = onPostgres ? 5 : 10;

let daemon: MeaningDaemon;
let server: ProviderServer;

beforeAll(async () => {
  server = await startProviderServer('openai', { dimensions: 64, models: ['gpt', 'small', 'large'] });
  daemon = await startMeaningDaemon({ config: { providerHosts: [server.allowed] } });
});
afterAll(async () => {
  await daemon.close();
  await server.close();
});

test('after any history every searchable row has a vector or waits for one, and no other row does', {
  timeout: 60_000,
}, async () => {
  const caller = ownerOf(await daemon.account());
  await caller.bring(server);
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
      const take = createWorld(caller);
      for (const each of steps) await take(each);
      const { have, need } = await daemon.filled();
      expect(have).toEqual(need);
      expect(await daemon.db.writes.write('daemon', vectorProblems)).toEqual([]);
    }),
    { numRuns: HISTORIES },
  );
  daemon.embedder.state.failure = undefined;
  daemon.clock.advance(3_600_000);
  await daemon.memories.sweep();
  await caller.add('car at the end');
  await caller.choose(server, 'large');
  await daemon.embed();
  expect((await caller.settings()).embedding).toMatchObject({ state: 'serving', waiting: 0 });
  expect(await daemon.vectors()).toEqual(await daemon.rows());
  expect((await daemon.vectors()).length).toBeGreaterThanOrEqual(onPostgres ? 1 : 5);
});

let made = 0;

/** Runs each step through the API; a step on a missing resource does nothing. */
function createWorld(caller: Owner): (step: Step) => Promise<void> {
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
    if (kind === 'choose') await caller.choose(server, 'small');
    if (kind === 'choose another') await caller.choose(server, 'large');
    if (kind === 'take back') await caller.takeBack();
    if (kind === 'recover') {
      daemon.embedder.state.failure = undefined;
      daemon.clock.advance(300_000);
    }
  };
}

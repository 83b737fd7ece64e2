import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { EXPORT_VERSION } from '../../src/contract/portability.ts';
import type { Principal } from '../../src/features/keys/keys.ts';
import { runInSlices } from '../../src/lib/time-slices.ts';
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.ts';

/** Long enough to be read ahead of the transaction, short enough for time slices, and different in every test. */
const long = (word: string) => `${word} `.repeat(700);
const START = { startedAt: '2026-05-01T00:00:00Z', endedAt: '2026-05-02T00:00:00Z' };

let daemon: TestDaemon;
let loud: Principal;
let quiet: Principal;

beforeAll(async () => {
  daemon = await startTestDaemon({ config: { defaultTier: 'Enterprise' } });
  const signIn = async (email: string) => (await daemon.keys.authenticate((await daemon.signIn(email)).apiKey))!;
  loud = await signIn('loud@example.com');
  quiet = await signIn('quiet@example.com');
});

afterAll(() => daemon.close());

/** Occupies a tenant's time slices until `release` is called: what the tenant prepares waits so long. */
function holdSlices({ tenantId }: Principal) {
  let isHeld = true;
  function* hold(): Generator<void, void> {
    while (isHeld) yield;
  }
  const ended = runInSlices(hold(), tenantId);
  const release = () => {
    isHeld = false;
    return ended;
  };
  return { release };
}

let added = 0;

function addQuietly(): Promise<unknown> {
  added += 1;
  return daemon.memories.add(quiet, { content: `quiet ${added}` });
}

async function* fileOf(...records: object[]): AsyncGenerator<Uint8Array> {
  yield Buffer.from(records.map((record) => `${JSON.stringify(record)}\n`).join(''));
}

type Write = [name: string, prepare: () => Promise<() => Promise<unknown>>];

const WRITES: Write[] = [
  ['a memory is added', async () => () => daemon.memories.add(loud, { content: long('added') })],
  [
    'a memory is changed',
    async () => {
      const { id } = await daemon.memories.add(loud, { content: long('original') });
      return () => daemon.memories.change(loud, id, { tags: ['changed'] });
    },
  ],
  [
    'a memory is superseded',
    async () => {
      const { id } = await daemon.memories.add(loud, { content: long('superseded') });
      return () => daemon.memories.add(loud, { content: 'a short successor', supersedes: id });
    },
  ],
  [
    'an episode is added',
    async () => () => daemon.episodes.createOnce(loud, { title: 'new', summary: long('summary'), ...START }, undefined),
  ],
  [
    'an episode is changed',
    async () => {
      const { body } = await daemon.episodes.createOnce(loud, { title: 'old', ...START }, undefined);
      return () => daemon.episodes.change(loud, body.id, { summary: long('changed') });
    },
  ],
  [
    'a conversation is cut into episodes',
    async () => {
      const { body } = await daemon.conversations.createOnce(loud, {}, undefined);
      const messages = Array.from({ length: 40 }, () => ({ role: 'user' as const, content: long('said') }));
      await daemon.conversations.appendOnce(loud, body.id, messages, undefined);
      return () => daemon.episodes.cutOnce(loud, body.id, undefined);
    },
  ],
  [
    'messages are appended',
    async () => {
      const { body } = await daemon.conversations.createOnce(loud, {}, undefined);
      const messages = [{ role: 'user' as const, content: long('appended') }];
      return () => daemon.conversations.appendOnce(loud, body.id, messages, undefined);
    },
  ],
  [
    'an export is imported',
    async () => {
      const { body } = await daemon.conversations.createOnce(loud, {}, undefined);
      const id = `msg_${'7'.repeat(32)}`;
      const message = { type: 'message', id, conversationId: body.id, ordinal: 1, role: 'user', name: null };
      const at = '2026-05-01T00:00:00.000Z';
      const file = fileOf(
        { type: 'svc-export', format: 'svc', version: EXPORT_VERSION, exportedAt: at },
        { ...message, content: long('imported'), metadata: {}, createdAt: at },
      );
      return async () => {
        const imported = await daemon.portability.import(loud, file, {}, undefined);
        expect(imported.body.added.messages).toBe(1);
      };
    },
  ],
];

describe('a tenant', () => {
  test.each(WRITES)('writes while the text of another is read, before %s', async (_, prepare) => {
    const write = await prepare();
    const { release } = holdSlices(loud);
    let isWritten = false;
    const written = write().then(() => {
      isWritten = true;
    });
    try {
      for (let count = 0; count < 2; count += 1) await addQuietly();
      expect(isWritten).toBe(false);
    } finally {
      await release();
      await written;
    }
  });

  test('searches, reads and signs in with its key while dozens of searches of another wait', async () => {
    const { apiKey } = await daemon.signIn('caller@example.com');
    await daemon.memories.add(loud, { content: 'the kayak is red' });
    const { id } = await daemon.memories.add(quiet, { content: 'the canoe is blue' });
    const searches = Array.from({ length: 60 }, () => daemon.search.search(loud, { query: 'kayak' }));
    const contexts = Array.from({ length: 20 }, () => daemon.search.context(loud, { query: 'kayak' }));
    const found = await daemon.search.search(quiet, { query: 'canoe' });
    expect(found.results).toMatchObject([{ id }]);
    expect(await daemon.memories.get(quiet, id)).toMatchObject({ id });
    expect(await daemon.keys.authenticate(apiKey)).toBeDefined();
    expect(daemon.search.waiting()).toBeGreaterThan(40);
    await Promise.all([...searches, ...contexts]);
    expect(daemon.search.waiting()).toBe(0);
  });
});

import { InMemoryMemoryStore, type MemoryStore } from '@openai/agents-core/sandbox';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Client, createClient } from '../../src/client/client.ts';
import { SvcMemoryStore } from '../../src/client/openai-agents.ts';
import { makeTenant } from '../features/limits/tenants.ts';
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.ts';

let daemon: TestDaemon;
let client: Client;
let apiKey: string;
let users = 0;

beforeAll(async () => {
  daemon = await startTestDaemon();
  ({ apiKey } = await makeTenant(daemon, 'sandbox@example.com', 'Enterprise'));
  client = createClient({ baseUrl: daemon.baseUrl, apiKey });
});

afterAll(() => daemon.close());

const bytes = (text: string) => new TextEncoder().encode(text);

describe('a store for the memory of sandbox agents', () => {
  test('has the files of InMemoryMemoryStore after any changes', async () => {
    const path = fc.constantFrom(
      'memories/a.md',
      './memories/b.md',
      'memories/raw/a.md',
      'sessions/1.jsonl',
      'memories',
    );
    const data = fc.oneof(
      { weight: 3, arbitrary: fc.string({ unit: 'grapheme' }).map(bytes) },
      { weight: 1, arbitrary: fc.uint8Array() },
      { weight: 1, arbitrary: fc.constantFrom('many x', 'many é\n', 'many 😀').map((text) => bytes(text)) },
    );
    const change = fc.oneof(
      { weight: 3, arbitrary: fc.record({ path, data }) },
      { weight: 1, arbitrary: fc.record({ path, data: fc.constant(undefined) }) },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 6 }), async (changes) => {
        daemon.clock.advance(60_000);
        const store: Required<MemoryStore> = new SvcMemoryStore({ client, user: `user ${++users}` });
        const reference = new InMemoryMemoryStore();
        for (const { path: at, data: given } of changes) {
          const many = given && /^many (.+)$/s.exec(new TextDecoder().decode(given))?.[1];
          const written = many ? bytes(many.repeat(60_000)) : given;
          for (const each of [store, reference]) await (written ? each.write(at, written) : each.delete(at));
        }
        for (const prefix of ['', 'memories', 'memories/raw', 'sessions', 'none']) {
          const paths = await store.list(prefix);
          expect([prefix, paths.sort()]).toEqual([prefix, (await reference.list(prefix)).sort()]);
          for (const at of paths) {
            const [ours, expected] = await Promise.all([store, reference].map((each) => each.read(at)));
            expect([at, Buffer.compare(ours!, expected!)]).toEqual([at, 0]);
          }
        }
        expect(await store.read('none.md')).toBeNull();
      }),
      { numRuns: 6 },
    );
  }, 120_000);

  test('reads a whole file while another agent overwrites it', async () => {
    const user = `user ${++users}`;
    const store = new SvcMemoryStore({ client, user });
    const [before, after] = ['before '.repeat(10_000), 'after '.repeat(10_000)];
    await store.write('memories/a.md', bytes(before));
    let isWritten = false;
    const slow = createClient({
      ...{ baseUrl: daemon.baseUrl, apiKey },
      async fetch(url, request) {
        // Between the first part and the rest.
        if (url.includes('%23') && !isWritten) {
          isWritten = true;
          await store.write('memories/a.md', bytes(after));
        }
        return fetch(url, request as RequestInit);
      },
    });
    const read = await new SvcMemoryStore({ client: slow, user }).read('memories/a.md');
    expect(new TextDecoder().decode(read!)).toBe(after);
  });

  test('leaves nothing of a file that was overwritten or deleted', async () => {
    const store = new SvcMemoryStore({ client, user: 'large' });
    const count = async () => (await client.memories.list({ user: 'large' })).data.length;
    await store.write('log.jsonl', bytes('x'.repeat(250_000)));
    expect(await count()).toBe(6);
    await store.write('log.jsonl', bytes('y'.repeat(80_000)));
    expect(await count()).toBe(2);
    await store.delete('log.jsonl');
    expect(await count()).toBe(0);
  });

  test('makes files searchable, and keeps persons and agents apart', async () => {
    const store = new SvcMemoryStore({ client, user: 'ada' });
    await store.write('memories/MEMORY.md', bytes('The griffin sleeps in the attic'));
    const { results } = await client.search({ query: 'Where does the griffin sleep?', user: 'ada' });
    expect(results[0]).toMatchObject({ externalId: 'sandbox/memories/MEMORY.md', origin: 'program' });
    expect(await new SvcMemoryStore({ client, user: 'bo' }).list('')).toEqual([]);
    expect(await new SvcMemoryStore({ client, user: 'ada', name: 'other' }).list('')).toEqual([]);
    await expect(store.write('../out', bytes('x'))).rejects.toThrow('leads out of the files');
  });
});

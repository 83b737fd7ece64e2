import {
  Agent,
  type AgentInputItem,
  isSessionHistoryRewriteAwareSession,
  isSessionHistoryTransactionAwareSession,
  MemorySession,
  type Model,
  type ModelRequest,
  Runner,
  type SessionHistoryTransaction,
  Usage,
} from '@openai/agents-core';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Client, createClient } from '../../src/client/client.ts';
import { SvcSession } from '../../src/client/openai-agents.ts';
import { makeTenant } from '../features/limits/tenants.ts';
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.ts';

let daemon: TestDaemon;
let client: Client;

beforeAll(async () => {
  daemon = await startTestDaemon();
  const { apiKey } = await makeTenant(daemon, 'agents@example.com');
  client = createClient({ baseUrl: daemon.baseUrl, apiKey });
});

afterAll(() => daemon.close());

const ITEMS: AgentInputItem[] = [
  { role: 'user', content: 'What is the weather in Oslo?' },
  { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'And in Bergen?' }], id: 'msg_1' },
  {
    role: 'user',
    content: [
      { type: 'input_text', text: 'Look' },
      { type: 'input_image', image: 'data:image/png;base64,AAAA', detail: 'low' },
    ],
  },
  { type: 'function_call', callId: 'call_1', name: 'weather', arguments: '{"city":"Oslo"}', status: 'completed' },
  {
    type: 'function_call_result',
    callId: 'call_1',
    name: 'weather',
    status: 'completed',
    output: { type: 'text', text: 'rain' },
  },
  {
    type: 'reasoning',
    content: [{ type: 'input_text', text: 'Umbrella?' }],
    providerData: { encrypted: 'x'.repeat(20_000) },
  },
  { type: 'hosted_tool_call', name: 'web_search', status: 'completed', output: 'found' },
  {
    role: 'assistant',
    status: 'completed',
    content: [
      { type: 'output_text', text: 'Rain.', providerData: { annotations: [] } },
      { type: 'refusal', refusal: 'No.' },
    ],
  },
  { role: 'assistant', status: 'completed', content: [{ type: 'output_text', text: ' Take an umbrella.\n' }] },
  { role: 'system', content: 'Be brief.', providerData: { a: { b: [1, null, true] } } },
  { type: 'unknown', providerData: {} },
  { role: 'user', content: '' },
  { role: 'user', content: 'é'.repeat(90_000) },
];

describe('a session of the OpenAI Agents SDK', () => {
  test('returns every kind of item as it was added', async () => {
    const session = new SvcSession({ client });
    await session.addItems(ITEMS);
    expect(await session.getItems()).toEqual(ITEMS);
    expect(await session.getItems(2)).toEqual(ITEMS.slice(-2));
    expect(await session.getItems(0)).toEqual([]);
    const again = new SvcSession({ client, conversationId: await session.getSessionId() });
    expect(await again.getItems(100)).toEqual(ITEMS);
  });

  test('stores items with characters that no text may have, returns them as they were added, and finds what they say', async () => {
    const session = new SvcSession({ client });
    const output = { type: 'text' as const, text: 'The quetzal\0 is a bird \ud83e' };
    const items: AgentInputItem[] = [
      { role: 'user', content: 'Look up\0 the quetzal' },
      { type: 'function_call_result', callId: 'call_1', name: 'read', status: 'completed', output },
      { role: 'user', content: `\udd9c${'é'.repeat(20_000)}` },
    ];
    await session.addItems(items);
    expect(await session.getItems()).toEqual(items);
    const { results } = await client.search({ query: 'quetzal bird', types: ['message'], limit: 1 });
    expect(results).toMatchObject([{ content: expect.stringContaining('The quetzal\ufffd is a bird \ufffd') }]);
  });

  test('returns generated items as they were added', async () => {
    const unstorable = fc.constantFrom('\0', '\ud800', '\udc00', '\\u0000', '\\', 'a');
    const text = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 20 }),
      fc.array(unstorable, { maxLength: 4 }).map((parts) => parts.join('')),
    );
    const fields = fc.dictionary(fc.constantFrom('a', 'b', 'type'), fc.oneof(text, fc.integer(), fc.boolean()));
    const item = fc.oneof(
      fc.record({ role: fc.constantFrom('user', 'system'), content: text }),
      fc.record({ role: fc.constant('assistant'), content: fc.array(fc.record({ type: text, text, x: fields })) }),
      fc.record({ type: fc.constant('function_call'), callId: text, name: text, arguments: text }),
      fc.record({ type: fc.constant('function_call_result'), callId: text, output: fc.oneof(text, fields) }),
      fc.record({ type: fc.constantFrom('reasoning', 'computer_call', 'shell_call'), content: fields }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(item, { minLength: 1, maxLength: 8 }), async (items) => {
        const session = new SvcSession({ client });
        await session.addItems(items as AgentInputItem[]);
        expect(await session.getItems()).toEqual(items);
      }),
      { numRuns: 8 },
    );
  });

  test('has the histories of MemorySession after any changes', async () => {
    const user = fc.record({ role: fc.constant('user' as const), content: fc.constantFrom('a', 'b', 'c') });
    const call = fc.record({
      type: fc.constant('function_call' as const),
      callId: fc.constantFrom('call_1', 'call_2'),
      name: fc.constant('look'),
      arguments: fc.constantFrom('{}', '{"far":true}'),
    });
    const items = fc.array(fc.oneof(user, call) as fc.Arbitrary<AgentInputItem>, { maxLength: 3 });
    const operationId = fc.constantFrom('op_1', 'op_2', 'op_3');
    const change = fc.oneof(
      fc.record({ do: fc.constant('add' as const), items }),
      fc.record({ do: fc.constant('pop' as const) }),
      fc.record({ do: fc.constant('clear' as const) }),
      fc.record({ do: fc.constant('compact' as const), items }),
      fc.record({ do: fc.constant('rewrite' as const), replacement: call }),
      fc.record({ do: fc.constant('append' as const), operationId, items }),
      fc.record({
        do: fc.constant('replace' as const),
        operationId,
        items,
        count: fc.nat({ max: 3 }),
        stale: fc.nat({ max: 4 }),
      }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 8 }), fc.nat({ max: 5 }), async (changes, limit) => {
        daemon.clock.advance(60_000);
        const [session, reference] = [new SvcSession({ client }), new MemorySession()];
        for (const one of changes) {
          if (one.do === 'compact') {
            await session.replaceHistoryWithCompaction(one.items);
            const applied = reference as unknown as { items: AgentInputItem[] };
            applied.items = one.items;
            continue;
          }
          const suffix =
            one.do === 'replace' ? (await reference.getItems(one.count)).slice(one.stale === 0 ? 1 : 0) : [];
          const outcome = async (target: SvcSession | MemorySession) => {
            if (one.do === 'add') await target.addItems(one.items);
            else if (one.do === 'pop') return target.popItem();
            else if (one.do === 'clear') await target.clearSession();
            else if (one.do === 'rewrite') {
              const { replacement } = one;
              const { callId } = replacement;
              await target.applyHistoryMutations({
                mutations: [{ type: 'replace_function_call', callId, replacement }],
              });
            } else {
              const transaction: SessionHistoryTransaction =
                one.do === 'append'
                  ? { type: 'append_items', items: one.items }
                  : { type: 'replace_suffix', expectedSuffix: suffix, replacement: one.items };
              await target.applyHistoryTransaction({ operationId: one.operationId, transaction });
            }
            return undefined;
          };
          const [ours, expected] = [
            await outcome(session).catch(() => 'failed'),
            await outcome(reference).catch(() => 'failed'),
          ];
          expect([one, ours]).toEqual([one, expected]);
        }
        expect(await session.getItems()).toEqual(await reference.getItems());
        expect(await session.getItems(limit)).toEqual(await reference.getItems(limit));
      }),
      { numRuns: 16 },
    );
  }, 120_000);

  test('offers transactions and rewrites to the runner', () => {
    const session = new SvcSession({ client });
    expect([isSessionHistoryTransactionAwareSession(session), isSessionHistoryRewriteAwareSession(session)]).toEqual([
      true,
      true,
    ]);
  });

  test('applies a transaction once, whoever repeats it at the same time', async () => {
    const session = new SvcSession({ client });
    await session.addItems(ITEMS.slice(0, 2));
    const other = new SvcSession({ client, conversationId: await session.getSessionId() });
    const transaction = { type: 'append_items' as const, items: ITEMS.slice(2, 4) };
    const same = () => [session, other].map((each) => each.applyHistoryTransaction({ operationId: 'op', transaction }));
    await Promise.allSettled(same());
    await Promise.all(same());
    expect(await other.getItems()).toEqual(ITEMS.slice(0, 4));
  });

  test('lets one of two replacements of the same items win', async () => {
    const session = new SvcSession({ client });
    await session.addItems(ITEMS.slice(0, 3));
    const replaceWith = (item: AgentInputItem, operationId: string) =>
      session.applyHistoryTransaction({
        operationId,
        transaction: { type: 'replace_suffix', expectedSuffix: ITEMS.slice(1, 3), replacement: [item] },
      });
    const outcomes = await Promise.allSettled([replaceWith(ITEMS[3]!, 'one'), replaceWith(ITEMS[4]!, 'two')]);
    const items = await session.getItems();
    const winners = [ITEMS[3]!, ITEMS[4]!].filter((_, index) => outcomes[index]!.status === 'fulfilled');
    expect(winners.length).toBeLessThan(2);
    expect(items).toEqual(winners.length === 1 ? [ITEMS[0], ...winners] : ITEMS.slice(0, 3));
  });

  test('keeps compacted items searchable in the conversation, and replaced ones not', async () => {
    const session = new SvcSession({ client, user: 'cleo' });
    await session.addItems([{ role: 'user', content: 'The griffin sleeps in the attic' }]);
    const summary = { type: 'compaction' as const, encrypted_content: 'x'.repeat(20_000) };
    await session.replaceHistoryWithCompaction([summary]);
    await session.addItems([{ role: 'user', content: 'The basilisk sleeps in the cellar' }]);
    const secret: AgentInputItem = { role: 'user', content: 'The wyvern sleeps in the barn' };
    await session.addItems([secret]);
    await session.applyHistoryTransaction({
      operationId: 'blocked',
      transaction: { type: 'replace_suffix', expectedSuffix: [secret], replacement: [] },
    });
    expect(await session.getItems()).toEqual([summary, { role: 'user', content: 'The basilisk sleeps in the cellar' }]);
    const { results } = await client.search({ query: 'Where does the griffin or wyvern sleep?', user: 'cleo' });
    const texts = results.map(({ content }) => content).join();
    expect(texts).toContain('griffin');
    expect(texts).not.toContain('wyvern');
  });

  test('pops the newest item and clears without changing its id', async () => {
    const session = new SvcSession({ client, user: 'ada' });
    const id = await session.getSessionId();
    expect(await session.popItem()).toBeUndefined();
    await session.addItems(ITEMS.slice(0, 3));
    expect(await session.popItem()).toEqual(ITEMS[2]);
    expect(await session.getItems()).toEqual(ITEMS.slice(0, 2));
    await session.clearSession();
    expect(await session.getItems()).toEqual([]);
    expect(await session.getSessionId()).toBe(id);
    expect(await client.conversations.get(id)).toMatchObject({ user: 'ada', messageCount: 0 });
  });

  test('adds more items than one request can carry, in order', async () => {
    const session = new SvcSession({ client });
    const item = (index: number): AgentInputItem => ({ role: 'user', content: `${index} ${'x'.repeat(2000)}` });
    const items = Array.from({ length: 620 }, (_, index) => item(index));
    await session.addItems(items);
    expect(await session.getItems()).toEqual(items);
  });

  test('includes messages that something else appended, and makes its texts searchable', async () => {
    const session = new SvcSession({ client, user: 'bo' });
    await session.addItems([{ role: 'user', content: 'The griffin sleeps in the attic' }]);
    await client.conversations.messages.append(await session.getSessionId(), [
      { role: 'assistant', content: 'Since when?' },
      { role: 'tool', content: 'ignored' },
    ]);
    expect(await session.getItems()).toMatchObject([
      { role: 'user' },
      { role: 'assistant', status: 'completed', content: [{ type: 'output_text', text: 'Since when?' }] },
    ]);
    const { results } = await client.search({ query: 'Where does the griffin sleep?', user: 'bo' });
    expect(results[0]).toMatchObject({ type: 'message', content: 'The griffin sleeps in the attic' });
  });

  test('gives an agent its history in the next run', async () => {
    const requests: ModelRequest[] = [];
    const model: Model = {
      async getResponse(request) {
        requests.push(request);
        const text = `Answer ${requests.length}`;
        return {
          usage: new Usage(),
          output: [
            { type: 'message', role: 'assistant', status: 'completed', content: [{ type: 'output_text', text }] },
          ],
        };
      },
      async *getStreamedResponse() {},
    };
    const runner = new Runner({ tracingDisabled: true });
    const agent = new Agent({ name: 'Guide', instructions: 'Be brief.', model });
    const session = new SvcSession({ client });
    expect((await runner.run(agent, 'First', { session })).finalOutput).toBe('Answer 1');
    const resumed = new SvcSession({ client, conversationId: await session.getSessionId() });
    expect((await runner.run(agent, 'Second', { session: resumed })).finalOutput).toBe('Answer 2');
    expect(requests[1]!.input).toMatchObject([
      { role: 'user', content: 'First' },
      { role: 'assistant', content: [{ text: 'Answer 1' }] },
      { role: 'user', content: 'Second' },
    ]);
  });
});

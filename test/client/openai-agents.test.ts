import { Agent, type AgentInputItem, type Model, type ModelRequest, Runner, Usage } from '@openai/agents-core';
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

  test('returns generated items as they were added', async () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 20 }).filter((value) => !value.includes('\0'));
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
      { numRuns: 15 },
    );
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

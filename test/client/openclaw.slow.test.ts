import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { type Client, createClient } from '../../src/client/client.ts';
import plugin from '../../src/client/openclaw.ts';
import { makeTenant } from '../features/limits/tenants.ts';
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.ts';

type PluginApi = Parameters<typeof plugin.register>[0];
type ToolFactory = Parameters<PluginApi['registerTool']>[0];

let daemon: TestDaemon;
let apiKey: string;
let client: Client;
let tenants = 0;

beforeAll(async () => {
  daemon = await startTestDaemon();
});
beforeEach(async () => {
  ({ apiKey } = await makeTenant(daemon, `openclaw-${tenants++}@example.com`));
  client = createClient({ baseUrl: daemon.baseUrl, apiKey });
  await client.memories.create({ content: 'Ada prefers oolong tea' });
});
afterAll(() => daemon.close());

/** Registers the plugin as OpenClaw does, and returns what it registered. */
function register(settings: Record<string, unknown> = {}) {
  const handlers: Record<string, (event: never, context: object) => Promise<unknown>> = {};
  const registered = { warn: vi.fn(), factory: undefined as ToolFactory | undefined, prompt: (_: Set<string>) => [''] };
  const api = {
    pluginConfig: { url: daemon.baseUrl, apiKey, ...settings },
    logger: { warn: registered.warn },
    registerMemoryCapability({ promptBuilder }) {
      registered.prompt = (availableTools) => promptBuilder({ availableTools });
    },
    registerTool(factory) {
      registered.factory = factory;
    },
    on(hook: string, handler: (typeof handlers)[string]) {
      handlers[hook] = handler;
    },
  } as PluginApi;
  plugin.register(api);
  const messages = [{ role: 'assistant', content: [{ type: 'text', text: 'Oolong.' }] }];
  return {
    ...registered,
    /** Runs a turn and returns the context that is put before the message. */
    async turn(context: object = {}, { isAllowed = true, success = true } = {}): Promise<string | undefined> {
      const run = { runId: 'run_1', sessionId: 'one', ...context };
      const toolAuthority = { allows: () => isAllowed, assertActive: () => {} };
      const event = { prompt: 'Earlier: …\nWhich tea for Ada?', currentUserMessage: 'Which tea for Ada?' };
      const prepared = await handlers.before_prompt_build!(event as never, { ...run, toolAuthority });
      await handlers.agent_end!({ messages, success } as never, run);
      return (prepared as { prependContext: string } | undefined)?.prependContext;
    },
  };
}

async function stored(): Promise<string[][]> {
  const { data } = await client.conversations.list();
  const talks = data.map(({ id }) => client.conversations.messages.list(id, { order: 'oldest' }));
  return (await Promise.all(talks)).map((talk) => talk.data.map(({ content }) => String(content)));
}

describe('the OpenClaw plugin', () => {
  test('recalls for the message alone and appends each turn to the conversation of its session', async () => {
    const { turn } = register();
    expect(await turn()).toContain('Ada prefers oolong tea');
    await turn({ runId: 'run_2' });
    await turn({ runId: 'run_3', sessionId: 'two' });
    const once = ['Which tea for Ada?', 'Oolong.'];
    expect(await stored()).toEqual([once, [...once, ...once]]);
  });

  test.each([
    ['a turn that may not use the tool', {}, { isAllowed: false }],
    ['a heartbeat', { trigger: 'heartbeat' }, {}],
    ['a message of another agent', { inputProvenance: { kind: 'inter_session' } }, {}],
  ])('neither recalls for nor stores %s', async (_, context, outcome) => {
    expect(await register().turn(context, outcome)).toBeUndefined();
    expect(await stored()).toEqual([]);
  });

  test('stores nothing of a failed turn, nor anything if store is false', async () => {
    expect(await register().turn({}, { success: false })).toContain('oolong');
    expect(await register({ store: false }).turn()).toContain('oolong');
    expect(await stored()).toEqual([]);
  });

  test('gives its tools to the owner alone', async () => {
    const { factory, prompt } = register();
    expect(factory!({ senderIsOwner: false })).toBeNull();
    expect(factory!({})).toHaveLength(4);
    expect(prompt(new Set())).toEqual([]);
    expect(prompt(new Set(['memory_recall'])).join()).toContain('memory_recall');
  });

  test('lets the agent answer without memory if svc cannot be reached, and says so', async () => {
    const { turn, warn } = register({ url: 'http://127.0.0.1:9' });
    expect(await turn()).toBeUndefined();
    expect(warn).toHaveBeenCalledWith(expect.stringContaining('The model answers without memory'));
  });
});

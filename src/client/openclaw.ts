import { createBoundedMap } from '../lib/bounded-map.ts';
import { type Client, createClient } from './entry.ts';
import { type MemoryTool, modelTools } from './memory-tools.ts';
import { createTurns, type Turns, textOfParts } from './turns.ts';

/** Settings of the plugin, in `plugins.entries.svc-memory.config`; their schema is in the manifest. */
interface PluginSettings {
  /** Address of the daemon, `SVC_URL` unless given. */
  url?: string;
  /** `SVC_API_KEY` unless given. */
  apiKey?: string;
  user?: string;
  maxTokens?: number;
  minRelevance?: number;
  /** Whether turns are stored; they are by default. */
  store?: boolean;
}

/** What is used of the plugin API of OpenClaw. */
interface PluginApi {
  pluginConfig?: Record<string, unknown>;
  logger: { warn(message: string): void };
  registerMemoryCapability(capability: { promptBuilder(params: { availableTools: Set<string> }): string[] }): void;
  registerTool(factory: (context: { senderIsOwner?: boolean }) => object[] | null, options: { names: string[] }): void;
  on(
    hook: 'before_prompt_build',
    handler: (event: PromptEvent, context: TurnContext) => Promise<{ prependContext: string } | undefined>,
    options: { requiresToolAuthority: true },
  ): void;
  on(hook: 'agent_end', handler: (event: EndEvent, context: TurnContext) => Promise<void>): void;
}

interface PromptEvent {
  prompt: string;
  /** The request alone; `prompt` may contain history. */
  currentUserMessage?: string;
}

interface EndEvent {
  messages: unknown[];
  success: boolean;
}

interface TurnContext {
  runId?: string;
  sessionId?: string;
  trigger?: string;
  inputProvenance?: { kind: string };
  toolAuthority?: { allows(tool: string): boolean; assertActive(): void };
}

interface AssistantMessage {
  role: string;
  content: string | readonly { type: string; text?: unknown }[];
}

/** How many sessions keep their conversation; one of the others starts a new one with its next turn. */
const MOST_SESSIONS = 1000;
const RECALL = 'memory_recall';

/**
 * A memory plugin of OpenClaw. Before each turn it recalls what svc remembers about the message, after it the turn is
 * appended to the conversation of its session, and the model gets tools. Only where the owner talks: others get none of it.
 */
const plugin = {
  id: 'svc-memory',
  name: 'svc memory',
  description: 'Long-term memory in svc',
  kind: 'memory',
  register(api: PluginApi): void {
    const { url, apiKey, ...settings } = (api.pluginConfig ?? {}) as PluginSettings;
    const client = createClient({ ...(url !== undefined && { baseUrl: url }), apiKey });
    registerTools(api, client, settings);
    registerTurns(api, client, settings);
    api.registerMemoryCapability({
      promptBuilder: ({ availableTools }) =>
        availableTools.has(RECALL)
          ? ['## Memory', `Before answering about earlier work, people or preferences, use ${RECALL}.`, '']
          : [],
    });
  },
};

export default plugin;

function registerTools(api: PluginApi, client: Client, { user }: PluginSettings): void {
  const { search, add, update, delete: erase } = modelTools({ client, ...(user !== undefined && { user }) });
  const tools = [
    agentTool(RECALL, search),
    agentTool('memory_store', add),
    agentTool('memory_update', update),
    agentTool('memory_forget', erase),
  ];
  const names = tools.map(({ name }) => name);
  api.registerTool(({ senderIsOwner }) => (senderIsOwner === false ? null : tools), { names });
}

function agentTool<Input>(name: string, { description, inputSchema, execute }: MemoryTool<Input, object>) {
  return {
    name,
    label: name,
    description,
    parameters: inputSchema,
    async execute(_callId: string, input: Input, signal?: AbortSignal) {
      const details = await execute(input, signal);
      return { content: [{ type: 'text', text: JSON.stringify(details) }], details };
    },
  };
}

function registerTurns(api: PluginApi, client: Client, settings: PluginSettings): void {
  const sessions = createBoundedMap<string, Turns>(MOST_SESSIONS);
  /** What was asked in the runs that may use memory. */
  const asked = createBoundedMap<string, string>(MOST_SESSIONS);
  const onError = (error: unknown) => api.logger.warn(`The model answers without memory: ${error}`);

  function turnsOf({ sessionId = '' }: TurnContext): Turns {
    const turns = sessions.get(sessionId) ?? createTurns({ ...settings, client, onError });
    sessions.set(sessionId, turns);
    return turns;
  }

  api.on(
    'before_prompt_build',
    async ({ prompt, currentUserMessage = prompt }, context) => {
      const { toolAuthority, runId } = context;
      if (!isFromPerson(context) || !toolAuthority?.allows(RECALL)) return undefined;
      if (runId !== undefined) asked.set(runId, currentUserMessage);
      const text = await turnsOf(context).recall(currentUserMessage);
      toolAuthority.assertActive();
      return text === '' ? undefined : { prependContext: text };
    },
    { requiresToolAuthority: true },
  );
  api.on('agent_end', async ({ messages, success }, context) => {
    const { runId = '' } = context;
    const question = asked.get(runId);
    asked.delete(runId);
    if (question !== undefined && success) await turnsOf(context).add(question, answerOf(messages));
  });
}

/** Heartbeats, scheduled runs and messages of other agents are neither recalled for nor stored. */
function isFromPerson({ trigger = 'user', inputProvenance }: TurnContext): boolean {
  return trigger === 'user' && (inputProvenance?.kind ?? 'external_user') === 'external_user';
}

/** Returns the text of the last message of the model. */
function answerOf(messages: readonly unknown[]): string {
  const message = (messages as readonly AssistantMessage[]).findLast(({ role }) => role === 'assistant');
  if (message === undefined) return '';
  return typeof message.content === 'string' ? message.content : textOfParts(message.content);
}

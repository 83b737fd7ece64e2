import { jsonSchema, type LanguageModelMiddleware, tool, wrapLanguageModel } from 'ai';
import type { Client } from './client.ts';

type Model = ReturnType<typeof wrapLanguageModel>;
type CallOptions = Parameters<Model['doGenerate']>[0];
type Prompt = CallOptions['prompt'];
type Generated = Awaited<ReturnType<Model['doGenerate']>>;
type StreamPart = Awaited<ReturnType<Model['doStream']>>['stream'] extends ReadableStream<infer Part> ? Part : never;
/** A model may call tools first; the turn ends with any other reason. */
type FinishReason = Generated['finishReason']['unified'];

export interface WithMemoryOptions {
  client: Client;
  /** The person the model talks to, `default` unless given. */
  user?: string;
  /** Where turns are appended. Unless given, a conversation is created with the first turn. */
  conversationId?: string;
  /** Whether turns are stored, as they are by default. */
  store?: boolean;
  /** The largest context, in tokens. */
  maxTokens?: number;
  /** Called if svc cannot be used; the model then answers without memory. Warns on the console by default. */
  onError?: (error: unknown) => void;
}

const LONGEST_QUERY = 10_000;
const warn = (error: unknown) => console.warn('svc: the model answers without memory:', error);

/**
 * Wraps a model of the AI SDK: what svc remembers about the last user message joins the system message, and each
 * finished turn (the user's text and the model's answer) is appended to a conversation.
 */
export function withMemory(model: Model, options: WithMemoryOptions): Model {
  return wrapLanguageModel({ model, middleware: memoryMiddleware(options) });
}

function memoryMiddleware({ client, user, maxTokens, onError = warn, ...options }: WithMemoryOptions) {
  const whose = user === undefined ? {} : { user };
  let conversation: Promise<string> | undefined =
    options.conversationId === undefined ? undefined : Promise.resolve(options.conversationId);

  async function recall(prompt: Prompt, signal: AbortSignal | undefined): Promise<string> {
    const query = lastUserText(prompt).slice(0, LONGEST_QUERY);
    if (query.trim() === '') return '';
    const request = { query, ...whose, ...(maxTokens !== undefined && { maxTokens }) };
    return (await client.context(request, signal ? { signal } : {})).text;
  }

  async function store(prompt: Prompt, answer: string, finishReason: FinishReason): Promise<void> {
    const asked = lastUserText(prompt);
    if (options.store === false || finishReason === 'tool-calls' || asked.trim() === '' || answer.trim() === '') return;
    conversation ??= client.conversations.create(whose).then(({ id }) => id);
    // A failed creation must not be remembered.
    const id = await conversation.catch((error) => {
      conversation = undefined;
      throw error;
    });
    await client.conversations.messages.append(id, [
      { role: 'user', content: asked },
      { role: 'assistant', content: answer },
    ]);
  }

  return {
    specificationVersion: 'v3',
    async transformParams({ params }) {
      const { abortSignal } = params;
      const context = await recall(params.prompt, abortSignal).catch((error) => {
        if (abortSignal?.aborted) throw error;
        onError(error);
        return '';
      });
      return context === '' ? params : { ...params, prompt: withSystemText(params.prompt, context) };
    },
    async wrapGenerate({ doGenerate, params }) {
      const result = await doGenerate();
      const text = result.content.map((part) => (part.type === 'text' ? part.text : '')).join('');
      await store(params.prompt, text, result.finishReason.unified).catch(onError);
      return result;
    },
    async wrapStream({ doStream, params }) {
      const { stream, ...result } = await doStream();
      let text = '';
      const stored = new TransformStream<StreamPart, StreamPart>({
        async transform(part, controller) {
          controller.enqueue(part);
          if (part.type === 'text-delta') text += part.delta;
          if (part.type === 'finish') await store(params.prompt, text, part.finishReason.unified).catch(onError);
        },
      });
      return { stream: stream.pipeThrough(stored), ...result };
    },
  } satisfies LanguageModelMiddleware;
}

function lastUserText(prompt: Prompt): string {
  const message = prompt.findLast(({ role }) => role === 'user');
  if (message?.role !== 'user') return '';
  return message.content
    .map((part) => (part.type === 'text' ? part.text : ''))
    .join('\n')
    .trim();
}

/** Adds to the first system message, because some providers accept only one. */
function withSystemText(prompt: Prompt, text: string): Prompt {
  const [first, ...rest] = prompt;
  if (first?.role !== 'system') return [{ role: 'system', content: text }, ...prompt];
  return [{ ...first, content: `${first.content}\n\n${text}` }, ...rest];
}

export interface MemoryToolsOptions {
  client: Client;
  /** The person whose memories the model may read and change, `default` unless given. */
  user?: string;
}

/** Returns tools with which a model of the AI SDK searches, adds, updates and deletes the memories of one user. */
export function memoryTools({ client, user = 'default' }: MemoryToolsOptions) {
  /** Ids come from the model, so another user's must be as unknown as one that does not exist. */
  const own = async (id: string) => {
    const { data, response } = await client.memories.get(id).withResponse();
    if (data.user !== user) throw new Error(`There is no memory ${id}.`);
    return { ifMatch: response.etag };
  };
  return {
    memorySearch: tool({
      description: 'Search what is remembered about the user: facts, preferences, earlier conversations.',
      inputSchema: jsonSchema<{ query: string; limit?: number }>({
        type: 'object',
        properties: {
          query: { type: 'string', description: 'What to look for, in plain words' },
          limit: { type: 'integer', minimum: 1, maximum: 100, description: '10 unless given' },
        },
        required: ['query'],
        additionalProperties: false,
      }),
      async execute({ query, limit }, { abortSignal }) {
        const request = { query, user, ...(limit !== undefined && { limit }) };
        const { results } = await client.search(request, abortSignal ? { signal: abortSignal } : {});
        return results.map(({ type, id, content, createdAt }) => ({ type, id, content, createdAt }));
      },
    }),
    memoryAdd: tool({
      description: 'Remember a fact about the user for later conversations. One self-contained sentence.',
      inputSchema: jsonSchema<{ content: string; tags?: string[] }>({
        type: 'object',
        properties: { content: { type: 'string' }, tags: { type: 'array', items: { type: 'string' } } },
        required: ['content'],
        additionalProperties: false,
      }),
      async execute({ content, tags = [] }) {
        const { id, duplicate = false } = await client.memories.create({ content, tags, user });
        return { id, duplicate };
      },
    }),
    memoryUpdate: tool({
      description: 'Correct a memory that is wrong or out of date, by its id from memorySearch.',
      inputSchema: jsonSchema<{ id: string; content: string }>({
        type: 'object',
        properties: { id: { type: 'string' }, content: { type: 'string' } },
        required: ['id', 'content'],
        additionalProperties: false,
      }),
      async execute({ id, content }) {
        const { version } = await client.memories.update(id, { content }, await own(id));
        return { id, version };
      },
    }),
    memoryDelete: tool({
      description: 'Erase a memory for good, by its id from memorySearch. Only if the user asks for it.',
      inputSchema: jsonSchema<{ id: string }>({
        type: 'object',
        properties: { id: { type: 'string' } },
        required: ['id'],
        additionalProperties: false,
      }),
      async execute({ id }) {
        await client.memories.delete(id, await own(id));
        return { id, deleted: true };
      },
    }),
  };
}

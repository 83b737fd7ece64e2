import { type LanguageModelMiddleware, wrapLanguageModel } from 'ai';
import { fence, fenceMark } from '../contract/fence.ts';
import type { Client, NewMessage } from './client.ts';

export { type MemoryToolsOptions, memoryTools } from './ai-sdk-tools.ts';

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
  /** Whether turns are stored; they are by default. */
  store?: boolean;
  /** The largest context, in tokens. */
  maxTokens?: number;
  /** From 0 to 1: leaves out what hardly answers the last message, for contexts without noise. */
  minRelevance?: number;
  /** Called if svc cannot be used; the model then answers without memory. Warns on the console by default. */
  onError?: (error: unknown) => void;
}

const LONGEST_QUERY = 10_000;
const WEB_RANDOM = { bytes: (count: number) => crypto.getRandomValues(new Uint8Array(count)) };
const warn = (error: unknown) => console.warn('svc: the model answers without memory:', error);

/**
 * Wraps a model of the AI SDK: what svc remembers about the last user message joins the system message, and each
 * finished turn (the user's text and the model's answer) is appended to a conversation.
 */
export function withMemory(model: Model, options: WithMemoryOptions): Model {
  return wrapLanguageModel({ model, middleware: memoryMiddleware(options) });
}

function memoryMiddleware(options: WithMemoryOptions): LanguageModelMiddleware {
  const { onError = warn } = options;
  const turns = createTurnStore(options);
  return {
    specificationVersion: 'v3',
    async transformParams({ params }) {
      const { abortSignal } = params;
      const context = await recall(params.prompt, { ...options, ...turns.conversation() }, abortSignal).catch(
        (error) => {
          if (abortSignal?.aborted) throw error;
          onError(error);
          return '';
        },
      );
      return context === '' ? params : { ...params, prompt: withSystemText(params.prompt, context) };
    },
    async wrapGenerate({ doGenerate, params }) {
      const result = await doGenerate();
      const text = result.content.map((part) => (part.type === 'text' ? part.text : '')).join('');
      await turns.store(params.prompt, text, result.finishReason.unified).catch(onError);
      return result;
    },
    async wrapStream({ doStream, params }) {
      const { stream, ...result } = await doStream();
      let text = '';
      const stored = new TransformStream<StreamPart, StreamPart>({
        async transform(part, controller) {
          controller.enqueue(part);
          if (part.type === 'text-delta') text += part.delta;
          if (part.type === 'finish') await turns.store(params.prompt, text, part.finishReason.unified).catch(onError);
        },
      });
      return { stream: stream.pipeThrough(stored), ...result };
    },
  };
}

async function recall(
  prompt: Prompt,
  { client, user, maxTokens, minRelevance, conversationId }: WithMemoryOptions,
  signal: AbortSignal | undefined,
): Promise<string> {
  const query = lastUserText(prompt).slice(0, LONGEST_QUERY);
  if (query === '') return '';
  const request = {
    query,
    ...(user !== undefined && { user }),
    ...(maxTokens !== undefined && { maxTokens }),
    ...(minRelevance !== undefined && { minRelevance }),
    // The model has its messages.
    ...(conversationId !== undefined && { exclude: { conversationId } }),
  };
  const { text } = await client.context(request, signal ? { signal } : {});
  return text === '' ? '' : fence(text, fenceMark(WEB_RANDOM));
}

/** Appends finished turns to the conversation, which the first creates. */
function createTurnStore({ client, user, conversationId, store = true }: WithMemoryOptions) {
  let conversation: { conversationId: string } | undefined =
    conversationId === undefined ? undefined : { conversationId };
  async function append(prompt: Prompt, answer: string, finishReason: FinishReason): Promise<void> {
    const asked = lastUserText(prompt);
    if (!store || finishReason === 'tool-calls' || asked === '' || answer.trim() === '') return;
    const messages: NewMessage[] = [
      { role: 'user', content: asked },
      { role: 'assistant', content: answer },
    ];
    const where = conversation ?? (user === undefined ? {} : { user });
    const { conversationId: id } = await client.remember({ messages, ...where });
    conversation = { conversationId: id };
  }
  return { store: append, conversation: () => conversation };
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

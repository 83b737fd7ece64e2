import { type LanguageModelMiddleware, wrapLanguageModel } from 'ai';
import { createBoundedMap } from '../lib/bounded-map.ts';
import { createTurns, type TurnOptions, type Turns } from './turns.ts';

export { type MemoryToolsOptions, memoryTools } from './ai-sdk-tools.ts';

type Model = ReturnType<typeof wrapLanguageModel>;
type CallOptions = Parameters<Model['doGenerate']>[0];
type Prompt = CallOptions['prompt'];
type Generated = Awaited<ReturnType<Model['doGenerate']>>;
type StreamPart = Awaited<ReturnType<Model['doStream']>>['stream'] extends ReadableStream<infer Part> ? Part : never;
/** A model may call tools first; the turn ends with any other reason. */
type FinishReason = Generated['finishReason']['unified'];

export interface WithMemoryOptions extends TurnOptions {}

/** Whom one call is for: `providerOptions: { svc: { user, conversationId } }`. */
type CallPlace = Pick<TurnOptions, 'user' | 'conversationId'>;

const PLACE_NAMES: readonly string[] = ['user', 'conversationId'] satisfies (keyof CallPlace)[];
/** Of more that go on at once, those without a `conversationId` may begin anew. */
const MOST_CONVERSATIONS = 10_000;

/**
 * Wraps a model of the AI SDK: what svc remembers about the last user message joins the system message, and each
 * finished turn (the user's text and the model's answer) is appended to a conversation. A call may name another user or
 * conversation than `options`, in `providerOptions.svc`; without a conversation, the turns of each user are one. Calls throw a
 * `TypeError` for anything else there, so that no turn is stored for the wrong person.
 */
export function withMemory(model: Model, options: WithMemoryOptions): Model {
  return wrapLanguageModel({ model, middleware: memoryMiddleware(options) });
}

function memoryMiddleware(options: WithMemoryOptions): LanguageModelMiddleware {
  const { user: ownUser, conversationId: ownConversationId, ...shared } = options;
  const kept = createBoundedMap<string, Turns>(MOST_CONVERSATIONS);

  function turnsOf({ providerOptions }: CallOptions): Turns {
    const given = placeOf(providerOptions?.svc);
    const { user = ownUser } = given;
    const { conversationId = user === ownUser ? ownConversationId : undefined } = given;
    const place = { ...(user !== undefined && { user }), ...(conversationId !== undefined && { conversationId }) };
    const key = JSON.stringify(place);
    const turns = kept.get(key) ?? createTurns({ ...shared, ...place });
    kept.set(key, turns);
    return turns;
  }

  async function finish(params: CallOptions, answer: string, finishReason: FinishReason): Promise<void> {
    if (finishReason !== 'tool-calls') await turnsOf(params).add(lastUserText(params.prompt), answer);
  }

  return {
    specificationVersion: 'v3',
    async transformParams({ params }) {
      const context = await turnsOf(params).recall(lastUserText(params.prompt), params.abortSignal);
      return context === '' ? params : { ...params, prompt: withSystemText(params.prompt, context) };
    },
    async wrapGenerate({ doGenerate, params }) {
      const result = await doGenerate();
      const text = result.content.map((part) => (part.type === 'text' ? part.text : '')).join('');
      await finish(params, text, result.finishReason.unified);
      return result;
    },
    async wrapStream({ doStream, params }) {
      const { stream, ...result } = await doStream();
      let text = '';
      const stored = new TransformStream<StreamPart, StreamPart>({
        async transform(part, controller) {
          controller.enqueue(part);
          if (part.type === 'text-delta') text += part.delta;
          if (part.type === 'finish') await finish(params, text, part.finishReason.unified);
        },
      });
      return { stream: stream.pipeThrough(stored), ...result };
    },
  };
}

function placeOf(given: Record<string, unknown> = {}): CallPlace {
  for (const [name, value] of Object.entries(given)) {
    if (!PLACE_NAMES.includes(name) || (value !== undefined && typeof value !== 'string'))
      throw new TypeError(
        `providerOptions.svc takes the texts user and conversationId, not ${name}: ${JSON.stringify(value)}`,
      );
  }
  return given;
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

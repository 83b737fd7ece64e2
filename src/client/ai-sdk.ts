import { type LanguageModelMiddleware, wrapLanguageModel } from 'ai';
import { createTurns, type TurnOptions } from './turns.ts';

export { type MemoryToolsOptions, memoryTools } from './ai-sdk-tools.ts';

type Model = ReturnType<typeof wrapLanguageModel>;
type CallOptions = Parameters<Model['doGenerate']>[0];
type Prompt = CallOptions['prompt'];
type Generated = Awaited<ReturnType<Model['doGenerate']>>;
type StreamPart = Awaited<ReturnType<Model['doStream']>>['stream'] extends ReadableStream<infer Part> ? Part : never;
/** A model may call tools first; the turn ends with any other reason. */
type FinishReason = Generated['finishReason']['unified'];

export interface WithMemoryOptions extends TurnOptions {}

/**
 * Wraps a model of the AI SDK: what svc remembers about the last user message joins the system message, and each
 * finished turn (the user's text and the model's answer) is appended to a conversation.
 */
export function withMemory(model: Model, options: WithMemoryOptions): Model {
  return wrapLanguageModel({ model, middleware: memoryMiddleware(options) });
}

function memoryMiddleware(options: WithMemoryOptions): LanguageModelMiddleware {
  const turns = createTurns(options);
  async function finish(prompt: Prompt, answer: string, finishReason: FinishReason): Promise<void> {
    if (finishReason !== 'tool-calls') await turns.add(lastUserText(prompt), answer);
  }
  return {
    specificationVersion: 'v3',
    async transformParams({ params }) {
      const context = await turns.recall(lastUserText(params.prompt), params.abortSignal);
      return context === '' ? params : { ...params, prompt: withSystemText(params.prompt, context) };
    },
    async wrapGenerate({ doGenerate, params }) {
      const result = await doGenerate();
      const text = result.content.map((part) => (part.type === 'text' ? part.text : '')).join('');
      await finish(params.prompt, text, result.finishReason.unified);
      return result;
    },
    async wrapStream({ doStream, params }) {
      const { stream, ...result } = await doStream();
      let text = '';
      const stored = new TransformStream<StreamPart, StreamPart>({
        async transform(part, controller) {
          controller.enqueue(part);
          if (part.type === 'text-delta') text += part.delta;
          if (part.type === 'finish') await finish(params.prompt, text, part.finishReason.unified);
        },
      });
      return { stream: stream.pipeThrough(stored), ...result };
    },
  };
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

import { PUBLISHED } from './errors.ts';
import { type Brain, bearerOf, eventFrame, type Frames, type Reply, type Wire } from './wire.ts';

interface ChatBody {
  model: string;
  messages: { role: string; content: string | { text: string }[] }[];
  response_format?: { type: string; json_schema?: unknown };
  stream?: boolean;
}

function chat(body: ChatBody, brain: Brain): Reply | Frames {
  if (!brain.knowsSchemas && body.response_format) {
    return {
      status: 400,
      body: { message: 'invalid request: response_format is not supported by the provided model' },
    };
  }
  const said = (wanted: string) =>
    body.messages
      .filter(({ role }) => role === wanted)
      .map(({ content }) => (typeof content === 'string' ? content : content.map(({ text }) => text).join('')))
      .join('\n');
  const pieces = brain.write({
    model: body.model,
    system: said('system'),
    prompt: said('user'),
    schema: body.response_format?.json_schema,
    streaming: body.stream === true,
  });
  const tokens = { input_tokens: brain.inputTokens, output_tokens: brain.outputTokens };
  const usage = { billed_units: tokens, tokens };
  if (!body.stream || !brain.streams) {
    const message = { role: 'assistant', content: [{ type: 'text', text: pieces.join('') }] };
    return { body: { id: '1', finish_reason: 'COMPLETE', message, usage } };
  }
  const frame = (type: string, data: object) => eventFrame(type, { type, ...data });
  return {
    frames: [
      frame('message-start', { id: '1', delta: { message: { role: 'assistant', content: [] } } }),
      frame('content-start', { index: 0, delta: { message: { content: { type: 'text', text: '' } } } }),
      ...pieces.map((text) => frame('content-delta', { index: 0, delta: { message: { content: { text } } } })),
      frame('content-end', { index: 0 }),
      frame('message-end', { delta: { finish_reason: 'COMPLETE', usage } }),
    ],
  };
}

export const cohereWire: Wire = {
  basePath: '/v2',
  keyOf: bearerOf,
  isPublic: () => false,
  wrongKey: PUBLISHED.cohere.wrongKey,
  noSuchPath: { status: 404, body: { message: 'not found' } },
  answer(request, brain) {
    if (request.method === 'GET' && request.path === '/v1/models') {
      return { body: { models: brain.models.map((name) => ({ name, endpoints: ['chat'], context_length: 128_000 })) } };
    }
    if (request.method !== 'POST') return undefined;
    if (request.path === '/v2/chat') return chat(request.body as unknown as ChatBody, brain);
    if (request.path !== '/v2/embed') return undefined;
    const { model, texts, input_type } = request.body as { model: string; texts: string[]; input_type?: string };
    if (!['search_document', 'search_query'].includes(input_type ?? '') || texts.length > 96) {
      return { status: 400, body: { message: 'invalid request: input_type or number of texts' } };
    }
    const meta = { api_version: { version: '2' }, billed_units: { input_tokens: brain.inputTokens } };
    return { body: { id: '1', embeddings: { float: brain.embed(model, texts) }, texts, meta } };
  },
};

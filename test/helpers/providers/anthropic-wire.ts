import { PUBLISHED } from './errors.ts';
import { type AskedModel, type Brain, eventFrame, type Frames, type Reply, type Wire } from './wire.ts';

interface MessagesBody {
  model: string;
  max_tokens: number;
  system?: string | { text: string }[];
  messages: { role: string; content: string | { text: string }[] }[];
  output_config?: { format?: { type: string; schema: unknown } };
  tools?: { name: string; input_schema: unknown }[];
  stream?: boolean;
}

const textOf = (content: string | { text: string }[] | undefined) =>
  typeof content === 'string' ? content : (content ?? []).map(({ text }) => text).join('');

function askedBy(body: MessagesBody): AskedModel {
  return {
    model: body.model,
    system: textOf(body.system),
    prompt: body.messages.map(({ content }) => textOf(content)).join('\n'),
    schema: body.output_config?.format?.schema ?? body.tools?.[0]?.input_schema,
    streaming: body.stream === true,
  };
}

/** Where the schema is passed as a tool, as older models require, the object is returned as the tool's input. */
function messages(body: MessagesBody, brain: Brain): Reply | Frames {
  const pieces = brain.write(askedBy(body));
  const tool = body.tools?.[0]?.name;
  const message = { id: 'msg_1', type: 'message', role: 'assistant', model: body.model, stop_sequence: null };
  const stopReason = tool ? 'tool_use' : 'end_turn';
  const usage = { input_tokens: brain.inputTokens, output_tokens: brain.outputTokens };
  if (!body.stream || !brain.streams) {
    const text = pieces.join('');
    const block = tool
      ? { type: 'tool_use', id: 'toolu_1', name: tool, input: JSON.parse(text) }
      : { type: 'text', text };
    return { body: { ...message, content: [block], stop_reason: stopReason, usage } };
  }
  const start = tool ? { type: 'tool_use', id: 'toolu_1', name: tool, input: {} } : { type: 'text', text: '' };
  const delta = (text: string) =>
    tool ? { type: 'input_json_delta', partial_json: text } : { type: 'text_delta', text };
  const frame = (type: string, data: object = {}) => eventFrame(type, { type, ...data });
  return {
    frames: [
      frame('message_start', {
        message: { ...message, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } },
      }),
      frame('content_block_start', { index: 0, content_block: start }),
      frame('ping'),
      ...pieces.map((text) => frame('content_block_delta', { index: 0, delta: delta(text) })),
      frame('content_block_stop', { index: 0 }),
      frame('message_delta', {
        delta: { stop_reason: stopReason, stop_sequence: null },
        usage: { output_tokens: brain.outputTokens },
      }),
      frame('message_stop'),
    ],
  };
}

export const anthropicWire: Wire = {
  basePath: '/v1',
  keyOf: (headers) => (headers['anthropic-version'] ? (headers['x-api-key'] as string | undefined) : undefined),
  isPublic: () => false,
  wrongKey: PUBLISHED.anthropic.wrongKey,
  noSuchPath: { status: 404, body: { type: 'error', error: { type: 'not_found_error', message: 'Not found' } } },
  answer(request, brain) {
    if (request.method === 'GET' && request.path === '/v1/models') {
      const limit = Number(request.query.get('limit') ?? 20);
      const data = brain.models.slice(0, limit).map((id) => ({ type: 'model', id, display_name: id }));
      return {
        body: { data, has_more: data.length < brain.models.length, first_id: data[0]?.id, last_id: data.at(-1)?.id },
      };
    }
    if (request.method !== 'POST' || request.path !== '/v1/messages') return undefined;
    const body = request.body as unknown as MessagesBody;
    if (!brain.knowsSchemas && (body.output_config?.format || body.tools)) {
      const message = 'output_config.format: this model does not support structured outputs.';
      return { status: 400, body: { type: 'error', error: { type: 'invalid_request_error', message } } };
    }
    return messages(body, brain);
  },
};

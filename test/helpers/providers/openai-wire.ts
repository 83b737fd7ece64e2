import { openaiError, PUBLISHED } from './errors.ts';
import {
  type AskedModel,
  type Brain,
  bearerOf,
  dataFrame,
  type Frames,
  type Reply,
  type SeenRequest,
  type Wire,
} from './wire.ts';

const NO_SUCH_PATH: Reply = {
  status: 404,
  body: openaiError('Unknown request URL', 'invalid_request_error', 'unknown_url'),
};

interface ChatBody {
  model: string;
  messages: { role: string; content: string | { text: string }[] }[];
  response_format?: { type: string; json_schema?: { schema: unknown } };
  stream?: boolean;
  stream_options?: { include_usage?: boolean };
}

function askedBy(body: ChatBody): AskedModel {
  const said = (...roles: string[]) =>
    body.messages
      .filter(({ role }) => roles.includes(role))
      .map(({ content }) => (typeof content === 'string' ? content : content.map(({ text }) => text).join('')))
      .join('\n');
  return {
    model: body.model,
    system: said('system', 'developer'),
    prompt: said('user'),
    schema: body.response_format?.json_schema?.schema,
    streaming: body.stream === true,
  };
}

/** `usageUnasked`: Mistral includes usage in the last chunk whether requested or not. */
function chat(request: SeenRequest, brain: Brain, usageUnasked = false): Reply | Frames {
  const body = request.body as unknown as ChatBody;
  const asked = askedBy(body);
  if (!brain.knowsSchemas && body.response_format) {
    const message = "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model.";
    return { status: 400, body: openaiError(message, 'invalid_request_error', null) };
  }
  if (!brain.models.includes(body.model)) return PUBLISHED.openai.noModel;
  const usage = {
    prompt_tokens: brain.inputTokens,
    completion_tokens: brain.outputTokens,
    total_tokens: brain.inputTokens + brain.outputTokens,
  };
  const pieces = brain.write(asked);
  const head = { id: 'chatcmpl-1', created: 1_767_225_600, model: body.model };
  if (!asked.streaming || !brain.streams) {
    const message = { role: 'assistant', content: pieces.join(''), refusal: null };
    const choices = [{ index: 0, message, logprobs: null, finish_reason: 'stop' }];
    return { body: { ...head, object: 'chat.completion', choices, usage } };
  }
  const chunk = (delta: object, finish: string | null, more: object = {}) =>
    dataFrame({
      ...head,
      object: 'chat.completion.chunk',
      choices: [{ index: 0, delta, finish_reason: finish }],
      ...more,
    });
  const counted = body.stream_options?.include_usage
    ? [dataFrame({ ...head, object: 'chat.completion.chunk', choices: [], usage })]
    : [];
  return {
    frames: [
      chunk({ role: 'assistant', content: '' }, null),
      ...pieces.map((content) => chunk({ content }, null)),
      chunk(usageUnasked ? { content: '' } : {}, 'stop', usageUnasked ? { usage } : {}),
      ...counted,
      'data: [DONE]\n\n',
    ],
  };
}

function embeddings({ body }: SeenRequest, brain: Brain): Reply {
  const { model, input, encoding_format } = body as { model: string; input: string[]; encoding_format?: string };
  if (!brain.models.includes(model)) return PUBLISHED.openai.noModel;
  const data = brain.embed(model, input).map((vector, index) => ({
    object: 'embedding',
    index,
    embedding: encoding_format === 'base64' ? Buffer.from(Float32Array.from(vector).buffer).toString('base64') : vector,
  }));
  // Out of order on purpose: clients must use `index`.
  return {
    body: {
      object: 'list',
      model,
      data: data.reverse(),
      usage: { prompt_tokens: brain.inputTokens, total_tokens: brain.inputTokens },
    },
  };
}

const models = ({ models }: Brain): Reply => ({
  body: { object: 'list', data: models.map((id) => ({ id, object: 'model', created: 1, owned_by: 'system' })) },
});

function answer(request: SeenRequest, brain: Brain, base: string): Reply | Frames | undefined {
  if (request.method === 'GET' && request.path === `${base}/models`) return models(brain);
  if (request.method !== 'POST') return undefined;
  if (request.path === `${base}/embeddings`) return embeddings(request, brain);
  return request.path === `${base}/chat/completions` ? chat(request, brain) : undefined;
}

export const openaiWire: Wire = {
  basePath: '/v1',
  keyOf: bearerOf,
  isPublic: () => false,
  wrongKey: PUBLISHED.openai.wrongKey,
  noSuchPath: NO_SUCH_PATH,
  answer: (request, brain) => answer(request, brain, '/v1'),
};

export const openrouterWire: Wire = {
  ...openaiWire,
  basePath: '/api/v1',
  isPublic: (path) => path === '/api/v1/models',
  wrongKey: PUBLISHED.openrouter.wrongKey,
  answer(request, brain) {
    if (request.path === '/api/v1/key')
      return { body: { data: { label: 'sk-or-v1-0e6...1c96', limit: null, usage: 0 } } };
    const answered = answer(request, brain, '/api/v1');
    // Keeps the waiting connection from looking dead.
    return answered && 'frames' in answered
      ? { frames: [': OPENROUTER PROCESSING\n\n', ...answered.frames] }
      : answered;
  },
};

export const mistralWire: Wire = {
  ...openaiWire,
  wrongKey: PUBLISHED.mistral.wrongKey,
  answer(request, brain) {
    if (request.path === '/v1/chat/completions') return chat(request, brain, true);
    const input = request.body?.input;
    if (Array.isArray(input) && input.length > 32) return PUBLISHED.mistral.invalid;
    return answer(request, brain, '/v1');
  },
};

export const voyageWire: Wire = {
  ...openaiWire,
  wrongKey: PUBLISHED.voyage.wrongKey,
  noSuchPath: { status: 404, body: { detail: 'Not Found' } },
  answer(request, brain) {
    if (request.path !== '/v1/embeddings' || request.method !== 'POST') return undefined;
    const { encoding_format, input_type } = request.body ?? {};
    if (![undefined, null, 'base64'].includes(encoding_format as undefined)) {
      return { status: 400, body: { detail: "Value 'float' provided for argument 'encoding_format' is not valid." } };
    }
    if (![undefined, null, 'query', 'document'].includes(input_type as undefined)) {
      return { status: 400, body: { detail: "Argument 'input_type' is not valid." } };
    }
    const { body, ...rest } = embeddings(request, brain);
    return { ...rest, body: { ...(body as object), usage: { total_tokens: brain.inputTokens } } };
  },
};

export const ollamaWire: Wire = {
  ...openaiWire,
  basePath: '',
  wrongKey: PUBLISHED.ollama.wrongKey,
  noSuchPath: { status: 404, headers: { 'content-type': 'text/plain' }, body: '404 page not found' },
  answer(request, brain) {
    if (request.path === '/api/tags')
      return { body: { models: brain.models.map((name) => ({ name, model: name, size: 1 })) } };
    if (request.path !== '/api/embed') return answer(request, brain, '/v1');
    const { model, input } = request.body as { model: string; input: string[] };
    if (!brain.models.includes(model)) return PUBLISHED.ollama.noModel;
    return { body: { model, embeddings: brain.embed(model, input), prompt_eval_count: brain.inputTokens } };
  },
};

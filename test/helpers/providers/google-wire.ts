import { PUBLISHED } from './errors.ts';
import { type Brain, dataFrame, type Frames, type Reply, type Wire } from './wire.ts';

interface Content {
  parts: { text: string }[];
}

interface GenerateBody {
  systemInstruction?: Content;
  contents: Content[];
  generationConfig?: { responseMimeType?: string; responseSchema?: unknown; responseJsonSchema?: unknown };
}

const textOf = ({ parts }: Content) => parts.map(({ text }) => text).join('');

function generate(model: string, body: GenerateBody, brain: Brain, streaming: boolean): Reply | Frames {
  const { generationConfig } = body;
  if (!brain.knowsSchemas && generationConfig?.responseMimeType) {
    const message = 'JSON mode is not enabled for this model: responseMimeType';
    return { status: 400, body: { error: { code: 400, message, status: 'INVALID_ARGUMENT' } } };
  }
  const pieces = brain.write({
    model,
    system: body.systemInstruction ? textOf(body.systemInstruction) : '',
    prompt: body.contents.map(textOf).join('\n'),
    schema: generationConfig?.responseSchema ?? generationConfig?.responseJsonSchema,
    streaming,
  });
  const usageMetadata = {
    promptTokenCount: brain.inputTokens,
    candidatesTokenCount: brain.outputTokens,
    totalTokenCount: brain.inputTokens + brain.outputTokens,
  };
  const candidate = (text: string, finishReason?: string) => ({
    candidates: [{ content: { parts: [{ text }], role: 'model' }, index: 0, ...(finishReason && { finishReason }) }],
    usageMetadata,
    modelVersion: model,
  });
  if (!streaming) return { body: candidate(pieces.join(''), 'STOP') };
  if (!brain.streams) return { body: [candidate(pieces.join(''), 'STOP')] };
  return {
    frames: pieces.map((text, index) => dataFrame(candidate(text, index === pieces.length - 1 ? 'STOP' : undefined))),
  };
}

function embed(model: string, contents: Content[], brain: Brain): { values: number[] }[] {
  return brain.embed(model, contents.map(textOf)).map((values) => ({ values }));
}

export const googleWire: Wire = {
  basePath: '/v1beta',
  keyOf: (headers) => headers['x-goog-api-key'] as string | undefined,
  isPublic: () => false,
  wrongKey: PUBLISHED.google.wrongKey,
  noSuchPath: { status: 404, body: { error: { code: 404, message: 'Not found', status: 'NOT_FOUND' } } },
  answer(request, brain) {
    if (request.method === 'GET' && request.path === '/v1beta/models') {
      return {
        body: { models: brain.models.map((name) => ({ name: `models/${name}`, version: '001', displayName: name })) },
      };
    }
    const [, model = '', action] = /^\/v1beta\/models\/([^:]+):(\w+)$/.exec(request.path) ?? [];
    if (request.method !== 'POST' || !brain.models.includes(model)) return undefined;
    const body = request.body as unknown;
    switch (action) {
      case 'embedContent':
        return { body: { embedding: embed(model, [(body as { content: Content }).content], brain)[0] } };
      case 'batchEmbedContents': {
        const { requests } = body as { requests: { content: Content }[] };
        return {
          body: {
            embeddings: embed(
              model,
              requests.map(({ content }) => content),
              brain,
            ),
          },
        };
      }
      case 'generateContent':
        return generate(model, body as GenerateBody, brain, false);
      case 'streamGenerateContent':
        return request.query.get('alt') === 'sse' ? generate(model, body as GenerateBody, brain, true) : undefined;
      default:
        return undefined;
    }
  },
};

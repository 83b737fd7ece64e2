import { eventFrame } from '../providers/wire.ts';
import { inPieces, type ModelAnswer, type ModelApi } from './model-api.ts';

interface ResponsesTool {
  type: string;
  name?: string;
  tools?: ResponsesTool[];
}

const frame = (type: string, data: object) => eventFrame(type, { type, ...data });

/** OpenAI's Responses API (platform.openai.com/docs/api-reference/responses-streaming), which Codex uses. */
export const responsesApi: ModelApi = {
  path: '/v1/responses',
  tools: ({ tools = [] }) =>
    (tools as ResponsesTool[]).flatMap(({ type, name = type, tools: inner }) =>
      type === 'namespace' ? (inner ?? []).map((tool) => ({ name: tool.name!, namespace: name })) : [{ name }],
    ),
  whole({ model }, answer, id) {
    const head = { id: `resp_${id}`, object: 'response', created_at: 1_767_225_600, model };
    return { ...head, status: 'completed', output: [itemOf(answer, id)], usage: USAGE };
  },
  frames({ model }, answer, id) {
    const item = itemOf(answer, id);
    const response = { id: `resp_${id}`, object: 'response', created_at: 1_767_225_600, model };
    const deltas = 'text' in answer ? inPieces(answer.text) : [];
    return [
      frame('response.created', { response: { ...response, status: 'in_progress', output: [] } }),
      frame('response.output_item.added', { output_index: 0, item: { ...item, status: 'in_progress' } }),
      ...deltas.map((delta) =>
        frame('response.output_text.delta', { item_id: item.id, output_index: 0, content_index: 0, delta }),
      ),
      frame('response.output_item.done', { output_index: 0, item }),
      frame('response.completed', { response: { ...response, status: 'completed', output: [item], usage: USAGE } }),
    ];
  },
};

const USAGE = {
  input_tokens: 1,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: 1,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 2,
};

function itemOf(answer: ModelAnswer, id: string) {
  if ('text' in answer) {
    const content = [{ type: 'output_text', text: answer.text, annotations: [] }];
    return { id: `msg_${id}`, type: 'message', role: 'assistant', status: 'completed', content };
  }
  const call = { call_id: `call_${id}`, ...answer.tool, arguments: JSON.stringify(answer.input) };
  return { id: `fc_${id}`, type: 'function_call', status: 'completed', ...call };
}

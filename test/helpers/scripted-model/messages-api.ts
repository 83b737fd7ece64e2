import { eventFrame } from '../providers/wire.ts';
import { inPieces, type ModelApi } from './model-api.ts';

const frame = (type: string, data: object = {}) => eventFrame(type, { type, ...data });

/** Anthropic's Messages API (docs.anthropic.com/en/api/messages-streaming), which Claude Code uses. */
export const messagesApi: ModelApi = {
  path: '/v1/messages',
  tools: ({ tools = [] }) => (tools as { name: string }[]).map(({ name }) => ({ name })),
  whole({ model }, answer, id) {
    const isText = 'text' in answer;
    const block = isText
      ? { type: 'text', text: answer.text }
      : { type: 'tool_use', id: `toolu_${id}`, name: answer.tool.name, input: answer.input };
    const head = { id: `msg_${id}`, type: 'message', role: 'assistant', model, stop_sequence: null };
    const usage = { input_tokens: 1, output_tokens: 1 };
    return { ...head, content: [block], stop_reason: isText ? 'end_turn' : 'tool_use', usage };
  },
  frames({ model }, answer, id) {
    const isText = 'text' in answer;
    const block = isText
      ? { type: 'text', text: '' }
      : { type: 'tool_use', id: `toolu_${id}`, name: answer.tool.name, input: {} };
    const deltas = isText
      ? inPieces(answer.text).map((text) => ({ type: 'text_delta', text }))
      : inPieces(JSON.stringify(answer.input)).map((partial_json) => ({ type: 'input_json_delta', partial_json }));
    const message = { id: `msg_${id}`, type: 'message', role: 'assistant', model, content: [], stop_sequence: null };
    return [
      frame('message_start', {
        message: { ...message, stop_reason: null, usage: { input_tokens: 1, output_tokens: 1 } },
      }),
      frame('content_block_start', { index: 0, content_block: block }),
      ...deltas.map((delta) => frame('content_block_delta', { index: 0, delta })),
      frame('content_block_stop', { index: 0 }),
      frame('message_delta', {
        delta: { stop_reason: isText ? 'end_turn' : 'tool_use', stop_sequence: null },
        usage: { output_tokens: 1 },
      }),
      frame('message_stop'),
    ];
  },
};

import { dataFrame } from '../providers/wire.ts';
import { inPieces, type ModelApi } from './model-api.ts';

/** OpenAI's Chat Completions API (platform.openai.com/docs/api-reference/chat-streaming), which opencode uses. */
export const chatApi: ModelApi = {
  path: '/v1/chat/completions',
  tools: ({ tools = [] }) => (tools as { function: { name: string } }[]).map(({ function: { name } }) => ({ name })),
  whole({ model }, answer, id) {
    const isText = 'text' in answer;
    const call = isText ? undefined : { name: answer.tool.name, arguments: JSON.stringify(answer.input) };
    const message = {
      role: 'assistant',
      content: isText ? answer.text : null,
      ...(call && { tool_calls: [{ id: `call_${id}`, type: 'function', function: call }] }),
    };
    const choices = [{ index: 0, message, finish_reason: isText ? 'stop' : 'tool_calls' }];
    const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
    return { id: `chatcmpl-${id}`, object: 'chat.completion', created: 1_767_225_600, model, choices, usage };
  },
  frames({ model }, answer, id) {
    const head = { id: `chatcmpl-${id}`, object: 'chat.completion.chunk', created: 1_767_225_600, model };
    const chunk = (delta: object, finish: string | null = null) =>
      dataFrame({ ...head, choices: [{ index: 0, delta, finish_reason: finish }] });
    const call = (more: object) => chunk({ tool_calls: [{ index: 0, ...more }] });
    const deltas =
      'text' in answer
        ? inPieces(answer.text).map((content) => chunk({ content }))
        : [
            call({ id: `call_${id}`, type: 'function', function: { name: answer.tool.name, arguments: '' } }),
            ...inPieces(JSON.stringify(answer.input)).map((text) => call({ function: { arguments: text } })),
          ];
    const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
    return [
      chunk({ role: 'assistant', content: '' }),
      ...deltas,
      chunk({}, 'text' in answer ? 'stop' : 'tool_calls'),
      dataFrame({ ...head, choices: [], usage }),
      'data: [DONE]\n\n',
    ];
  },
};

import { dataFrame } from '../providers/wire.ts';
import { inPieces, type ModelApi } from './model-api.ts';

interface GeminiTools {
  functionDeclarations?: { name: string }[];
}

/** Google's Gemini API (ai.google.dev/api/generate-content), for a model named `scripted`. */
export const geminiApi: ModelApi = {
  path: '/v1beta/models/scripted:streamGenerateContent',
  tools: ({ tools = [] }) =>
    (tools as GeminiTools[]).flatMap(({ functionDeclarations = [] }) =>
      functionDeclarations.map(({ name }) => ({ name })),
    ),
  frames(_, answer) {
    const parts =
      'text' in answer
        ? inPieces(answer.text).map((text) => ({ text }))
        : [{ functionCall: { name: answer.tool.name, args: answer.input } }];
    const usageMetadata = { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 };
    return parts.map((part, index) => {
      const finish = index === parts.length - 1 && { finishReason: 'STOP' };
      return dataFrame({
        candidates: [{ index: 0, content: { role: 'model', parts: [part] }, ...finish }],
        usageMetadata,
      });
    });
  },
};

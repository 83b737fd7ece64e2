import { jsonSchema, type ToolExecutionOptions } from 'ai';
import { type MemoryTool, type MemoryToolsOptions, modelTools } from './memory-tools.ts';

export type { MemoryToolsOptions } from './memory-tools.ts';

/** Returns tools with which a model of the AI SDK searches, adds, updates and deletes the memories of one user. */
export function memoryTools(options: MemoryToolsOptions) {
  const tools = modelTools(options);
  return {
    memorySearch: aiTool(tools.search),
    memoryAdd: aiTool(tools.add),
    memoryUpdate: aiTool(tools.update),
    memoryDelete: aiTool(tools.delete),
  };
}

function aiTool<Input, Output>({ description, inputSchema, execute }: MemoryTool<Input, Output>) {
  return {
    description,
    inputSchema: jsonSchema<Input>(inputSchema),
    execute: (input: Input, { abortSignal }: ToolExecutionOptions) => execute(input, abortSignal),
  };
}

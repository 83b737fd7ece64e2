import type { TidyWork } from '../../contract/tidy.ts';
import { createHttpTransport, endpointIn } from '../bridge/http-transport.ts';
import { parseMessage } from '../bridge/message.ts';
import { TOOL_SETS } from '../bridge/tool-sets.ts';
import type { Session } from '../command-context.ts';
import { EXIT } from '../exit.ts';
import { CommandFailure } from '../failure.ts';
import { objectIn, textIn } from './tidy-program.ts';

/** Whose memories to tidy. */
export interface TidyScope {
  user?: string;
  project?: string;
}

/** What the daemon offers to those that tidy. */
export interface TidyDaemon {
  /** The prompt that leads a model through the work. */
  prompt(scope: TidyScope): Promise<string>;
  /** Whether any memories may be about the same. */
  hasWork(scope: TidyScope): Promise<boolean>;
}

const LARGEST_PORTION = 50;

/** Opens the MCP endpoint that offers the tools to tidy memories. Calls throw `CommandFailure` if it offers none. */
export function openTidyDaemon({ url, apiKey, space }: Session, signal: AbortSignal): TidyDaemon {
  const transport = createHttpTransport(endpointIn(space?.key, `${TOOL_SETS.tidy.path}&structured=true`));

  async function ask(method: string, params: object): Promise<Record<string, unknown>> {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const answer = await transport({ url, apiKey, headers: {}, body, isToolCall: false, signal });
    for await (const text of answer.messages()) {
      const message = parseMessage(text);
      if (message?.result) return message.result;
      const why = message?.error?.message ?? textIn(message, 'detail');
      throw new CommandFailure(EXIT.failed, `The daemon does not offer to tidy memories: ${why}`);
    }
    throw new CommandFailure(EXIT.failed, `The daemon did not answer (HTTP ${answer.status}).`);
  }

  return {
    async prompt(scope) {
      const { messages } = await ask('prompts/get', { name: 'tidy', arguments: scope });
      return textIn(objectIn(Array.isArray(messages) ? messages[0] : undefined, 'content'), 'text');
    },
    async hasWork(scope) {
      let cursor: string | undefined;
      do {
        const page = { ...scope, limit: LARGEST_PORTION, ...(cursor !== undefined && { cursor }) };
        const { isError, structuredContent } = await ask('tools/call', { name: 'suggestions_list', arguments: page });
        if (isError === true) return true;
        const { data, nextCursor } = structuredContent as unknown as TidyWork;
        if (data.length > 0) return true;
        cursor = nextCursor ?? undefined;
      } while (cursor !== undefined);
      return false;
    },
  };
}

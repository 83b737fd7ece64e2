import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { ProposedSuggestions, TidyWork } from '../../../src/contract/tidy.ts';

/** An assistant that was connected with the tools to tidy memories. */
export interface TidyClient {
  client: Client;
  /** A portion as text, and as what structured clients get. */
  list(args?: Record<string, unknown>): Promise<{ text: string; work: TidyWork; isError: boolean }>;
  propose(
    suggestions: readonly unknown[],
  ): Promise<{ text: string; data: ProposedSuggestions['data']; isError: boolean }>;
}

/** Connects with a credential, as `query` asks. */
export async function connectTidy(
  { baseUrl }: { baseUrl: string },
  token: string,
  query = 'tools=tidy&structured=true',
): Promise<TidyClient> {
  const client = new Client({ name: 'tidier', version: '1' });
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${baseUrl}/v1/mcp?${query}`), { requestInit }));
  const call = async (name: string, args: Record<string, unknown>) => {
    const { content, isError, structuredContent } = await client.callTool({ name, arguments: args });
    const text = content[0]?.type === 'text' ? content[0].text : '';
    return { text, isError: isError === true, structuredContent };
  };
  return {
    client,
    async list(args = {}) {
      const { structuredContent, ...answer } = await call('suggestions_list', args);
      return { ...answer, work: structuredContent as unknown as TidyWork };
    },
    async propose(suggestions) {
      const { structuredContent, ...answer } = await call('suggestions_propose', { suggestions });
      return { ...answer, data: (structuredContent as { data?: ProposedSuggestions['data'] } | undefined)?.data ?? [] };
    },
  };
}

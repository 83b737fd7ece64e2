/** What the model does in one request: it says something or calls an offered tool. */
export type ModelAnswer = { text: string } | { tool: OfferedTool; input: object };

/** A tool that a request offers. Codex groups the tools of an MCP server in a namespace. */
export interface OfferedTool {
  name: string;
  namespace?: string;
}

/** The wire format of a model's API, as far as streaming assistants use it. */
export interface ModelApi {
  path: string;
  tools(body: ModelBody): OfferedTool[];
  /** The answer to the request with this body as server-sent events. `id` is unique. */
  frames(body: ModelBody, answer: ModelAnswer, id: string): string[];
  /** The answer to a request that does not stream. */
  whole?(body: ModelBody, answer: ModelAnswer, id: string): object;
}

export type ModelBody = Record<string, unknown> & {
  model: string;
  tools?: unknown[];
  stream?: boolean;
  /** A thread of the Messages API: the server has the tools of the earlier request. */
  thread?: { type: 'create' } | { type: 'continue'; previous_message_id: string };
};

/** Splits a text into small pieces, as a model streams it. */
export function inPieces(text: string): string[] {
  return text.match(/[\s\S]{1,7}/g) ?? [''];
}

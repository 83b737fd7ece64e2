import { ASKED_RELATED } from '../contract/related.ts';
import type { Client } from './client.ts';

export interface MemoryToolsOptions {
  client: Client;
  /** The person whose memories the model may read and change, `default` unless given. */
  user?: string;
}

/** A tool for a model: a description, a JSON Schema of its input, and what a call does. */
export interface MemoryTool<Input, Output> {
  description: string;
  inputSchema: ClosedSchema;
  execute(input: Input, signal?: AbortSignal): Promise<Output>;
}

interface ClosedSchema {
  type: 'object';
  additionalProperties: false;
  properties: Record<string, Property>;
  required: string[];
}

interface Property {
  type: 'string' | 'integer' | 'array';
  description?: string;
  minimum?: number;
  maximum?: number;
  items?: { type: 'string' };
  maxItems?: number;
}

const ID: Property = { type: 'string', description: 'From a search' };
const closed = { type: 'object', additionalProperties: false } as const;

/** Returns the tools with which a model searches, adds, updates and deletes the memories of one user. */
export function modelTools({ client, user = 'default' }: MemoryToolsOptions) {
  return { search: searchTool(client, user), add: addTool(client, user), ...changingTools(client, user) };
}

function searchTool(client: Client, user: string) {
  return tool({
    description: 'Search what is remembered about the user: facts, preferences, earlier conversations.',
    inputSchema: {
      ...closed,
      properties: {
        query: { type: 'string', description: 'What to look for, in plain words' },
        wordings: {
          ...{ type: 'array', items: { type: 'string' }, maxItems: 10 },
          description: 'Three or more short texts as the user may have told it, each in words that the query lacks',
        },
        limit: { type: 'integer', minimum: 1, maximum: 100, description: '10 unless given' },
      },
      required: ['query'],
    },
    async execute({ query, wordings, limit }: { query: string; wordings?: string[]; limit?: number }, signal) {
      const request = { query, user, ...(wordings && { wordings }), ...(limit !== undefined && { limit }) };
      const { results } = await client.search(request, signal ? { signal } : {});
      return results.map(({ type, id, content, createdAt }) => ({ type, id, content, createdAt }));
    },
  });
}

function addTool(client: Client, user: string) {
  return tool({
    description:
      'Remember a fact about the user for later conversations. One self-contained sentence. Answers with what was stored about the same; if the new fact makes one of these out of date, call it again with the same content and its id in supersedes.',
    inputSchema: {
      ...closed,
      properties: {
        content: { type: 'string' },
        tags: {
          ...{ type: 'array', items: { type: 'string' } },
          description: '3 to 5 labels of a word or two that the fact lacks and the user may ask with',
        },
        supersedes: { type: 'string', description: 'Id of what this fact replaces' },
      },
      required: ['content'],
    },
    async execute({ content, tags = [], supersedes }: { content: string; tags?: string[]; supersedes?: string }) {
      const memory = { content, tags, user, related: ASKED_RELATED, ...(supersedes && { supersedes }) };
      const { id, duplicate = false, related = [] } = await client.memories.create(memory);
      const before = duplicate ? [] : related.map(({ id, content, createdAt }) => ({ id, content, createdAt }));
      return { id, duplicate, storedBefore: before };
    },
  });
}

function changingTools(client: Client, user: string) {
  /** Ids come from the model, so another user's must be as unknown as one that does not exist. */
  const own = async (id: string) => {
    const { data, response } = await client.memories.get(id).withResponse();
    if (data.user !== user) throw new Error('There is no memory with this id.');
    return { ifMatch: response.etag };
  };
  return {
    update: tool({
      description: 'Correct a memory that is wrong or out of date.',
      inputSchema: { ...closed, properties: { id: ID, content: { type: 'string' } }, required: ['id', 'content'] },
      async execute({ id, content }: { id: string; content: string }) {
        const { version } = await client.memories.update(id, { content }, await own(id));
        return { id, version };
      },
    }),
    delete: tool({
      description: 'Erase a memory for good. Only if the user asks for it.',
      inputSchema: { ...closed, properties: { id: ID }, required: ['id'] },
      async execute({ id }: { id: string }) {
        await client.memories.delete(id, await own(id));
        return { id, deleted: true };
      },
    }),
  };
}

const tool = <Input, Output>(definition: MemoryTool<Input, Output>) => definition;

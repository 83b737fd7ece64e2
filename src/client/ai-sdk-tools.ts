import { jsonSchema, tool } from 'ai';
import type { Client } from './client.ts';

export interface MemoryToolsOptions {
  client: Client;
  /** The person whose memories the model may read and change, `default` unless given. */
  user?: string;
}

const ID = { type: 'string', description: 'From memorySearch' } as const;
const closed = { type: 'object', additionalProperties: false } as const;

/** Returns tools with which a model of the AI SDK searches, adds, updates and deletes the memories of one user. */
export function memoryTools({ client, user = 'default' }: MemoryToolsOptions) {
  return { ...searchAndAdd(client, user), ...updateAndDelete(client, user) };
}

function searchAndAdd(client: Client, user: string) {
  return {
    memorySearch: tool({
      description: 'Search what is remembered about the user: facts, preferences, earlier conversations.',
      inputSchema: jsonSchema<{ query: string; limit?: number }>({
        ...closed,
        properties: {
          query: { type: 'string', description: 'What to look for, in plain words' },
          limit: { type: 'integer', minimum: 1, maximum: 100, description: '10 unless given' },
        },
        required: ['query'],
      }),
      async execute({ query, limit }, { abortSignal }) {
        const request = { query, user, ...(limit !== undefined && { limit }) };
        const { results } = await client.search(request, abortSignal ? { signal: abortSignal } : {});
        return results.map(({ type, id, content, createdAt }) => ({ type, id, content, createdAt }));
      },
    }),
    memoryAdd: tool({
      description: 'Remember a fact about the user for later conversations. One self-contained sentence.',
      inputSchema: jsonSchema<{ content: string; tags?: string[] }>({
        ...closed,
        properties: { content: { type: 'string' }, tags: { type: 'array', items: { type: 'string' } } },
        required: ['content'],
      }),
      async execute({ content, tags = [] }) {
        const { id, duplicate = false } = await client.memories.create({ content, tags, user });
        return { id, duplicate };
      },
    }),
  };
}

function updateAndDelete(client: Client, user: string) {
  /** Ids come from the model, so another user's must be as unknown as one that does not exist. */
  const own = async (id: string) => {
    const { data, response } = await client.memories.get(id).withResponse();
    if (data.user !== user) throw new Error('There is no memory with this id.');
    return { ifMatch: response.etag };
  };
  return {
    memoryUpdate: tool({
      description: 'Correct a memory that is wrong or out of date.',
      inputSchema: jsonSchema<{ id: string; content: string }>({
        ...closed,
        properties: { id: ID, content: { type: 'string' } },
        required: ['id', 'content'],
      }),
      async execute({ id, content }) {
        const { version } = await client.memories.update(id, { content }, await own(id));
        return { id, version };
      },
    }),
    memoryDelete: tool({
      description: 'Erase a memory for good. Only if the user asks for it.',
      inputSchema: jsonSchema<{ id: string }>({ ...closed, properties: { id: ID }, required: ['id'] }),
      async execute({ id }) {
        await client.memories.delete(id, await own(id));
        return { id, deleted: true };
      },
    }),
  };
}

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { serveHashedWords } from './hashing-embedder.ts';
import { startMem0 } from './mem0.ts';
import { type Contestant, idsIn, startStdioServer } from './system.ts';

interface Entities {
  entities: { name: string }[];
}

const namesIn = (text: string) => (JSON.parse(text) as Entities).entities.map(({ name }) => name);
const entityOf = (key: string, text: string) => ({ name: key, entityType: 'turn', observations: [text] });

const MEMORY_KEEPER: Contestant = {
  name: 'mcp-memory-keeper',
  packages: { 'mcp-memory-keeper': '0.14.1' },
  async start(folder, packagesDir) {
    const program = join(packagesDir, 'node_modules/mcp-memory-keeper/dist/index.js');
    const server = await startStdioServer([program], folder, { DATA_DIR: folder });
    return {
      pids: [server.pid],
      async add(key, value) {
        await server.call('context_save', { key, value });
        return key;
      },
      async search(query, topK) {
        const text = await server.call('context_semantic_search', { query, topK });
        return [...text.matchAll(/^ {3}Key: (\S+)$/gm)].map(([, key]) => key!);
      },
      stop: server.stop,
      storedIds: () => idsIn(join(folder, 'context.db'), 'SELECT "key" AS id FROM context_items'),
    };
  },
};

const MEMORY_LIBSQL: Contestant = {
  name: 'mcp-memory-libsql',
  packages: { 'mcp-memory-libsql': '0.0.17' },
  async start(folder, packagesDir) {
    const program = join(packagesDir, 'node_modules/mcp-memory-libsql/dist/index.js');
    const file = join(folder, 'memory.db');
    const server = await startStdioServer([program], folder, { LIBSQL_URL: `file:${file}` });
    return {
      pids: [server.pid],
      async add(key, text) {
        await server.call('create_entities', { entities: [entityOf(key, text)] });
        return key;
      },
      search: async (query, limit) => namesIn(await server.call('search_nodes', { query, limit })),
      stop: server.stop,
      storedIds: () => idsIn(file, 'SELECT DISTINCT entity_name AS id FROM observations'),
    };
  },
};

const SERVER_MEMORY: Contestant = {
  name: 'server-memory',
  packages: { '@modelcontextprotocol/server-memory': '2026.8.31' },
  async start(folder, packagesDir) {
    const program = join(packagesDir, 'node_modules/@modelcontextprotocol/server-memory/dist/index.js');
    const file = join(folder, 'memory.jsonl');
    const server = await startStdioServer([program], folder, { MEMORY_FILE_PATH: file });
    return {
      pids: [server.pid],
      async add(key, text) {
        await server.call('create_entities', { entities: [entityOf(key, text)] });
        return key;
      },
      // It returns all matches, in the order in which they were stored.
      search: async (query, limit) => namesIn(await server.call('search_nodes', { query })).slice(0, limit),
      stop: server.stop,
      async storedIds() {
        const lines = (await readFile(file, 'utf8')).split('\n').filter((line) => line !== '');
        return lines.map((line) => (JSON.parse(line) as { name: string }).name);
      },
    };
  },
};

const MEM0: Contestant = {
  name: 'mem0, library',
  // The version of the driver that mem0 asks for.
  packages: { mem0ai: '3.3.1', 'better-sqlite3': '12.6.2' },
  async start(folder, packagesDir) {
    const embedder = await serveHashedWords();
    const mem0 = await startMem0({ folder, packagesDir, embedder });
    return {
      pids: [mem0.pid],
      add: (_key, text) => mem0.add(text),
      search: mem0.search,
      async stop() {
        await mem0.stop();
        await embedder.close();
      },
      storedIds: () => idsIn(join(folder, 'vectors.db'), 'SELECT id FROM vectors'),
    };
  },
};

/** The other memory servers. */
export const OTHERS: readonly Contestant[] = [MEMORY_KEEPER, MEMORY_LIBSQL, SERVER_MEMORY, MEM0];

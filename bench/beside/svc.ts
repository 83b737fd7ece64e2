import { join } from 'node:path';
import { createClient } from '../../src/client/client.ts';
import { signInByMail } from '../api-session.ts';
import { ROOT, type ServerProcess, startDaemon } from '../processes.ts';
import { type Contestant, idsIn, startStdioServer } from './system.ts';

/** The id that opens a memory in the text of a tool. */
const ID = /^(?:\d+\. score [\d.]+ (?:older than \S+ )?)?\[([^\]\s]+)\] \(/gm;

/** svc by REST, with its client library. */
export const SVC_BY_REST: Contestant = {
  name: 'svc, REST',
  packages: {},
  async start(folder) {
    const { daemon, apiKey } = await startSignedIn(folder);
    const client = createClient({ baseUrl: daemon.url, apiKey });
    return {
      pids: [daemon.pid],
      add: async (_key, content) => (await client.memories.create({ content })).id,
      search: async (query, limit) => (await client.search({ query, limit })).results.map(({ id }) => id),
      stop: () => daemon.stop(),
      storedIds: () => storedMemories(folder),
    };
  },
};

/** svc as an assistant uses it: MCP through `svc mcp`. */
export const SVC_BY_BRIDGE: Contestant = {
  name: 'svc, MCP bridge',
  packages: {},
  async start(folder) {
    const { daemon, apiKey } = await startSignedIn(folder);
    const settings = { SVC_URL: daemon.url, SVC_API_KEY: apiKey, SVC_CONFIG_DIR: join(folder, 'settings') };
    const bridge = await startStdioServer([join(ROOT, 'bin/svc'), 'mcp'], folder, settings);
    return {
      pids: [daemon.pid, bridge.pid],
      async add(_key, content) {
        const [id] = idsOf(await bridge.call('memory_add', { content }));
        if (id === undefined) throw new Error('memory_add returned no id');
        return id;
      },
      search: async (query, limit) => idsOf(await bridge.call('memory_search', { query, limit })),
      async stop() {
        await bridge.stop();
        await daemon.stop();
      },
      storedIds: () => storedMemories(folder),
    };
  },
};

async function startSignedIn(folder: string): Promise<{ daemon: ServerProcess; apiKey: string }> {
  const daemon = await startDaemon({ dataDir: folder, settings: { SVC_DEFAULT_TIER: 'Enterprise' } });
  return { daemon, apiKey: await signInByMail(daemon.url, join(folder, 'mail'), 'beside@example.com') };
}

function idsOf(text: string): string[] {
  return [...text.matchAll(ID)].map(([, id]) => id!);
}

function storedMemories(folder: string): Promise<string[]> {
  return idsIn(join(folder, 'svc.db'), 'SELECT id FROM memories');
}

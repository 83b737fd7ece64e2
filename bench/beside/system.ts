import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { openPlainConnection } from '../../src/db/connection.ts';

/** A memory server that runs on an empty store. */
export interface System {
  /** Its processes. */
  pids: readonly number[];
  /** Stores a text, under the key if the system wants one. Returns the id of the row; throws if it was refused. */
  add(key: string, text: string): Promise<string>;
  /** Returns the ids of the best results, best first. */
  search(query: string, limit: number): Promise<string[]>;
  stop(): Promise<void>;
  /** Reads the ids of the rows from the system's own store on disk, once it is stopped. */
  storedIds(): Promise<string[]>;
}

/** A system to compare: what it is called, and how it is started in an empty folder. */
export interface Contestant {
  name: string;
  /** npm packages that it needs, with exact versions, the one under test first; none for svc itself. */
  packages: Readonly<Record<string, string>>;
  /** `packagesDir` has the packages in its `node_modules`. */
  start(folder: string, packagesDir: string): Promise<System>;
}

/** The tools of a server that speaks MCP over standard input and output. */
export interface StdioServer {
  pid: number;
  /** Calls a tool and returns its text. Throws with the text if it is an error. */
  call(name: string, input: Record<string, unknown>): Promise<string>;
  /** Closes its input, and kills the process if it does not exit. */
  stop(): Promise<void>;
}

/** Starts a Node program in `folder`, which is its home too, so that it reads no settings of the caller. */
export async function startStdioServer(
  nodeArguments: string[],
  folder: string,
  env: Record<string, string>,
): Promise<StdioServer> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: nodeArguments,
    cwd: folder,
    env: { PATH: process.env.PATH ?? '', HOME: folder, ...env },
    stderr: 'ignore',
  });
  const client = new Client({ name: 'svc-bench', version: '1' });
  await client.connect(transport);
  return {
    pid: transport.pid!,
    async call(name, input) {
      const { content, isError } = await client.callTool({ name, arguments: input });
      const text = content.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
      if (isError) throw new Error(`${name}: ${text}`);
      return text;
    },
    stop: () => client.close(),
  };
}

/** Reads the column `id` of a query on a SQLite file. */
export async function idsIn(file: string, query: string): Promise<string[]> {
  const connection = await openPlainConnection(file);
  try {
    return (await connection.all<{ id: string }>(query)).map(({ id }) => id);
  } finally {
    await connection.close();
  }
}

import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Embedder } from '../embedding-server.ts';
import { DIMENSIONS } from './hashing-embedder.ts';

const PROGRAM = fileURLToPath(new URL('./mem0-process.mjs', import.meta.url));

/** mem0's library in a separate process. */
export interface Mem0 {
  pid: number;
  add(text: string): Promise<string>;
  search(query: string, limit: number): Promise<string[]>;
  stop(): Promise<void>;
}

/** What the process is asked, and its answer: ids, or why it has none. */
interface Answer {
  sequence: number;
  ids?: string[];
  error?: string;
}

/** Starts mem0 with its own SQLite store in `folder`, without a language model. */
export async function startMem0(options: { folder: string; packagesDir: string; embedder: Embedder }): Promise<Mem0> {
  const { folder, packagesDir, embedder } = options;
  const child = fork(PROGRAM, [packagesDir, folder, embedder.url, String(DIMENSIONS)], {
    cwd: folder,
    execArgv: [],
    env: { PATH: process.env.PATH, HOME: folder, MEM0_TELEMETRY: 'false' },
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  const waiting = new Map<number, { resolve(ids: string[]): void; reject(error: Error): void }>();
  let sequence = 0;
  child.on('message', (answer: Answer) => {
    const asked = waiting.get(answer.sequence);
    waiting.delete(answer.sequence);
    if (answer.ids !== undefined) asked?.resolve(answer.ids);
    else asked?.reject(new Error(answer.error));
  });
  const gone = new Promise<void>((resolve) => {
    child.once('exit', (code) => {
      for (const { reject } of waiting.values()) reject(new Error(`mem0 exited with ${code}`));
      resolve();
    });
  });
  function ask(call: { add: string } | { search: string; limit: number }): Promise<string[]> {
    sequence += 1;
    child.send({ ...call, sequence });
    return new Promise((resolve, reject) => waiting.set(sequence, { resolve, reject }));
  }
  return {
    pid: child.pid!,
    async add(text) {
      const [id] = await ask({ add: text });
      return id!;
    },
    search: (query, limit) => ask({ search: query, limit }),
    async stop() {
      child.disconnect();
      await gone;
    },
  };
}

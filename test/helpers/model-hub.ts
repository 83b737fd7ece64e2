import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TinyModel, writeTinyModel } from './onnx-model.ts';

export type TestHub = Awaited<ReturnType<typeof startModelHub>>;

interface Asked {
  path: string;
  host: string;
  range: string | undefined;
}

export const REVISION = 'c0ffee'.padEnd(40, '0');
export const MODEL_FILE = 'onnx/model_quantized.onnx';

/** The files of a real, tiny model, as a repository at the hub has them. */
export async function tinyModelFiles(options: TinyModel = {}): Promise<Map<string, Buffer>> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-repository-'));
  await writeTinyModel(folder, { file: MODEL_FILE, dimensions: 384, ...options });
  const paths = ['config.json', 'tokenizer_config.json', 'tokenizer.json', MODEL_FILE];
  const files = await Promise.all(paths.map(async (path) => [path, await readFile(join(folder, path))] as const));
  await rm(folder, { recursive: true });
  return new Map(files);
}

/**
 * Starts a server with the layout of Hugging Face's hub, and a second one for large files, to which it redirects. Every
 * repository has the same files.
 */
export async function startModelHub(files: Map<string, Buffer>) {
  const asked: Asked[] = [];
  const state = {
    revision: REVISION,
    /** The next answers with a large file end after so many bytes. */
    cutAfter: [] as number[],
    /** Sends the whole file whatever range is asked for. */
    ignoresRanges: false,
    /** Sent instead of large files. */
    content: undefined as Buffer | undefined,
    /** The answer to every request. */
    status: undefined as number | undefined,
    /** Stated of every file instead of what is true. */
    stated: {} as { size?: unknown; oid?: unknown; lfs?: unknown },
    /** Where large files are; the second server if absent. */
    redirect: undefined as string | undefined,
  };

  function describe(path: string, content: Buffer) {
    const size = content.length;
    const gitOid = createHash('sha1').update(`blob ${size}\0`).update(content).digest('hex');
    if (!path.endsWith('.onnx')) return { type: 'file', path, size, oid: gitOid };
    const oid = createHash('sha256').update(content).digest('hex');
    return { type: 'file', path, size, oid: gitOid, lfs: { oid, size, pointerSize: 134 } };
  }

  function answerHub({ url = '' }: IncomingMessage, response: ServerResponse): void {
    const [, api] = /^\/api\/models\/[\w-]+\/[\w.-]+\/(revision|tree)\//.exec(url) ?? [];
    if (state.status !== undefined) return void response.writeHead(state.status).end('{}');
    if (api === 'revision') return void response.end(JSON.stringify({ sha: state.revision }));
    if (api === 'tree') {
      const folder = { type: 'directory', path: 'onnx', size: 0, oid: '0' };
      return void response.end(
        JSON.stringify([folder, ...[...files].map((file) => ({ ...describe(...file), ...state.stated }))]),
      );
    }
    const [, revision, path = ''] = /^\/[\w-]+\/[\w.-]+\/resolve\/(\w+)\/(.+)$/.exec(url) ?? [];
    const content = files.get(path);
    if (revision !== state.revision || content === undefined)
      return void response.writeHead(404).end('Entry not found');
    if (!path.endsWith('.onnx')) return void response.end(content);
    response.writeHead(302, { location: state.redirect ?? `${storage.url}/${path}` }).end();
  }

  function answerStorage({ url = '', headers }: IncomingMessage, response: ServerResponse): void {
    const content = state.content ?? files.get(url.slice(1))!;
    const [, from] = /^bytes=(\d+)-$/.exec(headers.range ?? '') ?? [];
    const offset = state.ignoresRanges || from === undefined ? 0 : Number(from);
    const range = { 'content-range': `bytes ${offset}-${content.length - 1}/${content.length}` };
    const length = { 'content-length': content.length - offset };
    response.writeHead(offset > 0 ? 206 : 200, { ...length, ...(offset > 0 && range) });
    const cut = state.cutAfter.shift();
    if (cut === undefined) return void response.end(content.subarray(offset));
    response.flushHeaders();
    response.write(content.subarray(offset, offset + cut));
    response.socket?.end();
  }

  const storage = await listen(answerStorage, asked);
  const hub = await listen(answerHub, asked);
  return {
    url: hub.url,
    storageUrl: storage.url,
    asked,
    state,
    /** The ranges asked for of a file, in order. */
    ranges: (path: string) =>
      asked.filter((one) => one.host === storage.url && one.path === `/${path}`).map(({ range }) => range),
    close: async () => {
      await Promise.all([hub.close(), storage.close()]);
    },
  };
}

async function listen(answer: (request: IncomingMessage, response: ServerResponse) => void, asked: Asked[]) {
  const server = createServer((request, response) => {
    asked.push({ path: request.url ?? '', host: url, range: request.headers.range });
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

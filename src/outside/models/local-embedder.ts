import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import { type Embedder, EmbedderFault, withEmbedderFault } from './embedder.ts';
import { type ModelFolder, ModelFolderFault } from './model-folder.ts';
import { WORKER_PROGRAM, type WorkerAnswer, type WorkerStart } from './model-worker.ts';
import { unitVector } from './vector-response.ts';

/**
 * Installs the libraries that run a model, in the tested versions. They are not dependencies of svc, because most
 * installations do not need them.
 */
export const INSTALL = 'npm install onnxruntime-web@1.30.0 @huggingface/tokenizers@0.2.0';

interface Request {
  texts: readonly string[];
  vectors: Float32Array[];
  settle(fault?: EmbedderFault): void;
}

/**
 * Runs a model in a worker thread, one text at a time. The request with the fewest texts left goes first, so that a
 * query waits for at most one text of the background work.
 */
export function createLocalEmbedder(model: ModelFolder): Embedder {
  let worker: Promise<Worker> | undefined;
  let requests: Request[] = [];
  let running: Request | undefined;

  function start(): Promise<Worker> {
    worker ??= startWorker(model, { onAnswer, onEnd }).catch((error) => {
      worker = undefined;
      throw error;
    });
    return worker;
  }

  function onEnd(): void {
    worker = undefined;
    running = undefined;
    for (const request of requests) request.settle(new EmbedderFault('unavailable', 'its worker thread ended'));
  }

  function next(thread: Worker): void {
    if (running !== undefined) return;
    running = requests.toSorted((a, b) => remaining(a) - remaining(b))[0];
    if (running) {
      thread.ref();
      thread.postMessage(running.texts[running.vectors.length]);
    } else {
      thread.unref();
    }
  }

  function onAnswer(answer: WorkerAnswer): void {
    const request = running;
    running = undefined;
    try {
      if ('failure' in answer) throw new EmbedderFault('unavailable', answer.failure, { maybeTexts: true });
      if ('vector' in answer) request?.vectors.push(withEmbedderFault(() => unitVector(answer.vector)));
      if (request && remaining(request) === 0) request.settle();
    } catch (error) {
      request?.settle(error as EmbedderFault);
    }
    worker?.then(next, () => {});
  }

  function enqueue(thread: Worker, texts: readonly string[], signal: AbortSignal | undefined): Promise<Float32Array[]> {
    return new Promise((resolve, reject) => {
      const stop = () => request.settle(new EmbedderFault('unavailable', 'the request was aborted'));
      const request: Request = {
        texts,
        vectors: [],
        settle(fault) {
          signal?.removeEventListener('abort', stop);
          requests = requests.filter((other) => other !== request);
          if (fault) reject(fault);
          else resolve(request.vectors);
        },
      };
      requests.push(request);
      signal?.addEventListener('abort', stop);
      if (signal?.aborted) stop();
      next(thread);
    });
  }

  return {
    async prepare() {
      await start();
    },
    retain: async () => {},
    async embed(_model, texts, { purpose = 'document', signal } = {}) {
      const thread = await start().catch((error) => {
        throw new EmbedderFault('settings', (error as Error).message);
      });
      const prefix = model.prefixes[purpose];
      return enqueue(thread, prefix === '' ? texts : texts.map((text) => prefix + text), signal);
    },
    async close() {
      await (await worker?.catch(() => undefined))?.terminate();
    },
  };
}

function remaining({ texts, vectors }: Request): number {
  return texts.length - vectors.length;
}

/** Starts a worker and resolves once it has loaded the model. Throws `ModelFolderFault`. */
async function startWorker(
  { name: _name, prefixes: _prefixes, ...model }: ModelFolder,
  { onAnswer, onEnd }: { onAnswer(answer: WorkerAnswer): void; onEnd(): void },
): Promise<Worker> {
  const workerData: WorkerStart = { ...model, ...pathsOfLibraries() };
  // `env: {}` keeps the settings, secrets included, out of the thread.
  const worker = new Worker(WORKER_PROGRAM, { eval: true, workerData, env: {}, name: 'embedder' });
  let isReady = false;
  return new Promise((resolve, reject) => {
    const fail = (reason: string) => {
      if (isReady) return onEnd();
      reject(new ModelFolderFault(`${model.file} cannot be loaded (${reason})`));
      void worker.terminate();
    };
    // An exit event follows.
    worker.once('error', ({ message }) => isReady || fail(message));
    worker.once('exit', (code) => fail(`its worker thread exited with ${code}`));
    worker.on('message', (answer: WorkerAnswer) => {
      if (isReady) return onAnswer(answer);
      if ('failure' in answer) return fail(answer.failure);
      isReady = true;
      worker.unref();
      resolve(worker);
    });
  });
}

/** Paths of the libraries that run a model. Throws `ModelFolderFault`, with the command that installs them. */
export function pathsOfLibraries(): { runtime: string; tokenizers: string } {
  const { resolve } = createRequire(import.meta.url);
  try {
    return { runtime: resolve('onnxruntime-web'), tokenizers: resolve('@huggingface/tokenizers') };
  } catch {
    throw new ModelFolderFault(
      `a local model requires two libraries that are not installed: ${INSTALL} (with -g if svc is installed so)`,
    );
  }
}

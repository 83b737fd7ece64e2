import { Worker } from 'node:worker_threads';
import { createFairQueue } from './fair-queue.ts';

/** Sends a request of a tenant (by its id) to a worker thread and resolves with its answer. */
export type WorkerCalls<Request, Answer> = (tenantId: string, request: Request) => Promise<Answer>;

/** Enough that the worker finds the next request when it has answered one. */
const MAX_SENT = 2;

/**
 * Calls a worker that posts one answer per message, in order. Tenants take turns. The worker starts on first use, does
 * not keep the process alive while idle, and is started anew after an error, which rejects the calls it had received.
 */
export function createWorkerCalls<Request, Answer>(start: () => Worker): WorkerCalls<Request, Answer> {
  interface Call {
    request: Request;
    resolve(answer: Answer): void;
    reject(error: unknown): void;
  }
  const waiting = createFairQueue<Call>();
  let sent: Call[] = [];
  let worker: Worker | undefined;

  function startWorker(): Worker {
    const started = start();
    started.on('message', (answer: Answer) => {
      sent.shift()?.resolve(answer);
      sendNext();
    });
    started.once('error', (error) => {
      const lost = sent;
      sent = [];
      worker = undefined;
      for (const { reject } of lost) reject(error);
      sendNext();
    });
    return started;
  }

  function sendNext(): void {
    while (sent.length < MAX_SENT) {
      const next = waiting.take();
      if (!next) break;
      worker ??= startWorker();
      sent.push(next.item);
      worker.postMessage(next.item.request);
    }
    if (sent.length > 0) worker?.ref();
    else worker?.unref();
  }

  return (tenantId, request) =>
    new Promise((resolve, reject) => {
      waiting.push(tenantId, { request, resolve, reject });
      sendNext();
    });
}

/** Starts a module as a worker thread without the environment, secrets included. One in TypeScript is compiled by tsx. */
export function startModule(url: URL, name: string): Worker {
  if (!url.pathname.endsWith('.ts')) return new Worker(url, { env: {}, name });
  const program = `import('tsx/esm/api').then(({ register }) => { register(); return import('${url}'); })`;
  return new Worker(program, { eval: true, env: {}, name });
}

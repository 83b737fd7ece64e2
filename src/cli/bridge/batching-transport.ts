import {
  BATCH_MEDIA_TYPE,
  type BatchAnswerHead,
  MAX_BATCH_BYTES,
  MAX_BATCH_MESSAGES,
} from '../../contract/mcp-batch.ts';
import type { Transport, TransportRequest, TransportResponse } from './http-transport.ts';

interface Call {
  outgoing: TransportRequest;
  resolve(answer: TransportResponse | Promise<TransportResponse>): void;
  reject(error: unknown): void;
}

/** Status with which an older daemon rejects a batch. */
const UNSUPPORTED_MEDIA_TYPE = 415;

/**
 * Sends the tool calls that arrive in one turn of the event loop as one request, because HTTP costs more than
 * anything else that the bridge does. A call alone is sent as ever, and so is everything to a daemon that does not know
 * batches.
 */
export function createBatchingTransport(single: Transport): Transport {
  let calls: Call[] = [];
  let acceptsBatches = true;

  function sendCalls(): void {
    const arrived = calls;
    calls = [];
    for (const batch of batchesOf(arrived.filter(isLive))) {
      if (batch.length > 1 && acceptsBatches) void sendBatch(batch);
      else batch.forEach(sendAlone);
    }
  }

  function sendAlone({ outgoing, resolve }: Call): void {
    resolve(single(outgoing));
  }

  /** Rejects a call that was cancelled meanwhile. */
  function isLive({ outgoing: { signal }, reject }: Call): boolean {
    if (signal.aborted) reject(signal.reason);
    return !signal.aborted;
  }

  async function sendBatch(batch: readonly Call[]): Promise<void> {
    const waiting = new Set(batch);
    const hangUp = new AbortController();
    for (const call of batch) {
      call.outgoing.signal.addEventListener('abort', () => cancel(call, waiting, hangUp), { once: true });
    }
    try {
      const body = batch.map(({ outgoing }) => outgoing.body).join('\n');
      const request = { ...batch[0]!.outgoing, body, mediaType: BATCH_MEDIA_TYPE, signal: hangUp.signal };
      const answer = await single(request);
      if (answer.status === UNSUPPORTED_MEDIA_TYPE) {
        acceptsBatches = false;
        waiting.forEach(sendAlone);
      } else if (answer.contentType === BATCH_MEDIA_TYPE) {
        for await (const [index, one] of answersIn(answer)) {
          const call = batch[index]!;
          waiting.delete(call);
          call.resolve(one);
        }
        if (waiting.size > 0) throw new Error('The answer to the batch is incomplete');
      } else await answerAll(waiting, answer);
    } catch (error) {
      for (const { reject } of waiting) reject(error);
    }
  }

  return (outgoing) => {
    if (!outgoing.isToolCall) return single(outgoing);
    return new Promise((resolve, reject) => {
      if (calls.length === 0) setImmediate(sendCalls);
      calls.push({ outgoing, resolve, reject });
    });
  };
}

/** Groups calls with the same headers, in bounded batches. */
function batchesOf(calls: readonly Call[]): Call[][] {
  const batches: Call[][] = [];
  const last = new Map<string, { batch: Call[]; bytes: number }>();
  for (const call of calls) {
    const { url, apiKey, headers, body } = call.outgoing;
    const key = JSON.stringify([url, apiKey, headers]);
    const bytes = Buffer.byteLength(body) + 1;
    let fitting = last.get(key);
    if (!fitting || fitting.batch.length === MAX_BATCH_MESSAGES || fitting.bytes + bytes > MAX_BATCH_BYTES) {
      fitting = { batch: [], bytes: 0 };
      last.set(key, fitting);
      batches.push(fitting.batch);
    }
    fitting.batch.push(call);
    fitting.bytes += bytes;
  }
  return batches;
}

/** Hangs up once nobody waits: that cancels what is left of the batch. */
function cancel(call: Call, waiting: Set<Call>, hangUp: AbortController): void {
  if (!waiting.delete(call)) return;
  call.reject(call.outgoing.signal.reason);
  if (waiting.size === 0) hangUp.abort();
}

async function* answersIn(answer: TransportResponse): AsyncGenerator<[index: number, one: TransportResponse]> {
  let head: BatchAnswerHead | undefined;
  for await (const line of answer.messages()) {
    if (head === undefined) head = JSON.parse(line) as BatchAnswerHead;
    else {
      const { index, status, retryAfterSeconds } = head;
      head = undefined;
      yield [index, { status, retryAfterSeconds, contentType: 'application/json', messages: () => textsOf([line]) }];
    }
  }
}

/** Gives every call the answer to the whole request: an invalid key, say. */
async function answerAll(calls: Iterable<Call>, answer: TransportResponse): Promise<void> {
  const texts: string[] = [];
  for await (const text of answer.messages()) texts.push(text);
  for (const { resolve } of calls) resolve({ ...answer, messages: () => textsOf(texts) });
}

async function* textsOf(texts: readonly string[]): AsyncGenerator<string> {
  yield* texts;
}

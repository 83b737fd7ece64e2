import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook as Verifier } from 'standardwebhooks';
import { expect, vi } from 'vitest';
import type { WebhookDelivery, WebhookWithSecret } from '../../../src/contract/webhooks.ts';
import type { Caller } from '../memories/memory-daemon.ts';

/** A request that a receiver got. */
export interface Received {
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
  /** The parsed body. */
  event: {
    type: string;
    timestamp: string;
    data: { id: string | null; user: string | null; author: string | null; at: string };
  };
}

export type Receiver = Awaited<ReturnType<typeof startReceiver>>;

/** Starts a receiver on a socket, which answers 204 until told otherwise. */
export async function startReceiver() {
  const requests: Received[] = [];
  let answer: (response: ServerResponse, request: Received) => void = (response) => response.writeHead(204).end();
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const received = { path: request.url ?? '', headers: request.headers, body, event: JSON.parse(body) };
    requests.push(received);
    answer(response, received);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    requests,
    port,
    url: `http://127.0.0.1:${port}/hook?of=svc`,
    answerWith(next: typeof answer): void {
      answer = next;
    },
    answerStatus(status: number, headers: Record<string, string> = {}): void {
      answer = (response) => response.writeHead(status, headers).end('no');
    },
    types: () => requests.map(({ event }) => event.type),
    /** Waits until so many requests came. */
    async until(count: number): Promise<Received[]> {
      await expect.poll(() => requests.length, { timeout: 15_000, interval: 20 }).toBeGreaterThanOrEqual(count);
      return requests;
    },
    async close(): Promise<void> {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Verifies a signature as receivers do, at the time of the daemon's clock. Throws if it is not made with this secret. */
export function verify({ body, headers }: Received, secret: string): unknown {
  vi.setSystemTime(Number(headers['webhook-timestamp']) * 1000);
  try {
    return new Verifier(secret).verify(body, headers as Record<string, string>);
  } finally {
    vi.useRealTimers();
  }
}

/** Adds a webhook and fails if it is rejected. */
export async function addWebhook(caller: Caller, url: string, more: object = {}): Promise<WebhookWithSecret> {
  const answer = await caller.call<WebhookWithSecret>('/v1/webhooks', { body: { url, ...more } });
  expect(answer.status, answer.text).toBe(201);
  return answer.body;
}

/** Lists the deliveries of a webhook, the newest first. */
export async function deliveriesOf(caller: Caller, id: string, query = ''): Promise<WebhookDelivery[]> {
  const answer = await caller.call<{ data: WebhookDelivery[] }>(`/v1/webhooks/${id}/deliveries${query}`);
  expect(answer.status, answer.text).toBe(200);
  return answer.body.data;
}

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ClientOptions } from '../../src/client/call-options.ts';
import { createClient } from '../../src/client/client.ts';

/** A status with a body, or a broken connection. */
export type ScriptedAnswer = { status: number; headers?: object; body?: object | string } | 'break';

interface ScriptedRequest {
  method: string;
  url: string;
  headers: NodeJS.Dict<string | string[]>;
  body: string;
}

/** Starts a server that gives these answers in order, the last one forever. */
export async function startScriptedServer(answers: ScriptedAnswer[]) {
  const requests: ScriptedRequest[] = [];
  const server = createServer(async (request, response) => {
    const { method = '', url = '', headers } = request;
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    requests.push({ method, url, headers, body: Buffer.concat(chunks).toString() });
    const answer = answers[Math.min(requests.length, answers.length) - 1]!;
    if (answer === 'break') return request.socket.destroy();
    const text = typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body ?? {});
    return response.writeHead(answer.status, { ...answer.headers }).end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const waits: number[] = [];
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return {
    baseUrl,
    requests,
    /** The waits between retries, in milliseconds; none takes any time. */
    waits,
    client: (more: Partial<ClientOptions> = {}) =>
      createClient({ baseUrl, apiKey: 'k', sleep: async (ms) => void waits.push(ms), ...more }),
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** The answer of a rejected request. */
export const problem = (code: string, status: number, more: object = {}) => ({
  status,
  body: {
    type: `urn:svc:problem:${code}`,
    title: 't',
    status,
    detail: `It is ${code}.`,
    code,
    requestId: 'req_1',
    ...more,
  },
});

export const limited = { ...problem('rate_limited', 429), headers: { 'retry-after': '2' } };

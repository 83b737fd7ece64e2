import { request } from 'node:http';
import type { TestDaemon } from './daemon.ts';
import { fromElsewhere } from './sign-in.ts';

/**
 * Sends the head of a POST with a key, and resolves once the daemon has read it. `finish` sends the body and returns the
 * status.
 */
export function sendHead(
  { baseUrl }: Pick<TestDaemon, 'baseUrl'>,
  apiKey: string,
  path: string,
  { method = 'POST', body = {} }: { method?: string; body?: unknown } = {},
): Promise<{ finish(): Promise<number> }> {
  const text = JSON.stringify(body);
  const headers = {
    ...{ authorization: `Bearer ${apiKey}`, 'content-type': 'application/json', ...fromElsewhere() },
    // Answered when the head is read.
    ...{ 'content-length': Buffer.byteLength(text), expect: '100-continue' },
  };
  return new Promise((resolve, reject) => {
    const sending = request(baseUrl + path, { method, headers });
    const answered = new Promise<number>((done) => {
      sending.on('response', (response) => {
        response.resume();
        done(response.statusCode!);
      });
    });
    sending.on('error', reject);
    sending.on('continue', () => {
      resolve({
        finish() {
          sending.end(text);
          return answered;
        },
      });
    });
    sending.flushHeaders();
  });
}

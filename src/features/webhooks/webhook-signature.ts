import { createHmac } from 'node:crypto';
import type { Random } from '../../lib/random.ts';

const PREFIX = 'whsec_';

/** Makes a signing secret: 192 bits, as Standard Webhooks recommends. */
export function newSecret(random: Random): string {
  return `${PREFIX}${random.bytes(24).toString('base64')}`;
}

/** The headers of a request by Standard Webhooks, with one signature per secret. */
export function signatureHeaders(
  secrets: readonly string[],
  { id, nowMs, body }: { id: string; nowMs: number; body: string },
): Record<string, string> {
  const seconds = Math.floor(nowMs / 1000);
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64')}`;
  });
  return { 'webhook-id': id, 'webhook-timestamp': String(seconds), 'webhook-signature': signatures.join(' ') };
}

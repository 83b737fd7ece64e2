import { type CommandParser, createClient, defineScript } from '@redis/client';
import { certificateFault } from '../../lib/certificate-fault.ts';
import type { BucketRule } from '../../lib/token-bucket.ts';
import type { BucketStore } from './buckets-shared.ts';

const CONNECT_TIMEOUT_MS = 2000;

/**
 * Opens buckets in the Redis at `url` (TLS by `rediss://`), on its own clock, unless `nowMs` is given. Rejects if it
 * cannot be reached; ends the connection if `signal` aborts. A lost connection is not opened again: open new buckets.
 */
export async function openRedisBuckets(url: string, signal: AbortSignal, nowMs?: () => number): Promise<BucketStore> {
  const client = createClient({
    url,
    disableOfflineQueue: true,
    disableClientInfo: true,
    maintNotifications: 'disabled',
    socket: { connectTimeout: CONNECT_TIMEOUT_MS, reconnectStrategy: false },
    scripts: { takeToken },
  });
  // Without a listener, a lost connection would end the process; commands reject anyway.
  client.on('error', () => {});
  function close(): void {
    if (client.isOpen) client.destroy();
  }

  signal.addEventListener('abort', close);
  try {
    await client.connect();
  } catch (error) {
    const fault = certificateFault(error, 'NODE_EXTRA_CA_CERTS=ca.pem');
    throw fault ? new Error(`Redis ${fault.what}. ${fault.advice} (SVC_REDIS_URL)`) : error;
  }
  return { take: (key, rule) => client.takeToken(`svc:bucket:${key}`, rule, nowMs?.()), close };
}

/**
 * The rule of `takeToken`. Lua would round numbers that become text. Full buckets expire: they are equivalent to none.
 * They do so some seconds late, so that the expiry never decides.
 */
const SCRIPT = `
  local capacity, refillPerSecond, now = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
  if not now then
    local time = redis.call('TIME')
    now = time[1] * 1000 + time[2] / 1000
  end
  local stored = redis.call('HMGET', KEYS[1], 'used', 'at')
  local used = 0
  if stored[1] then
    local refilled = math.max(0, now - stored[2]) / 1000 * refillPerSecond
    used = math.min(capacity, math.max(0, stored[1] - refilled))
  end
  local allowed = used + 1 <= capacity + 1e-9
  if allowed then used = used + 1 end
  local exactly = '%.17g'
  redis.call('HSET', KEYS[1], 'used', exactly:format(used), 'at', exactly:format(now))
  redis.call('PEXPIRE', KEYS[1], math.ceil(used / refillPerSecond * 1000) + 10000)
  return { allowed and 1 or 0, exactly:format(used) }`;

const takeToken = defineScript({
  SCRIPT,
  NUMBER_OF_KEYS: 1,
  parseCommand(parser: CommandParser, key: string, rule: BucketRule, nowMs: number | undefined) {
    parser.pushKey(key);
    parser.push(String(rule.capacity), String(rule.refillPerSecond), String(nowMs ?? ''));
  },
  transformReply: ([allowed, used]: [number, string]) => ({ allowed: allowed === 1, used: Number(used) }),
});

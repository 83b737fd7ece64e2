import { AppError } from '../../contract/errors.ts';
import type { EventData } from '../../contract/events.ts';
import { MAX_WEBHOOKS } from '../../contract/webhooks.ts';
import type { Database } from '../../db/open.ts';
import { type Clock, toTimestamp } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { chanceOf, type Random } from '../../lib/random.ts';
import type { WebhookAnswer, WebhookHttp } from '../../outside/webhook-http.ts';
import type { Envelope } from '../envelope/envelope.ts';
import { type DeliveryRow, findNextDelivery, type NamedDelivery, updateTried } from './deliveries-store.ts';
import { nextTryAt } from './webhook-retries.ts';
import { signatureHeaders } from './webhook-signature.ts';
import {
  findWebhook,
  listDueWebhooks,
  updateAhead,
  updateClaimed,
  updateReleased,
  updateWebhook,
  type WebhookKey,
  type WebhookRow,
} from './webhooks-store.ts';

/** Sends deliveries: those of a webhook in their order, on one daemon at a time. */
export interface WebhookSending {
  /** Starts sending what is due, up to the concurrency limit, without waiting for it. Call it every second. */
  follow(): Promise<void>;
  /** Sends a delivery once, in the caller's time, and returns it as tried. */
  attempt(webhook: WebhookRow, delivery: NamedDelivery): Promise<DeliveryRow>;
  /** Aborts what is being sent, without counting it as tried. */
  stop(): Promise<void>;
}

interface Parts {
  db: Database;
  clock: Clock;
  random: Random;
  log: Log;
  envelope: Envelope;
  http: Pick<WebhookHttp, 'post'>;
}

const MAX_RUNNING = 64;
/** While fewer webhooks are sent to, all of a tenant may be; the remaining slots are for tenants with none. */
const SHARED_SLOTS = 32;
/** How long a webhook stays with a daemon that gives no sign of life: longer than a request may take. */
const CLAIM_MS = 40_000;
/** A webhook with more to send gives its slot to those that wait. */
const TURN_MS = 5000;
const GONE = 410;

/** Binds a sealed secret to its webhook. */
export const secretContextOf = ({ tenantId, id }: WebhookKey) => JSON.stringify(['webhook secret', tenantId, id]);

/** Creates the sending of deliveries. Nothing is sent within a transaction. */
export function createWebhookSending({ db, clock, random, log, envelope, http }: Parts): WebhookSending {
  const stopping = new AbortController();
  const running = new Map<string, Promise<void>>();
  const runningByTenant = new Map<string, number>();
  /** When `follow` was called last, in epoch milliseconds; the clock may have been set back before the first call. */
  let followedMs = Number.POSITIVE_INFINITY;

  /** Returns the secrets to sign with that can be unsealed, the present one first. */
  async function secretsOf(webhook: WebhookRow): Promise<string[]> {
    const { tenantId, secret, formerSecret, formerUntil } = webhook;
    const isFormerValid = formerSecret !== null && clock.nowMs() < (formerUntil ?? 0);
    const reader = db.readers.of(tenantId);
    const secrets: string[] = [];
    for (const sealed of [secret, ...(isFormerValid ? [formerSecret] : [])]) {
      await envelope.open(reader, tenantId, sealed, secretContextOf(webhook)).then(
        (opened) => secrets.push(opened),
        () => {
          // The envelope has logged it.
        },
      );
    }
    return secrets;
  }

  async function post(webhook: WebhookRow, delivery: NamedDelivery): Promise<WebhookAnswer> {
    const secrets = await secretsOf(webhook);
    if (secrets.length === 0) {
      return { status: null, error: 'The secret cannot be unsealed. Make a new one with rotate-secret.' };
    }
    const { id, kind, itemId, endUser, author, at } = delivery;
    const data: EventData = { id: itemId, user: endUser, author, at: toTimestamp(at) };
    const body = JSON.stringify({ type: kind, timestamp: data.at, data });
    const headers = signatureHeaders(secrets, { id, nowMs: clock.nowMs(), body });
    return http.post(webhook.url, { headers, body, signal: stopping.signal });
  }

  async function attempt(webhook: WebhookRow, delivery: NamedDelivery): Promise<DeliveryRow> {
    const { endUser: _user, author: _author, ...row } = delivery;
    const { status, error } = await post(webhook, delivery);
    const state = error === null ? 'delivered' : 'failed';
    return { ...row, state, status, error, attempts: row.attempts + 1, triedAt: clock.nowMs() };
  }

  /** Stores the outcome of a try at an address. Returns whether to go on with the next delivery. */
  async function settle(held: WebhookRow, url: string, tried: DeliveryRow, isTurnOver: boolean): Promise<boolean> {
    const nowMs = clock.nowMs();
    return db.writes.write(held.tenantId, async (connection) => {
      const webhook = await findWebhook(connection, held);
      // It was removed, or another daemon has taken over.
      if (webhook?.fence !== held.fence) return false;
      const isSameUrl = webhook.url === url;
      const isGone = tried.status === GONE && isSameUrl;
      const hasFailed = tried.error !== null;
      const nextAt = isSameUrl ? nextTryAt(tried, nowMs, chanceOf(random)) : nowMs;
      const retryAt = hasFailed && !isGone ? nextAt : undefined;
      await updateTried(connection, retryAt === undefined ? tried : { ...tried, state: 'waiting' });
      const dueAt = retryAt ?? ((await findNextDelivery(connection, held)) === undefined ? null : nowMs);
      const goesOn = dueAt === nowMs && !isGone && !isTurnOver && webhook.active === 1;
      await updateWebhook(connection, held, {
        // What switched it off meanwhile stays its last error.
        ...(hasFailed
          ? webhook.active === 1 && { lastFailedAt: nowMs, lastError: tried.error }
          : { lastDeliveredAt: nowMs }),
        ...(isGone && { active: 0 }),
        dueAt,
        claimedUntil: goesOn ? nowMs + CLAIM_MS : 0,
      });
      return goesOn;
    });
  }

  async function send(key: WebhookKey): Promise<void> {
    const nowMs = clock.nowMs();
    const webhook = await db.writes.write(key.tenantId, (connection) =>
      updateClaimed(connection, key, { nowMs, untilMs: nowMs + CLAIM_MS }),
    );
    if (webhook === undefined) return;
    const endMs = clock.monotonicMs() + TURN_MS;
    const reader = db.readers.of(key.tenantId);
    try {
      for (;;) {
        // Its URL or secret may have changed since it was claimed.
        const [current, delivery] = [await findWebhook(reader, key), await findNextDelivery(reader, key)];
        // Or it was switched off.
        if (!current?.active || delivery === undefined) break;
        const tried = await attempt(current, delivery);
        if (!(await settle(webhook, current.url, tried, clock.monotonicMs() >= endMs))) return;
      }
      await db.writes.write(key.tenantId, async (connection) => {
        await updateReleased(connection, webhook);
        if ((await findNextDelivery(connection, key)) === undefined) {
          await updateWebhook(connection, key, { dueAt: null });
        }
      });
    } catch (error) {
      await db.writes.write(key.tenantId, (connection) => updateReleased(connection, webhook));
      if (!stopping.signal.aborted) throw error;
    }
  }

  function start(key: WebhookKey): void {
    const { tenantId, id } = key;
    const change = (by: number) => runningByTenant.set(tenantId, (runningByTenant.get(tenantId) ?? 0) + by);
    change(1);
    const run = send(key)
      .catch((error: unknown) => log.error({ error, webhookId: id }, 'could not send the deliveries of a webhook'))
      .finally(() => {
        running.delete(nameOf(key));
        change(-1);
        if (runningByTenant.get(tenantId) === 0) runningByTenant.delete(tenantId);
      });
    running.set(nameOf(key), run);
  }

  async function followClock(): Promise<void> {
    const nowMs = clock.nowMs();
    if (nowMs < followedMs) {
      // The clock of another daemon, which may be sending, differs by less.
      const at = { nowMs, latestMs: nowMs + CLAIM_MS };
      await db.writes.write('daemon', (connection) => updateAhead(connection, at));
    }
    followedMs = nowMs;
  }

  return {
    attempt,
    async follow() {
      await followClock();
      for (const key of await listDueWebhooks(db.readers, { nowMs: clock.nowMs(), limit: 10 * MAX_RUNNING })) {
        if (stopping.signal.aborted || running.size >= MAX_RUNNING) return;
        const maxOfTenant = running.size < SHARED_SLOTS ? MAX_WEBHOOKS : 1;
        if (running.has(nameOf(key)) || (runningByTenant.get(key.tenantId) ?? 0) >= maxOfTenant) continue;
        start(key);
      }
    },
    async stop() {
      stopping.abort(new AppError('unavailable', 'svc is stopping.'));
      await Promise.all(running.values());
    },
  };
}

function nameOf({ tenantId, id }: WebhookKey): string {
  return `${tenantId} ${id}`;
}

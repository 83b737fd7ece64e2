import type { BoundedListQuery } from '../../contract/common.ts';
import { AppError, changedSinceRead } from '../../contract/errors.ts';
import {
  DELIVERY_STATES,
  type DeliveryState,
  MAX_WEBHOOKS,
  type NewWebhook,
  type Webhook,
  type WebhookChange,
  type WebhookDeliveriesQuery,
  type WebhookDelivery,
  type WebhookDeliveryPage,
  type Webhooks as WebhookList,
  type WebhookWithSecret,
} from '../../contract/webhooks.ts';
import type { Connection, Reader } from '../../db/connection.ts';
import type { Database } from '../../db/open.ts';
import type { Clock } from '../../lib/clock.ts';
import { matchesState } from '../../lib/entity-tag.ts';
import type { Ids } from '../../lib/ids.ts';
import type { Log } from '../../lib/log.ts';
import type { Random } from '../../lib/random.ts';
import type { WebhookHttp } from '../../outside/webhook-http.ts';
import type { Envelope } from '../envelope/envelope.ts';
import type { Erasable } from '../erasure/erasure.ts';
import type { Events } from '../events/events.ts';
import type { Claim, Created, Idempotency } from '../idempotency/idempotency.ts';
import type { Principal } from '../keys/keys.ts';
import type { Usage } from '../limits/usage.ts';
import type { Cursors } from '../text/page-cursor.ts';
import {
  type DeliveryRow,
  deleteSomeDeliveries,
  deleteSomeStored,
  findDelivery,
  listDeliveries,
  listStored,
  type NamedDelivery,
  updateTried,
} from './deliveries-store.ts';
import { toDelivery, toWebhook, webhookStateOf } from './webhook-answers.ts';
import { createWebhookCollecting } from './webhook-collecting.ts';
import { createWebhookSending, secretContextOf } from './webhook-sending.ts';
import { newSecret } from './webhook-signature.ts';
import {
  deleteWebhooks,
  findWebhook,
  insertWebhook,
  listWebhooks,
  updateSwitchedOff,
  updateWebhook,
  type WebhookRow,
} from './webhooks-store.ts';

/** A tenant's webhooks, and the deliveries of changes to them. Other tenants' ids throw `not_found`. */
export interface Webhooks extends Erasable {
  /** Adds a webhook for the changes from now on. Throws `unprocessable` for an address that is not allowed, and for too many. */
  createOnce(principal: Principal, body: NewWebhook, claim: Claim | undefined): Promise<Created<WebhookWithSecret>>;
  list(principal: Principal, query: BoundedListQuery): Promise<WebhookList>;
  get(principal: Principal, id: string): Promise<Webhook>;
  /** Throws `precondition_failed`, and `unprocessable` for an address that is not allowed. */
  change(principal: Principal, id: string, change: WebhookChange, ifMatch?: string): Promise<Webhook>;
  remove(principal: Principal, id: string, ifMatch?: string): Promise<void>;
  /**
   * Switches off, in the caller's transaction, the webhooks of a member who is no longer owner of a space: what changes there
   * must not go on being sent to an address that only they chose.
   */
  switchOff(connection: Connection, member: { tenantId: string; author: string }): Promise<void>;
  /** Whether there are webhooks for the changes of one user alone. */
  areOf(reader: Reader, user: { tenantId: string; endUser: string }): Promise<boolean>;
  /** Makes a new secret. The former one signs, too, for a day. */
  rotateSecret(principal: Principal, id: string): Promise<WebhookWithSecret>;
  /** Sends an event of the type `test` at once. Throws `conflict` while another such request runs. */
  test(principal: Principal, id: string): Promise<WebhookDelivery>;
  deliveries(principal: Principal, id: string, query: WebhookDeliveriesQuery): Promise<WebhookDeliveryPage>;
  /** Sends a finished delivery once more, at once. Throws `conflict` for one that waits, or while another such request runs. */
  replay(principal: Principal, id: string, deliveryId: string): Promise<WebhookDelivery>;
  /** Makes deliveries of new changes. Call it every second, on one daemon. */
  collect(): Promise<void>;
  /** Starts sending what is due. Call it every second. */
  follow(): Promise<void>;
  /** Deletes deliveries of more than 30 days ago, and those that are too many. */
  deleteOld(): Promise<void>;
  stop(): Promise<void>;
}

interface Parts {
  db: Database;
  clock: Clock;
  random: Random;
  ids: Ids;
  log: Log;
  cursors: Cursors;
  usage: Usage;
  idempotency: Pick<Idempotency, 'createOrFind'>;
  envelope: Envelope;
  events: Pick<Events, 'latest' | 'readAfter'>;
  http: WebhookHttp;
}

const DAY_MS = 24 * 3_600_000;
const RETENTION_MS = 30 * DAY_MS;
/** Deliveries of a webhook by state. Fewer wait, because no more are made before. */
const MAX_STORED: Record<DeliveryState, number> = { waiting: 20_000, delivered: 1000, failed: 10_000 };
const PORTION = 500;

/** Creates the webhooks of a database. */
export function createWebhooks(parts: Parts): Webhooks {
  const { db, clock, random, ids, cursors, usage, idempotency, envelope, events, http } = parts;
  const sending = createWebhookSending(parts);
  /** Webhooks that a request sends to right now. */
  const busy = new Set<string>();

  async function load(reader: Reader, { tenantId }: Pick<Principal, 'tenantId'>, id: string): Promise<WebhookRow> {
    const row = await findWebhook(reader, { tenantId, id });
    if (!row) throw new AppError('not_found', 'There is no webhook with this id.');
    return row;
  }

  async function loadDelivery(webhook: WebhookRow, deliveryId: string): Promise<NamedDelivery> {
    const delivery = await findDelivery(db.readers.of(webhook.tenantId), webhook, deliveryId);
    if (!delivery) throw new AppError('not_found', 'There is no delivery with this id.');
    return delivery;
  }

  function requireAllowed(url: string | undefined): void {
    const refusal = url === undefined ? undefined : http.refusalOf(url);
    if (refusal !== undefined) throw new AppError('unprocessable', refusal);
  }

  async function insert(
    connection: Connection,
    { tenantId, author = null }: Principal,
    body: NewWebhook,
  ): Promise<string> {
    await usage.requireTenant(connection, tenantId);
    if ((await listWebhooks(connection, tenantId)).length >= MAX_WEBHOOKS) {
      throw new AppError('unprocessable', `This account has ${MAX_WEBHOOKS} webhooks already. Delete one first.`);
    }
    const key = { tenantId, id: ids.next('whk') };
    const { number, at } = await events.latest(connection, tenantId);
    const row: WebhookRow = {
      ...key,
      url: body.url,
      events: toStoredEvents(body.events ?? null),
      endUser: body.user ?? null,
      active: 1,
      secret: await envelope.seal(connection, tenantId, newSecret(random), secretContextOf(key)),
      ...{ formerSecret: null, formerUntil: null, readNumber: number, readAt: at, lastNumber: 0 },
      ...{ dueAt: null, claimedUntil: 0, fence: 0, lastDeliveredAt: null, lastFailedAt: null, lastError: null },
      createdAt: clock.nowMs(),
      author,
    };
    await insertWebhook(connection, row);
    return key.id;
  }

  async function findWithSecret(
    connection: Connection,
    tenantId: string,
    id: string,
  ): Promise<WebhookWithSecret | undefined> {
    const row = await findWebhook(connection, { tenantId, id });
    // A repeated request gets the secret that it made, and none that somebody made since.
    if (!row || row.formerSecret !== null) return undefined;
    return { ...toWebhook(row), secret: await envelope.open(connection, tenantId, row.secret, secretContextOf(row)) };
  }

  /** Sends to a webhook in a request, one at a time. */
  async function alone(
    principal: Principal,
    id: string,
    work: (webhook: WebhookRow) => Promise<WebhookDelivery>,
  ): Promise<WebhookDelivery> {
    const webhook = await load(db.readers.of(principal.tenantId), principal, id);
    const key = `${webhook.tenantId} ${id}`;
    if (busy.has(key)) {
      throw new AppError('conflict', 'Another request is sending to this webhook. Try again when it is done.');
    }
    busy.add(key);
    return work(webhook).finally(() => busy.delete(key));
  }

  /** Stores what a request has tried. */
  async function record(webhook: WebhookRow, tried: DeliveryRow, isStored: boolean): Promise<WebhookDelivery> {
    const { triedAt, error } = tried;
    await db.writes.write(webhook.tenantId, async (connection) => {
      if (isStored) await updateTried(connection, tried);
      const outcome = error === null ? { lastDeliveredAt: triedAt } : { lastFailedAt: triedAt, lastError: error };
      await updateWebhook(connection, webhook, outcome);
    });
    return toDelivery(tried);
  }

  /** Removes a webhook, or all of a tenant, with their deliveries. `check` runs in each transaction. */
  async function erase(
    of: { tenantId: string; id?: string },
    check?: (connection: Connection) => Promise<unknown>,
  ): Promise<void> {
    const eraseSome = () =>
      db.writes.write(of.tenantId, async (connection) => {
        await check?.(connection);
        if ((await deleteSomeDeliveries(connection, of, PORTION)) === PORTION) return true;
        await deleteWebhooks(connection, of);
        await envelope.forgetUnused(connection, of.tenantId);
        return false;
      });
    while (await eraseSome());
  }

  return {
    async createOnce(principal, body, claim) {
      requireAllowed(body.url);
      const { tenantId } = principal;
      return db.writes.write(tenantId, (connection) =>
        idempotency.createOrFind(connection, claim, {
          create: () => insert(connection, principal, body),
          find: (id) => findWithSecret(connection, tenantId, id),
        }),
      );
    },
    async list({ tenantId }, query) {
      const all = (await listWebhooks(db.readers.of(tenantId), tenantId)).map(toWebhook);
      return cursors.pageOfAll(all, query, ['webhooks', tenantId], { by: 'desc', positionOf: ({ id }) => id });
    },
    get: async (principal, id) => toWebhook(await load(db.readers.of(principal.tenantId), principal, id)),
    async change(principal, id, { url, events: chosen, user, active }, ifMatch) {
      requireAllowed(url);
      const { tenantId, author = null } = principal;
      return db.writes.write(tenantId, async (connection) => {
        const row = await load(connection, principal, id);
        requireState(ifMatch, row);
        const { number, at } = await events.latest(connection, tenantId);
        const isResumed = active === true && row.active === 0;
        const triesNow = row.dueAt !== null && (isResumed || url !== undefined);
        const fields = {
          ...(url !== undefined && { url }),
          ...(chosen !== undefined && { events: toStoredEvents(chosen) }),
          ...(user !== undefined && { endUser: user }),
          ...(active !== undefined && { active: Number(active) }),
          ...(isResumed && { readNumber: number, readAt: at }),
          // Whoever chooses the address, or switches it on, answers for it.
          ...((isResumed || url !== undefined) && { author }),
          ...(triesNow && { dueAt: clock.nowMs() }),
        };
        await updateWebhook(connection, row, fields);
        return toWebhook({ ...row, ...fields });
      });
    },
    remove: (principal, id, ifMatch) =>
      erase({ tenantId: principal.tenantId, id }, async (connection) =>
        requireState(ifMatch, await load(connection, principal, id)),
      ),
    switchOff: (connection, member) =>
      updateSwitchedOff(connection, {
        ...member,
        at: clock.nowMs(),
        reason: 'Switched off: whoever set it up is no longer owner of the space. Another owner can switch it on.',
      }),
    areOf: async (reader, { tenantId, endUser }) =>
      (await listWebhooks(reader, tenantId)).some((row) => row.endUser === endUser),
    async rotateSecret(principal, id) {
      const { tenantId } = principal;
      const secret = newSecret(random);
      return db.writes.write(tenantId, async (connection) => {
        const row = await load(connection, principal, id);
        const sealed = await envelope.seal(connection, tenantId, secret, secretContextOf(row));
        const formerUntil = clock.nowMs() + DAY_MS;
        await updateWebhook(connection, row, { secret: sealed, formerSecret: row.secret, formerUntil });
        return { ...toWebhook(row), secret };
      });
    },
    test: (principal, id) =>
      alone(principal, id, async (webhook) => {
        const nowMs = clock.nowMs();
        const delivery: NamedDelivery = {
          ...{ tenantId: webhook.tenantId, id: ids.next('whd'), webhookId: id, number: 0, kind: 'test', itemId: null },
          ...{
            scope: null,
            endUser: null,
            author: principal.author ?? null,
            at: nowMs,
            state: 'waiting',
            attempts: 0,
            status: null,
            error: null,
          },
          ...{ createdAt: nowMs, triedAt: null },
        };
        return record(webhook, await sending.attempt(webhook, delivery), false);
      }),
    async deliveries(principal, id, { limit = 50, cursor, state }) {
      const { tenantId } = principal;
      const reader = db.readers.of(tenantId);
      const webhook = await load(reader, principal, id);
      const boundTo = ['webhook deliveries', tenantId, id, state ?? ''];
      const before = cursor === undefined ? Number.MAX_SAFE_INTEGER : Number(cursors.read(cursor, boundTo));
      const states: readonly DeliveryState[] = state === undefined ? DELIVERY_STATES : [state];
      const rows = await listDeliveries(reader, webhook, { states, before, limit: limit + 1 });
      const { data, nextCursor } = cursors.page(rows, limit, boundTo, ({ number }) => String(number));
      return { data: data.map(toDelivery), nextCursor };
    },
    replay: (principal, id, deliveryId) =>
      alone(principal, id, async (webhook) => {
        const delivery = await loadDelivery(webhook, deliveryId);
        if (delivery.state === 'waiting')
          throw new AppError('conflict', 'This delivery is already waiting to be sent.');
        return record(webhook, await sending.attempt(webhook, delivery), true);
      }),
    collect: createWebhookCollecting(parts),
    follow: sending.follow,
    async deleteOld() {
      const beforeMs = clock.nowMs() - RETENTION_MS;
      for (const state of DELIVERY_STATES) {
        const stored = await listStored(db.readers, { state, maxStored: MAX_STORED[state] });
        for (const { oldestAt, through, ...key } of stored) {
          if (through === null && (oldestAt ?? beforeMs) >= beforeMs) continue;
          const some = { state, through: through ?? 0, beforeMs, limit: PORTION };
          const deleteSome = () =>
            db.writes.write(key.tenantId, (connection) => deleteSomeStored(connection, key, some));
          while ((await deleteSome()) === PORTION);
        }
      }
    },
    async erase({ tenantId, endUser }) {
      if (endUser === undefined) return erase({ tenantId });
      // One for the changes of a user names it.
      for (const { id, endUser: of } of await listWebhooks(db.readers.of(tenantId), tenantId)) {
        if (of === endUser) await erase({ tenantId, id });
      }
    },
    async stop() {
      await sending.stop();
      await http.close();
    },
  };
}

function requireState(ifMatch: string | undefined, row: WebhookRow): void {
  if (ifMatch !== undefined && !matchesState(ifMatch, webhookStateOf(toWebhook(row))))
    throw changedSinceRead('webhook');
}

function toStoredEvents(events: readonly string[] | null): string | null {
  return events === null ? null : JSON.stringify(events);
}

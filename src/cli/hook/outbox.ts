import { join } from 'node:path';
import { type HookDaemon, type HookResponse, NotSent, requestDaemon } from './daemon-request.ts';
import {
  openSession,
  type SaidMessage,
  type SessionState,
  type StateDependencies,
  sessionKey,
} from './session-state.ts';
import { readState, withLock, writeState } from './state-file.ts';

/** Something to send: messages of a session, or the request to cut its conversation into episodes. */
interface OutboxItem {
  /** The `Idempotency-Key`. */
  key: string;
  /** The account it was captured for; it is sent to no other. */
  account: string;
  /** The id of the space it was captured for, if not the account itself. */
  space?: string;
  session: string;
  project?: string;
  messages?: SaidMessage[];
  /** When an attempt first ended without an answer, so that the daemon may have it. */
  uncertainSinceMs?: number;
}

interface OutboxFile {
  items: OutboxItem[];
  /** How many items did not fit or could not be sent in time. */
  dropped: number;
}

const EMPTY: OutboxFile = { items: [], dropped: 0 };
const MAX_ITEMS = 500;
const MAX_CHARACTERS = 4_000_000;
/** The daemon accepts bodies of 1 MiB; one message is far smaller. */
const MAX_BATCH_BYTES = 900_000;
/** The daemon forgets idempotency keys after 24 hours; a later attempt might say something twice. */
const UNCERTAIN_MS = 23 * 3_600_000;

/**
 * The name of an account in the files of hooks, and the one that it had in 0.1.0, which another account may have got since.
 */
export interface HookAccount {
  name: string;
  formerName?: string;
}

interface EnqueueOptions {
  account: string;
  space: string | undefined;
  project: string | undefined;
  cut: boolean;
}

/** The queue of what was said, in a file that all hooks of this machine share. */
export interface Outbox {
  /** Moves what is pending in a session to the queue, and with `cut` requests its episodes. */
  enqueue(session: string, options: EnqueueOptions): Promise<void>;
  /** Sends the account's items in order until one fails or time is up. Does nothing while another hook sends. */
  send(daemon: HookDaemon, account: HookAccount): Promise<void>;
}

export function createOutbox(dependencies: StateDependencies, debug: (reason: string) => void): Outbox {
  const { folder, nowMs, signal } = dependencies;
  const path = join(folder, 'outbox.json');

  function change<T>(work: (file: OutboxFile) => T): Promise<T | undefined> {
    return withLock(`${path}.lock`, { nowMs, signal }, async () => {
      const file = structuredClone(await readState(path, EMPTY));
      const result = work(file);
      dropOldest(file);
      await writeState(path, file);
      return result;
    });
  }

  async function attempt(item: OutboxItem, daemon: HookDaemon): Promise<boolean> {
    try {
      const answer = await deliver(item, { ...daemon, space: item.space }, dependencies);
      debug(`sent ${item.messages?.length ?? 0} messages: ${answer.status}`);
      if (!isSettled(answer)) return false;
      await change((file) => {
        file.items = file.items.filter(({ key }) => key !== item.key);
      });
      return true;
    } catch (error) {
      debug(`not sent: ${(error as Error).message}`);
      if (!(error instanceof NotSent)) {
        await change((file) => {
          const stored = file.items.find(({ key }) => key === item.key);
          if (stored) stored.uncertainSinceMs ??= nowMs();
        });
      }
      return false;
    }
  }

  return {
    async enqueue(session, { account, space, project, cut }) {
      const file = openSession(dependencies, session);
      const where = { ...(space !== undefined && { space }), ...(project !== undefined && { project }) };
      const item = { account, session, ...where };
      for (let isLast = false; !isLast; ) {
        const batch = await file.change(takeBatch);
        if (!batch) return;
        const { messages, position } = batch;
        ({ isLast } = batch);
        const said = {
          ...item,
          key: `hook-${sessionKey(session, String(position), JSON.stringify(messages))}`,
          messages,
        };
        const cutting = { ...item, key: `hook-${sessionKey(session, String(position), 'cut')}` };
        const queued = await change((queue) => {
          const items = [...(messages.length > 0 ? [said] : []), ...(cut && isLast ? [cutting] : [])];
          queue.items.push(...items.filter(({ key }) => !queue.items.some((earlier) => earlier.key === key)));
          return true;
        });
        if (!queued) return;
        if (messages.length > 0) await file.change((state) => dropBatch(state, position));
      }
    },
    async send(daemon, { name, formerName }) {
      await withLock(`${path}.sending`, { nowMs, signal, wait: false }, async () => {
        await change((file) => {
          const fresh = file.items.filter((item) => nowMs() - (item.uncertainSinceMs ?? nowMs()) < UNCERTAIN_MS);
          file.dropped += file.items.length - fresh.length;
          file.items = fresh;
          for (const item of fresh) if (item.account === formerName) item.account = name;
        });
        for (;;) {
          const { items, dropped } = await readState(path, EMPTY);
          if (dropped > 0) debug(`${dropped} items were dropped from the queue so far`);
          const next = items.find((item) => item.account === name);
          if (!next || signal.aborted || !(await attempt(next, daemon))) return;
        }
      });
    },
  };
}

/**
 * Takes what is pending, or first what an earlier hook took and could not queue: under its own key, so that a batch that was
 * queued after all is sent once.
 */
function takeBatch(state: SessionState): { messages: SaidMessage[]; position: number; isLast: boolean } {
  if (!state.taken && state.pending.length > 0) {
    state.taken = state.pending.splice(0, fitting(state.pending));
    state.position += 1;
  }
  return { messages: state.taken ?? [], position: state.position, isLast: state.pending.length === 0 };
}

/** How many messages one request can carry, from the first. */
function fitting(messages: readonly SaidMessage[]): number {
  let bytes = 0;
  const beyond = messages.findIndex((message) => {
    bytes += Buffer.byteLength(JSON.stringify(message)) + 1;
    return bytes > MAX_BATCH_BYTES;
  });
  return beyond === -1 ? messages.length : Math.max(1, beyond);
}

/** Forgets a batch that is in the queue, unless another hook has forgotten it and taken the next one. */
function dropBatch(state: SessionState, position: number): void {
  if (state.position === position) delete state.taken;
}

function dropOldest(file: OutboxFile): void {
  let characters = file.items.reduce((sum, item) => sum + sizeOf(item), 0);
  while (file.items.length > MAX_ITEMS || characters > MAX_CHARACTERS) {
    characters -= sizeOf(file.items.shift()!);
    file.dropped += 1;
  }
}

function sizeOf({ messages = [] }: OutboxItem): number {
  return messages.reduce((sum, { content }) => sum + content.length, 100);
}

/**
 * Whether svc accepted a request, or rejected what it would reject again: not if it was busy or the key is no longer valid. Any
 * other program at its address, such as a proxy while svc is away, settles nothing but what is too large for it.
 */
function isSettled({ status, json }: HookResponse): boolean {
  if (status === 401 || status === 408 || status === 409 || status === 429 || status >= 500) return false;
  const { code, conversationId, data } = Object(json) as Record<string, unknown>;
  if (status >= 400) return status === 413 || typeof code === 'string';
  return typeof conversationId === 'string' || Array.isArray(data);
}

async function deliver(item: OutboxItem, daemon: HookDaemon, dependencies: StateDependencies): Promise<HookResponse> {
  const session = openSession(dependencies, item.session);
  const { conversationId } = await session.read();
  if (!item.messages) return cutEpisodes(item, conversationId, daemon);
  const first = await remember(item, conversationId, daemon);
  // The conversation was erased: what is said from now on begins another one.
  const answer = first.status === 404 && conversationId ? await remember(item, undefined, daemon) : first;
  const stored = (answer.json as { conversationId?: unknown } | undefined)?.conversationId;
  if (answer.status === 201 && typeof stored === 'string' && stored !== conversationId) {
    await session.change((state) => {
      state.conversationId = stored;
    });
  }
  return answer;
}

function remember(
  { key, messages, project }: OutboxItem,
  conversationId: string | undefined,
  daemon: HookDaemon,
): Promise<HookResponse> {
  // A conversation keeps the project it began in, although the session's folder may change.
  const target = conversationId === undefined ? { ...(project !== undefined && { project }) } : { conversationId };
  return requestDaemon(daemon, 'POST', '/v1/remember', { body: { messages, ...target }, idempotencyKey: key });
}

async function cutEpisodes(
  { key }: OutboxItem,
  conversationId: string | undefined,
  daemon: HookDaemon,
): Promise<HookResponse> {
  if (conversationId === undefined) return { status: 200, json: { data: [] } };
  const path = `/v1/conversations/${encodeURIComponent(conversationId)}/episodes`;
  return requestDaemon(daemon, 'POST', path, { idempotencyKey: key });
}

import { createHash } from 'node:crypto';
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { readState, withLock, writeState } from './state-file.ts';

export interface SaidMessage {
  role: 'user' | 'assistant';
  content: string;
  /** When it was said, because it may be sent much later. Earlier versions did not note it. */
  createdAt?: string;
}

/** State of an assistant's session between its hooks. */
export interface SessionState {
  /** The folder that it began in. */
  folder?: string;
  /** The conversation that stores the session, once something was sent. */
  conversationId?: string;
  /** Ids of the memories that the model has been given. */
  injected: string[];
  /** Messages that are not queued yet. */
  pending: SaidMessage[];
  /** Messages on their way to the queue. They stay here until they are in it. */
  taken?: SaidMessage[];
  /** The number of batches taken so far. */
  position: number;
  /** Role and hash of the message captured last: a second hook for the same event captures nothing. */
  last?: string;
  /** A transcript that had no answer yet when the model stopped. */
  unreadTranscript?: string;
  /** What the model had said by then, before it called a tool. */
  unfinished?: string;
}

const EMPTY: SessionState = { injected: [], pending: [], position: 0 };
const MAX_INJECTED = 1000;
const MAX_PENDING = 50;
const RETENTION_MS = 30 * 86_400_000;

/** The state of one session of one account. */
export interface SessionFile {
  key: string;
  read(): Promise<SessionState>;
  /** Changes the state while no other hook does. Returns `undefined`, without a change, if it takes too long. */
  change<T>(work: (state: SessionState) => T): Promise<T | undefined>;
}

export function sessionKey(...parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32);
}

export interface StateDependencies {
  /** The folder of the hooks' files. */
  folder: string;
  nowMs: () => number;
  /** Aborts shortly before the hook must end. */
  signal: AbortSignal;
}

export function openSession({ folder, nowMs, signal }: StateDependencies, key: string): SessionFile {
  const path = join(folder, `session-${key}.json`);
  return {
    key,
    read: () => readState(path, EMPTY),
    change: (work) =>
      withLock(`${path}.lock`, { nowMs, signal }, async () => {
        const state = structuredClone(await readState(path, EMPTY));
        const result = work(state);
        await writeState(path, {
          ...state,
          injected: state.injected.slice(-MAX_INJECTED),
          pending: state.pending.slice(-MAX_PENDING),
        });
        return result;
      }),
  };
}

/** A session whose file cannot be used: it recalls as if nothing had been given to the model, and stores nothing. */
export function withoutState({ key }: Pick<SessionFile, 'key'>): SessionFile {
  return { key, read: async () => EMPTY, change: async (work) => work(structuredClone(EMPTY)) };
}

/** Returns the folder that a session began in: its assistant may go to another one, of another project or space. */
export async function sessionFolder(session: SessionFile, now: string, isBeginning: boolean): Promise<string> {
  const { folder } = await session.read();
  if (folder !== undefined && !isBeginning) return folder;
  if (folder !== now) {
    await session.change((state) => {
      state.folder = now;
    });
  }
  return now;
}

/** Adds a message unless it was captured last. */
export function addSaid(state: SessionState, message: SaidMessage): void {
  const hash = `${message.role} ${createHash('sha256').update(message.content).digest('hex')}`;
  if (state.last === hash) return;
  state.last = hash;
  state.pending.push(message);
}

/** Removes the files of sessions that were not used for a month. */
export async function pruneSessions({ folder, nowMs }: StateDependencies): Promise<void> {
  const names = (await readdir(folder)).filter((name) => name.startsWith('session-'));
  await Promise.all(
    names.map(async (name) => {
      const path = join(folder, name);
      const found = await stat(path).catch(() => undefined);
      if (found && nowMs() - found.mtimeMs > RETENTION_MS) await rm(path, { force: true });
    }),
  );
}

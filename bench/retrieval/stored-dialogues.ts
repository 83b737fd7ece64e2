import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Conversation, Message } from '../../src/contract/conversations.ts';
import type { AddedMemory } from '../../src/contract/memories.ts';
import { callApi, signInByMail } from '../api-session.ts';
import type { Dialogue, Turn } from '../locomo-data.ts';
import { type DaemonOptions, startDaemon } from '../processes.ts';
import { createProgress } from '../progress.ts';

/** `conversations`: one per session, with speakers and dates. `facts`: the bare text of each turn as a memory. */
export type StoredAs = 'conversations' | 'facts';

/** A daemon with all dialogues stored, one end user per dialogue, and the id of each turn. */
export interface StoredDialogues {
  url: string;
  apiKey: string;
  dialogues: readonly Dialogue[];
  storedAs: StoredAs;
  idOf: ReadonlyMap<string, string>;
}

const CALLERS = 4;
const EMAIL = 'ada@example.com';
const BATCH = 400;
const placeOf = (sampleId: string, diaId: string) => `${sampleId} ${diaId}`;

/** Runs `work` on a daemon in `dataDir` with an Enterprise account. */
export async function withAccount<T>(
  { dataDir, settings = {} }: DaemonOptions,
  work: (account: { url: string; apiKey: string }) => Promise<T>,
): Promise<T> {
  const daemon = await startDaemon({ dataDir, settings: { SVC_DEFAULT_TIER: 'Enterprise', ...settings } });
  try {
    return await work({ url: daemon.url, apiKey: await signInByMail(daemon.url, join(dataDir, 'mail'), EMAIL) });
  } finally {
    await daemon.stop();
  }
}

/** Runs `work` on a daemon in `dataDir` that holds the dialogues, with vectors if an embedder is configured. */
export async function withStored<T>(
  options: DaemonOptions,
  dialogues: readonly Dialogue[],
  storedAs: StoredAs,
  work: (stored: StoredDialogues) => Promise<T>,
): Promise<T> {
  return withAccount(options, async ({ url, apiKey }) => {
    const idOf = new Map<string, string>();
    const progress = createProgress(
      `turns stored as ${storedAs}`,
      dialogues.reduce((sum, { turns }) => sum + turns.length, 0),
    );
    const store = storedAs === 'conversations' ? storeConversations : storeFacts;
    for (const dialogue of dialogues) {
      for (const [diaId, id] of await store(url, apiKey, dialogue)) idOf.set(placeOf(dialogue.sampleId, diaId), id);
      progress.advance(dialogue.turns.length);
    }
    progress.end();
    await untilEmbedded(url);
    return work({ url, apiKey, dialogues, storedAs, idOf });
  });
}

/** Waits until every text has its vector; returns at once without an embedder. */
export async function untilEmbedded(
  url: string,
  { everyMs = 500, onWaiting }: { everyMs?: number; onWaiting?: (texts: number) => void } = {},
): Promise<void> {
  for (;;) {
    const metrics = await (await fetch(`${url}/metrics`)).text();
    const texts = Number(/^svc_embeddings_waiting (\d+)$/m.exec(metrics)?.[1] ?? 0);
    if (texts === 0) return;
    onWaiting?.(texts);
    await sleep(everyMs);
  }
}

async function storeConversations(url: string, apiKey: string, { sampleId, turns }: Dialogue) {
  const ids: [string, string][] = [];
  for (const session of sessionsOf(turns)) {
    const createdAt = session[0]!.occurredAt;
    const { id } = await callApi<Conversation>(url, apiKey, '/v1/conversations', { user: sampleId, createdAt });
    const messages = session.map(({ speaker, role, text: content }) =>
      role ? { role, content, createdAt } : { role: 'user', name: speaker, content, createdAt },
    );
    const path = `/v1/conversations/${id}/messages`;
    for (let start = 0; start < messages.length; start += BATCH) {
      const batch = { messages: messages.slice(start, start + BATCH) };
      const { data } = await callApi<{ data: Message[] }>(url, apiKey, path, batch);
      ids.push(...data.map((message, index): [string, string] => [session[start + index]!.diaId, message.id]));
    }
  }
  return ids;
}

/** Text only: no speaker, session or date. */
async function storeFacts(url: string, apiKey: string, { sampleId, turns }: Dialogue) {
  const ids: [string, string][] = [];
  for (let start = 0; start < turns.length; start += BATCH) {
    const batch = turns.slice(start, start + BATCH);
    const memories = batch.map(({ text }) => ({ content: text, user: sampleId }));
    const { data } = await callApi<{ data: AddedMemory[] }>(url, apiKey, '/v1/memories/batch', { memories });
    ids.push(...data.map(({ id }, index): [string, string] => [batch[index]!.diaId, id]));
  }
  return ids;
}

/** Turn ids contain their session: `D3:7` belongs to the third. */
function sessionsOf(turns: readonly Turn[]): Turn[][] {
  const sessions = new Map<string, Turn[]>();
  for (const turn of turns) {
    const session = turn.diaId.split(':')[0]!;
    sessions.set(session, [...(sessions.get(session) ?? []), turn]);
  }
  return [...sessions.values()];
}

/** A question of a dialogue. */
export interface AskedQuestion {
  sampleId: string;
  text: string;
  answer: string;
  category: number;
  /** The ids of its evidence. */
  wanted: string[];
}

/**
 * Asks a few questions at a time and returns the answers in the order of the questions, so that a seed yields the same
 * users every time.
 */
export async function forEachQuestion<T>(
  { dialogues, idOf }: StoredDialogues,
  what: string,
  ask: (question: AskedQuestion) => Promise<T>,
): Promise<T[]> {
  const questions = dialogues.flatMap(({ sampleId, questions: own }) =>
    own.map(({ text, answer, category, evidence }) => {
      const wanted = evidence.map((diaId) => idOf.get(placeOf(sampleId, diaId))!);
      return { sampleId, text, answer, category, wanted };
    }),
  );
  const progress = createProgress(what, questions.length);
  const answers: T[] = [];
  const queue = questions.entries();
  await Promise.all(
    Array.from({ length: CALLERS }, async () => {
      for (const [index, question] of queue) {
        answers[index] = await ask(question);
        progress.advance(1);
      }
    }),
  );
  progress.end();
  return answers;
}

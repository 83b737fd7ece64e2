import { readdir } from 'node:fs/promises';
import { FENCE_TOKENS, fence } from '../../contract/fence.ts';
import { OWN_SPACE } from '../../contract/space-names.ts';
import { type HookDaemon, requestDaemon } from './daemon-request.ts';
import type { SessionFile } from './session-state.ts';
import { joinedSpaces, type SessionMemory } from './tie.ts';

const PROMPT_TOKENS = 250;
const START_TOKENS = 800;
const MIN_PROMPT_CHARACTERS = 12;
/** Characters that say as much as two of an alphabet. */
const WIDE = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\u3000-\u303f\uff01-\uff60]/gu;
const MAX_QUERY_CHARACTERS = 2000;
const MAX_NAMES = 200;
/** As many as the daemon takes. */
const MAX_EXCLUDED = 1000;

interface Context {
  text: string;
  citations: { id: string }[];
}

/** What a session recalls from. */
export interface RecallPlace {
  daemon: HookDaemon;
  memory: SessionMemory;
  session: SessionFile;
}

/** Whether a prompt says enough to search for. */
export function isWorthRecalling(prompt: string): boolean {
  const text = prompt.trim();
  const beginning = text.slice(0, MIN_PROMPT_CHARACTERS).replace(WIDE, '..');
  return beginning.length >= MIN_PROMPT_CHARACTERS && !text.startsWith('/');
}

/** Returns what is remembered about a prompt and was not given to the model in this session; `undefined` if nothing is. */
export async function recallForPrompt(
  place: RecallPlace,
  { prompt, project, mark }: { prompt: string; project: string | undefined; mark: string },
): Promise<string | undefined> {
  const { text, citations } = await requestContext(place, {
    query: prompt.trim().slice(0, MAX_QUERY_CHARACTERS).toWellFormed(),
    purpose: 'prompt',
    maxTokens: PROMPT_TOKENS - FENCE_TOKENS,
    project,
  });
  // One line for each citation follows the heading.
  const [heading = '', ...lines] = text.split('\n');
  const fresh = await injectOnce(
    place.session,
    citations.map(({ id }) => id),
  );
  const kept = lines.filter((_, index) => fresh.has(citations[index]?.id ?? ''));
  return kept.length === 0 ? undefined : fence([heading, ...kept].join('\n'), mark);
}

/**
 * Returns what a session should begin with: what holds in the project and of the user. A resumed session gets only what it
 * was not given yet, and no session its own words.
 */
export async function recallForStart(
  place: RecallPlace,
  { folder, project, mark }: { folder: string; project: string | undefined; mark: string },
): Promise<string | undefined> {
  const shown = await shownIn(folder);
  const { text, citations } = await requestContext(place, {
    query: [project, ...shown].join(' ').slice(0, MAX_QUERY_CHARACTERS).toWellFormed(),
    purpose: 'session_start',
    maxTokens: START_TOKENS - FENCE_TOKENS,
    project,
  });
  await injectOnce(
    place.session,
    citations.map(({ id }) => id),
  );
  return citations.length === 0 ? undefined : fence(text, mark);
}

/** The names in a folder, without hidden ones: they tell its languages and tools. */
async function shownIn(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => []);
  return names.filter((name) => !name.startsWith('.')).slice(0, MAX_NAMES);
}

/**
 * Asks for a context without what the session has already: one request, however many spaces are read. If the daemon refuses
 * them, because a membership has ended, it is asked once more for those that are left.
 */
async function requestContext({ daemon, memory, session }: RecallPlace, request: object): Promise<Context> {
  const { conversationId, injected } = await session.read();
  const exclude = { ids: injected.slice(-MAX_EXCLUDED), ...(conversationId !== undefined && { conversationId }) };
  // Named in the body, a space does not store the words of a prompt, which are said elsewhere.
  const isElsewhere = ([first, ...more]: readonly string[]) =>
    more.length > 0 || (first !== OWN_SPACE && first !== memory.tie?.id);
  const ask = (ids: readonly string[], inBody = isElsewhere(ids)) => {
    const several = inBody && { spaces: ids };
    const space = inBody || ids[0] === OWN_SPACE ? undefined : ids[0];
    return requestDaemon({ ...daemon, space }, 'POST', '/v1/context', { body: { ...request, ...several, exclude } });
  };
  const reads = memory.reads.map(({ id }) => id);
  const first = await ask(reads);
  // A connection that is bound to one space may not name it in the body.
  const asked = first.status === 403 && reads.length === 1 ? await ask(reads, false) : first;
  const isRefused = reads.length > 1 && (asked.status === 400 || asked.status === 404);
  const left = isRefused ? await leftOf(daemon, memory) : [];
  const { status, json } = left.length > 0 ? await ask(left) : asked;
  if (status !== 200) throw new Error(`the daemon answered ${status}`);
  return json as Context;
}

/** The spaces that can still be read. Without the one that the project is tied to, none: what is said would be stored nowhere. */
async function leftOf(daemon: HookDaemon, { tie, reads }: SessionMemory): Promise<string[]> {
  const joined = await joinedSpaces(daemon);
  // A connection that is bound to one space may not list them.
  if (!joined) return [tie?.id ?? OWN_SPACE];
  const isLeft = (id: string) => id === OWN_SPACE || joined.some((space) => space.id === id);
  return tie && !isLeft(tie.id) ? [] : reads.map(({ id }) => id).filter(isLeft);
}

/**
 * Marks ids as given to the model and returns those that were not yet. Returns none if another hook keeps the state too
 * long, because silence is better than repetition.
 */
async function injectOnce(session: SessionFile, ids: readonly string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const fresh = await session.change((state) => {
    const added = ids.filter((id) => !state.injected.includes(id));
    state.injected.push(...added);
    return added;
  });
  return new Set(fresh);
}

/** Forgets what the model was given, because it no longer has it. */
export async function forgetInjected(session: SessionFile): Promise<void> {
  await session.change((state) => {
    state.injected = [];
  });
}

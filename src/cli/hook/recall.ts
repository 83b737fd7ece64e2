import { FENCE_TOKENS, fence, oneLine } from '../../contract/fence.ts';
import { type HookDaemon, requestDaemon } from './daemon-request.ts';
import type { SessionFile } from './session-state.ts';
import { estimateTokens } from './token-estimate.ts';

const PROMPT_TOKENS = 250;
const START_TOKENS = 800;
const MIN_PROMPT_CHARACTERS = 12;
const MAX_QUERY_CHARACTERS = 2000;
const MAX_LINE_CHARACTERS = 240;

interface Context {
  text: string;
  citations: { id: string }[];
}

interface Listed {
  id: string;
  /** For an episode, the conversation that it was cut from. */
  conversationId?: string | null;
  content?: string;
  title?: string;
  summary?: string | null;
  outcome?: string | null;
  occurredAt?: string | null;
  endedAt?: string;
  createdAt: string;
}

/** Whether a prompt says enough to search for. */
export function isWorthRecalling(prompt: string): boolean {
  const text = prompt.trim();
  return text.length >= MIN_PROMPT_CHARACTERS && !text.startsWith('/');
}

/** Returns what is remembered about a prompt and was not given to the model in this session; `undefined` if nothing is. */
export async function recallForPrompt(
  daemon: HookDaemon,
  session: SessionFile,
  { prompt, project, mark }: { prompt: string; project: string | undefined; mark: string },
): Promise<string | undefined> {
  const { conversationId, injected } = await session.read();
  const body = {
    query: prompt.trim().slice(0, MAX_QUERY_CHARACTERS).toWellFormed(),
    purpose: 'prompt',
    maxTokens: PROMPT_TOKENS - FENCE_TOKENS,
    ...(project !== undefined && { project }),
    exclude: { ids: injected, ...(conversationId !== undefined && { conversationId }) },
  };
  const { status, json } = await requestDaemon(daemon, 'POST', '/v1/context', { body });
  if (status !== 200) throw new Error(`the daemon answered ${status}`);
  const { text, citations } = json as Context;
  // One line for each citation follows the heading.
  const [heading = '', ...lines] = text.split('\n');
  const fresh = await injectOnce(
    session,
    citations.map(({ id }) => id),
  );
  const kept = lines.filter((_, index) => fresh.has(citations[index]?.id ?? ''));
  return kept.length === 0 ? undefined : fence([heading, ...kept].join('\n'), mark);
}

/**
 * Returns what a session should begin with: pinned memories, then the newest of the project and its latest sessions. A
 * resumed session gets only what it was not given yet, and no session gets its own episodes.
 */
export async function recallForStart(
  daemon: HookDaemon,
  session: SessionFile,
  { project, mark }: { project: string | undefined; mark: string },
): Promise<string | undefined> {
  const of = project === undefined ? '' : `&project=${encodeURIComponent(project)}`;
  const own = `${of}&projectOnly=true`;
  const [pinned, newest, episodes, recent] = await Promise.all([
    list(daemon, `/v1/memories?pinned=true&limit=10${of}`),
    project === undefined ? [] : list(daemon, `/v1/memories?limit=60${own}`),
    project === undefined ? [] : list(daemon, `/v1/episodes?limit=3${own}`),
    list(daemon, `/v1/memories?limit=20${of}`),
  ]);
  const { injected, conversationId } = await session.read();
  const said = episodes.filter((episode) => episode.conversationId === conversationId).map(({ id }) => id);
  const known = [...injected, ...said];
  const sections = withinBudget(known, [
    { heading: 'Pinned:', items: pinned },
    { heading: `Newest in the project ${oneLine(project ?? '')}:`, items: newest },
    { heading: 'Latest sessions in this project:', items: episodes },
    { heading: 'Recent:', items: recent },
  ]);
  await injectOnce(session, [...known, ...sections.ids]);
  return sections.ids.length === 0 ? undefined : fence(sections.text, mark);
}

async function list(daemon: HookDaemon, path: string): Promise<Listed[]> {
  const { status, json } = await requestDaemon(daemon, 'GET', path);
  if (status !== 200) throw new Error(`the daemon answered ${status}`);
  return (json as { data: Listed[] }).data;
}

/** Lists items that are not `known` once, in the order of their sections, as many as fit. */
function withinBudget(
  known: readonly string[],
  sections: readonly { heading: string; items: readonly Listed[] }[],
): { text: string; ids: string[] } {
  const lines: string[] = [];
  const ids: string[] = [];
  let tokens = FENCE_TOKENS;
  for (const { heading, items } of sections) {
    let isHeaded = false;
    for (const item of items) {
      const added = [...(isHeaded ? [] : [heading]), lineOf(item)];
      const cost = estimateTokens(`${added.join('\n')}\n`);
      if (known.includes(item.id) || ids.includes(item.id) || tokens + cost > START_TOKENS) continue;
      lines.push(...added);
      ids.push(item.id);
      tokens += cost;
      isHeaded = true;
    }
  }
  return { text: lines.join('\n'), ids };
}

function lineOf(item: Listed): string {
  const day = (item.occurredAt ?? item.endedAt ?? item.createdAt).slice(0, 10);
  const said = item.content ?? [item.title, item.outcome ?? item.summary].filter(Boolean).join(': ');
  const text = oneLine(said);
  const cut = text.length > MAX_LINE_CHARACTERS ? `${text.slice(0, MAX_LINE_CHARACTERS).toWellFormed()}…` : text;
  return `- (${day}) ${cut}`;
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

import { oneLine, withoutTags } from '../../contract/fence.ts';
import { originMark } from '../../contract/origin.ts';
import { projectFilterOf } from '../../contract/project.ts';
import {
  CONTEXT_HEADING,
  type ContextAnswer,
  type ContextRequest,
  ITEM_TYPES,
  type ItemType,
  START_SECTIONS,
} from '../../contract/search.ts';
import type { Reader } from '../../db/connection.ts';
import type { Database } from '../../db/open.ts';
import { type Clock, toTimestamp } from '../../lib/clock.ts';
import { runInSlices } from '../../lib/time-slices.ts';
import { type CountTokens, quickCounter } from '../../outside/tokens.ts';
import { messageRowId } from '../conversations/message-row.ts';
import type { Principal } from '../keys/keys.ts';
import { languageOf } from '../languages/languages.ts';
import type { Memories } from '../memories/memories.ts';
import type { Successors } from '../search/result-page.ts';
import { termsOf } from '../text/terms.ts';
import { rootOf } from '../text/word-forms.ts';
import { needsCorrected, type Said, saysAgain, successorsAmong } from './current.ts';
import { hasPassed, hasRelativeDay } from './said-days.ts';
import { type SaidInSession, sessionLineOf } from './session-line.ts';
import {
  type ConversationEnd,
  findUserMessages,
  listConversationEnds,
  listEpisodes,
  listMemories,
  type Place,
  type StoredEpisode,
  type StoredMemory,
  type StoredText,
} from './session-start-store.ts';
import { statementsInSteps, weightOfText } from './statements.ts';

/** Composes what an assistant should know when a session begins, within the token budget. */
export type SessionStart = (principal: Principal, request: ContextRequest) => Promise<ContextAnswer>;

const MEMORIES = 400;
const CONVERSATIONS = 200;
const EPISODES = 3;
/** The last messages of a conversation that are read, and of all conversations. */
const MESSAGES_PER_CONVERSATION = 100;
const MESSAGES = 2000;
/** The newest sentences of messages that are read: more than prose has in that many messages, and lists of short lines have any number. */
const SENTENCES = 5000;
/** A stored memory was worth storing to somebody. */
const MEMORY_WEIGHT = 3;
const PROJECT_WEIGHT = 1;
/** For each word that the working folder shows too, up to `MAX_SHARED`. */
const FOLDER_WEIGHT = 0.5;
const MAX_SHARED = 2;
const MAX_LINE_CHARACTERS = 240;
/** Of the sentence before a correction. */
const MAX_CORRECTED_CHARACTERS = 120;
/** Episodes may use this share of the budget. */
const EPISODE_SHARE = 0.15;
/** Lines that are tried after the first that does not fit. */
const MAX_SKIPPED = 20;
/** Lines whose tokens are counted at once. */
const COUNTED_AT_ONCE = 24;
/** Older lines say from when they are. */
const RECENT_MS = 60 * 24 * 3600 * 1000;

/** A line of the text, before it has a number. */
interface Line extends Said {
  type: ItemType;
  id: string;
  section: (typeof START_SECTIONS)[number];
  /** Lines with more come first. */
  weight: number;
  author: string | null;
}

const [PINNED, OF_PROJECT, OF_USER, SESSIONS] = START_SECTIONS;
/** Episodes have a share of the budget and no weight. */
const EPISODE = { type: 'episode', section: SESSIONS, weight: 0, origin: null, author: null } as const;

interface Parts {
  db: Database;
  clock: Clock;
  memories: Pick<Memories, 'successorsOf'>;
  possibleSuccessors: (reader: Reader, tenantId: string, memoryIds: readonly string[]) => Promise<Successors>;
  tokenCounterOf: (tenantId: string) => CountTokens;
}

/**
 * Reads the newest memories, conversations and episodes of a user, so the cost does not grow with the account, and lists
 * what holds, each thing once: pinned memories, then the rest by weight. `query` is what the working folder shows.
 */
export function createSessionStart({ db, clock, memories, possibleSuccessors, tokenCounterOf }: Parts): SessionStart {
  /** Reads memories, and which of them hold beside newer ones, as somebody said. */
  async function readMemories(
    reader: Reader,
    place: Place,
  ): Promise<Pick<Successors, 'isRejected'> & { stored: StoredMemory[] }> {
    const stored = await listMemories(reader, place, MEMORIES);
    const ids = stored.map(({ id }) => id);
    const { isRejected } = await possibleSuccessors(reader, place.tenantId, ids);
    return { stored, isRejected };
  }

  /** Reads what people said, and marks what no longer holds. */
  async function readSaid(reader: Reader, place: Place, conversationId: string | undefined): Promise<SaidText[]> {
    const messages = await readMessages(reader, place, conversationId);
    const ids = messages.map(({ id }) => id);
    const replaced = await memories.successorsOf(reader, place.tenantId, ids);
    return messages.map((message) => ({ ...message, isReplaced: replaced.has(message.id) }));
  }

  return async ({ tenantId }, request) => {
    const { query, user = 'default', types = ITEM_TYPES, exclude = {}, maxTokens = 1000 } = request;
    const nowMs = clock.nowMs();
    const place = { tenantId, endUser: user, project: projectFilterOf(request, '/'), nowMs };
    const [{ stored, isRejected }, said, episodes] = await db.readers.together(tenantId, (reader) =>
      Promise.all([
        types.includes('memory') ? readMemories(reader, place) : { stored: [], isRejected: () => false },
        types.includes('message') || types.includes('episode') ? readSaid(reader, place, exclude.conversationId) : [],
        types.includes('episode') ? listEpisodes(reader, place, EPISODES) : [],
      ]),
    );
    const sources = {
      ...{ memories: stored, folder: query, nowMs, isRejected },
      messages: types.includes('message') ? said : said.filter(({ isReplaced }) => isReplaced),
      episodes: episodes.filter(({ conversationId }) => conversationId !== (exclude.conversationId ?? '')),
    };
    const lines = await runInSlices(linesOf(sources), tenantId);
    const known = new Set(exclude.ids);
    const fresh = lines.filter(({ id, type }) => types.includes(type) && !known.has(id));
    return composeStart(fresh, { maxTokens, nowMs, countTokens: await quickCounter(tokenCounterOf(tenantId)) });
  };
}

async function readMessages(
  reader: Reader,
  place: Place,
  conversationId: string | undefined,
): Promise<Omit<SaidText, 'isReplaced'>[]> {
  const ends = await listConversationEnds(reader, place, CONVERSATIONS);
  const others = ends.filter(({ id }) => id !== conversationId);
  const projects = new Map(others.map(({ id, project }) => [id, project]));
  const messages = await findUserMessages(reader, place.tenantId, lastRowIds(others));
  return messages.map((message) => ({ ...message, project: projects.get(message.conversationId) ?? null }));
}

function lastRowIds(ends: readonly ConversationEnd[]): number[] {
  const rowIds: number[] = [];
  for (const { number, lastOrdinal } of ends) {
    const first = Math.max(1, lastOrdinal - MESSAGES_PER_CONVERSATION + 1);
    for (let ordinal = lastOrdinal; ordinal >= first && rowIds.length < MESSAGES; ordinal -= 1) {
      rowIds.push(messageRowId(number, ordinal));
    }
  }
  return rowIds;
}

/** What a person said. */
interface SaidText extends StoredText {
  conversationId: string;
  /** Whether all memories that came from it were replaced, corrected or deleted since. */
  isReplaced: boolean;
}

interface Sources {
  memories: readonly StoredMemory[];
  messages: readonly SaidText[];
  episodes: readonly StoredEpisode[];
  /** What the working folder shows. */
  folder: string;
  nowMs: number;
  /** Whether somebody rejected that a newer memory takes the place of an older one. */
  isRejected: Successors['isRejected'];
}

/** Lists the sessions, then what holds, the heaviest first; of two lines of the same weight the newer. */
function* linesOf({ memories, messages, episodes, folder, nowMs, isRejected }: Sources): Generator<void, Line[]> {
  const shown = new Set(termsOf(folder).map(rootOf));
  const said: Line[] = [];
  for (const { id, content, project, at, pinned, origin, author = null } of memories) {
    const text = shortened(content);
    const weight = MEMORY_WEIGHT + Math.max(0, weightOfText(text)) / 2;
    const section = pinned === 1 ? PINNED : sectionOf(project);
    said.push({ type: 'memory', id, section, text, weight, atMs: at, origin, author });
    yield;
  }
  const sentences = yield* sentencesOf(messages.filter(({ isReplaced }) => !isReplaced));
  // A plan that has passed takes the place of nothing.
  const passed: Line[] = [];
  for (const line of sentences) {
    (hasPassed(line.text, line.atMs, nowMs) ? passed : said).push(line);
    yield;
  }
  const successors = yield* successorsAmong(said, (older, newer) => isRejected(older.id, newer.id));
  const correctedBy = new Map<Line, Line[]>();
  for (const [older, newer] of successors) {
    const corrected = correctedBy.get(newer);
    if (corrected) corrected.push(older);
    else correctedBy.set(newer, [older]);
  }
  const stated = said.filter((line) => line.weight > 0 || correctedBy.has(line));
  const lines = new Map<string, Line>();
  for (const one of stated) {
    if (one.section !== PINNED && successors.has(one)) continue;
    const line = withCorrected(one, correctedBy.get(one) ?? []);
    const weight =
      line.weight + (line.section === OF_PROJECT ? PROJECT_WEIGHT : 0) + FOLDER_WEIGHT * sharedOf(line.text, shown);
    const before = lines.get(line.id);
    // The sentences of a message are one line.
    const text = before ? joined(before.text, line.text) : line.text;
    lines.set(line.id, { ...line, text, weight: Math.max(weight, before?.weight ?? 0) });
    yield;
  }
  const heaviestFirst = [...lines.values()].sort(
    (one, other) =>
      Number(other.section === PINNED) - Number(one.section === PINNED) ||
      other.weight - one.weight ||
      other.atMs - one.atMs,
  );
  return [...(yield* sessionsOf(episodes, messages, { said: stated, passed, successors })), ...heaviestFirst];
}

/** Returns a line as it is listed: a correction is worth what it replaces, and says of what its values are. */
function withCorrected(line: Line, corrected: readonly Line[]): Line {
  const weight = line.weight > 0 ? line.weight : Math.max(0, ...corrected.map((older) => older.weight));
  const unnamed = corrected.find((older) =>
    needsCorrected(line.text, older.text, line.language ?? languageOf(line.text)),
  );
  return { ...line, weight, text: unnamed ? `${cut(unnamed.text, MAX_CORRECTED_CHARACTERS)} ${line.text}` : line.text };
}

/** What was said, plans of it that have passed, and what replaced what. */
interface SaidLines {
  said: readonly Line[];
  passed: readonly Line[];
  successors: ReadonlyMap<Line, Line>;
}

/** Lists the sessions without what is no longer current of what was said in them. */
function* sessionsOf(
  episodes: readonly StoredEpisode[],
  messages: readonly SaidText[],
  { said, passed, successors }: SaidLines,
): Generator<void, Line[]> {
  const saidIn = new Map(
    episodes.map(({ conversationId }): [string | null, SaidInSession] => [
      conversationId,
      { replaced: [], outdated: [], current: [] },
    ]),
  );
  const conversationOf = new Map(messages.map(({ id, conversationId }) => [id, conversationId]));
  const isPassed = new Set(passed);
  for (const line of [...said, ...passed]) {
    const session = line.type === 'message' ? saidIn.get(conversationOf.get(line.id) ?? null) : undefined;
    session?.[isPassed.has(line) || isOutdated(line, successors) ? 'outdated' : 'current'].push(line.text);
    yield;
  }
  for (const { conversationId, content } of messages.filter(({ isReplaced }) => isReplaced)) {
    const session = saidIn.get(conversationId);
    if (session === undefined) continue;
    session.replaced.push(content);
    session.outdated.push(...(yield* statementsInSteps(content)).map(({ text }) => text));
  }
  return episodes.flatMap(({ id, conversationId, at, ...episode }): Line[] => {
    const text = sessionLineOf(episode, conversationId === null ? undefined : saidIn.get(conversationId));
    return text === undefined ? [] : [{ ...EPISODE, id, text, atMs: at }];
  });
}

/** Lists the newest sentences of messages, in the order of the messages. */
function* sentencesOf(messages: readonly StoredText[]): Generator<void, Line[]> {
  const newestFirst = [...messages.entries()].sort(([a, one], [b, other]) => other.at - one.at || b - a);
  const found: { place: number; lines: Line[] }[] = [];
  let count = 0;
  for (const [place, { id, content, project, at, author = null }] of newestFirst) {
    if (count >= SENTENCES) break;
    const section = sectionOf(project);
    const statements = yield* statementsInSteps(content);
    const lines = statements.map(
      (statement): Line => ({ ...statement, type: 'message', id, section, atMs: at, origin: 'person', author }),
    );
    found.push({ place, lines });
    count += lines.length;
    yield;
  }
  return found.sort((one, other) => one.place - other.place).flatMap(({ lines }) => lines);
}

/** Whether what a line says was replaced, rather than said again: by the last of those that took its place one after the other. */
function isOutdated(line: Line, successors: ReadonlyMap<Line, Line>): boolean {
  let last = line;
  for (let newer = successors.get(last); newer !== undefined; newer = successors.get(last)) last = newer;
  return last !== line && !saysAgain(last.text, line.text);
}

function sectionOf(project: string | null): Line['section'] {
  return project === null ? OF_USER : OF_PROJECT;
}

/** Joins sentences of a message, of which the second may begin with the first. */
function joined(text: string, more: string): string {
  const last = text.lastIndexOf(more.slice(0, 20));
  return last > 0 && more.startsWith(text.slice(last)) ? text.slice(0, last) + more : `${text} ${more}`;
}

function sharedOf(text: string, shown: ReadonlySet<string>): number {
  if (shown.size === 0) return 0;
  const roots = new Set(termsOf(text).map(rootOf));
  return Math.min(MAX_SHARED, [...roots].filter((root) => shown.has(root)).length);
}

/** Numbers the lines that fit in the budget: episodes within their share, then the others in their order. */
async function composeStart(
  lines: readonly Line[],
  { maxTokens, nowMs, countTokens }: { maxTokens: number; nowMs: number; countTokens: CountTokens },
): Promise<ContextAnswer> {
  const costs = await Promise.all(
    [CONTEXT_HEADING, ...START_SECTIONS.map((name) => `\n${name}:`)].map((text) => countTokens(text)),
  );
  const headingCost = new Map(START_SECTIONS.map((name, index) => [name, costs[index + 1]!]));
  let tokens = costs[0]!;
  const taken: Line[] = [];
  let skipped = 0;
  for (let at = 0; at < lines.length && skipped < MAX_SKIPPED; at += COUNTED_AT_ONCE) {
    const some = lines.slice(at, at + COUNTED_AT_ONCE);
    const counts = await Promise.all(some.map((line) => countTokens(`\n[99] ${textOf(line, nowMs)}`)));
    for (const [index, line] of some.entries()) {
      const isHeaded = taken.some(({ section }) => section === line.section);
      const cost = counts[index]! + (isHeaded ? 0 : headingCost.get(line.section)!);
      const limit = line.type === 'episode' ? EPISODE_SHARE * maxTokens : maxTokens;
      if (tokens + cost > limit) {
        skipped += 1;
        continue;
      }
      taken.push(line);
      tokens += cost;
    }
  }
  return answerOf(taken, { maxTokens, nowMs, countTokens });
}

/** Nothing was searched. */
const UNASKED = { searchId: null, confidence: null };
const UNRATED = { score: null, relevance: null };

/** Drops the last lines until the whole text fits: tokens may span lines, so the sum over lines is only an estimate. */
async function answerOf(
  taken: Line[],
  { maxTokens, nowMs, countTokens }: { maxTokens: number; nowMs: number; countTokens: CountTokens },
): Promise<ContextAnswer> {
  for (; taken.length > 0; taken.pop()) {
    const oldestFirst = taken.toSorted((one, other) => one.atMs - other.atMs);
    const ordered = START_SECTIONS.flatMap((name) => oldestFirst.filter(({ section }) => section === name));
    const lines = ordered.map((line, index) => {
      const heading = ordered[index - 1]?.section === line.section ? '' : `${line.section}:\n`;
      return `${heading}[${index + 1}] ${textOf(line, nowMs)}`;
    });
    const text = [CONTEXT_HEADING, ...lines].join('\n');
    const tokens = await countTokens(text);
    if (tokens > maxTokens) continue;
    const citations = ordered.map(({ type, id }, index) => ({ marker: `[${index + 1}]`, type, id, ...UNRATED }));
    return { ...UNASKED, text, citations, tokens };
  }
  return { ...UNASKED, text: '', citations: [], tokens: 0 };
}

function textOf({ text, atMs, origin, author }: Line, nowMs: number): string {
  const mark = originMark(origin);
  const plain = withoutTags(shortened(text));
  const by = author === null ? [] : [withoutTags(`by ${author}`)];
  const day = toTimestamp(atMs).slice(0, 10);
  const when = hasRelativeDay(plain) ? [`said ${day}`] : nowMs - atMs > RECENT_MS ? [day.slice(0, 7)] : [];
  const facts = [...by, ...(mark ? [mark] : []), ...when];
  return facts.length === 0 ? plain : `${plain} (${facts.join(', ')})`;
}

function shortened(text: string): string {
  return cut(oneLine(text), MAX_LINE_CHARACTERS);
}

function cut(line: string, limit: number): string {
  return line.length > limit ? `${line.slice(0, limit).toWellFormed()}…` : line;
}

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
import { finish, runInSlices } from '../../lib/time-slices.ts';
import { type CountTokens, quickCounter } from '../../outside/tokens.ts';
import { messageRowId } from '../conversations/message-row.ts';
import type { Principal } from '../keys/keys.ts';
import { type Language, pattern } from '../languages/language.ts';
import { languageOf } from '../languages/languages.ts';
import type { Memories } from '../memories/memories.ts';
import { piecesOf } from '../search/excerpt.ts';
import { FENCED, isPastedLine } from '../search/prompt-subject.ts';
import type { Successors } from '../search/result-page.ts';
import { factsInSentence, isShort, withoutLeading } from '../suggestions/said-facts.ts';
import { isUnspaced, termsOf } from '../text/terms.ts';
import { rootOf } from '../text/word-forms.ts';
import { type Said, saysAgain, successorsAmong } from './current.ts';
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

/** A sentence that a person said, which may hold in later sessions. */
export interface Statement {
  text: string;
  /** How much it sounds like something to keep: 0.5 to about 6. */
  weight: number;
  language: Language;
}

const MIN_WORDS = 3;
const MAX_CHARACTERS = 300;
const MIN_WEIGHT = 0.5;

/** What a rule or a preference says. */
const RULE =
  /\b(?:always|never|only|must|mustn['’]?t|do(?:es)?n['’]?t|do not|no longer|not any ?more|instead of|rather than|prefer\w*|hates?|loves?|likes?|allergic|can['’]?t|cannot|won['’]?t|shouldn['’]?t|not allowed|rules?|convention|policy|standard|by default|has to|have to)\b/i;
/** Of the person, or of what they work on with others. */
const OWN = /\b(?:I|I['’](?:m|ve|d|ll)|we|we['’](?:re|ve|d|ll)|us|our|ours|my|mine|me)\b/i;
/** Verbs by which a sentence states something. */
const STATES =
  /\b(?:is|are|was|were|isn['’]?t|aren['’]?t|has|have|had|lives?|runs?|uses?|used|works?|worked|starts?|called|named|means|stands for|belongs?|goes|sits|lies|needs|takes?|costs?|owns?|speaks?|got|moved|switched|changed|bought|born|married|keeps?|comes?|wants?|eats?|plays?|looks? after)\b|\w['’]s\b/i;
/** Names, numbers, paths and code: what is worth remembering is rarely without. */
const NAMES = /\d|`|[a-z,] [A-Z][\p{L}]|[\w-]+\/[\w-]|\w\.[a-z]{1,5}\b|--\w/u;
/** Where a request goes on with what it needs to know. */
const CLAUSE = /[,;:(–—]|\s-+\s|\b(?:because|since|as|so|but|and|remember|note)\b/gi;
/** What holds now and not later. */
const PASSING =
  /\b(?:I['’]?m (?:trying|getting|seeing|looking|stuck)|I (?:get|see|tried|think|guess|wonder|need to|want to)|thanks?|thank you|right now|today|tonight|this (?:morning|afternoon|evening|time)|just now|for now)\b|^(?:yes|no|ok(?:ay)?|sure|perfect|great|nice|good|done|hm+)\b/i;
/** Begins with what the sentence before it names. */
const REFERS = /^(?:it|its|that|this|they|their|there|these|those|she|he|her|his|him|them|both|same)\b/i;
const MAX_SUBJECT_CHARACTERS = 120;
/** Ends a question, in Chinese, Japanese and Arabic too. */
const QUESTION = /[?？؟]$/;
/** Knows the words of every script without spaces, by dictionaries. */
let words: Intl.Segmenter | undefined;
/** Begins an answer to the assistant, in other languages than English too: what follows is about the moment unless it states a fact. */
const ANSWERS = pattern(
  String.raw`^(?:thanks?|thank you|thx|ty|ok(?:ay)?|super|top|perfect|prima|danke(?: (?:dir|euch|schön|sehr|vielmals))?|vielen dank|besten dank|perfekt|klasse|toll|spitze|genial|sehr gut|gut|alles klar|passt|genau|stimmt|ja|nein|merci(?: beaucoup)?|parfait|génial|d['’]accord|très bien|c['’]est bon|oui|non|gracias|muchas gracias|perfecto|estupendo|vale|muy bien|listo|sí|grazie(?: mille)?|perfetto|ottimo|va bene|bene|benissimo|sì|obrigad[oa]|valeu|perfeito|ótimo|beleza|certo|sim|não|bedankt|dank je(?: wel)?|dankjewel|mooi|goed|geweldig|nee|dzięki|dziękuję|świetnie|idealnie|dobrze|jasne|tak|nie|спасибо(?: большое)?|отлично|супер|идеально|хорошо|понятно|да|нет|谢谢(?:你|您|了)?|多谢|好的?|太好了|完美|可以了|对|是的|不是|ありがとう(?:ございます)?|了解(?:です)?|完璧(?:です)?|いいね|はい|いいえ)(?=\s*(?:[,.!;:，。！、；：–—]|$))`,
);
const HAS_ENGLISH = /\b(?:the|a|an|is|are|to|of|and|in|for|on|we|i|my|it|with|not|you)\b/i;

/**
 * Finds the sentences of a message that state something: rules and preferences, facts of the person and of their work; not
 * requests, questions and pasted text. Of other languages than English every sentence counts that asks nothing.
 */
export function statementsOf(message: string): Statement[] {
  return finish(statementsInSteps(message));
}

function* statementsInSteps(message: string): Generator<void, Statement[]> {
  const typed = message
    .replace(FENCED, '')
    .split('\n')
    .filter((line) => !isPastedLine(line))
    .join('\n');
  const ofText = languageOf(typed);
  const statements: Statement[] = [];
  let before = '';
  for (const { text } of piecesOf(typed)) {
    const language = languageIn(text, ofText);
    const weight = weightOf(text, language);
    const needsSubject = REFERS.test(text) && before !== '' && before.length <= MAX_SUBJECT_CHARACTERS;
    if (weight >= MIN_WEIGHT) statements.push({ text: needsSubject ? `${before} ${text}` : text, weight, language });
    before = text;
    yield;
  }
  return statements;
}

/** The language of a sentence: a short one is in that of its text. */
function languageIn(sentence: string, ofText: Language): Language {
  const own = languageOf(sentence);
  return own.code === 'en' && isShort(sentence) ? ofText : own;
}

/** How much a sentence sounds like something to keep; 0 or less for what does not. */
function weightOf(sentence: string, language: Language): number {
  if (sentence.length > MAX_CHARACTERS || QUESTION.test(sentence) || countWords(sentence) < MIN_WORDS) return 0;
  const { said } = language;
  if (language.code !== 'en') {
    if (factsInSentence(sentence, language).length > 0) return 2;
    const isOfMoment = said.notKept.test(sentence) || ANSWERS.test(sentence.trim());
    return isOfMoment || said.asks.test(withoutLeading(sentence, said)) ? 0 : 1;
  }
  if (!said.asks.test(sentence))
    return [HAS_ENGLISH, PASSING, ANSWERS].some((words) => words.test(sentence)) ? stated(sentence) : 1;
  // The longest rest of a request after its first part.
  const clause = [...sentence.matchAll(CLAUSE)].find(
    ({ index, 0: mark }) => stated(sentence.slice(index + mark.length)) >= 2,
  );
  return clause === undefined ? 0 : stated(sentence.slice(clause.index + clause[0].length)) - 1;
}

function countWords(sentence: string): number {
  if (!isUnspaced(sentence)) return sentence.split(' ').length;
  words ??= new Intl.Segmenter('en', { granularity: 'word' });
  return [...words.segment(sentence)].filter(({ isWordLike }) => isWordLike).length;
}

function stated(text: string): number {
  const has = (pattern: RegExp, weight: number) => (pattern.test(text) ? weight : 0);
  const states = has(RULE, 2) + has(OWN, 1) + has(STATES, 1);
  return states === 0 ? 0 : states + has(NAMES, 1) - has(PASSING, 2);
}

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
      ...{ memories: stored, folder: query, isRejected },
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
  /** Whether somebody rejected that a newer memory takes the place of an older one. */
  isRejected: Successors['isRejected'];
}

/** Lists the sessions, then what holds, the heaviest first; of two lines of the same weight the newer. */
function* linesOf({ memories, messages, episodes, folder, isRejected }: Sources): Generator<void, Line[]> {
  const shown = new Set(termsOf(folder).map(rootOf));
  const said: Line[] = [];
  for (const { id, content, project, at, pinned, origin, author = null } of memories) {
    const text = shortened(content);
    const weight = MEMORY_WEIGHT + Math.max(0, weightOf(text, languageOf(text))) / 2;
    const section = pinned === 1 ? PINNED : sectionOf(project);
    said.push({ type: 'memory', id, section, text, weight, atMs: at, origin, author });
    yield;
  }
  said.push(...(yield* sentencesOf(messages.filter(({ isReplaced }) => !isReplaced))));
  const successors = yield* successorsAmong(said, (older, newer) => isRejected(older.id, newer.id));
  const lines = new Map<string, Line>();
  for (const line of said) {
    if (line.section !== PINNED && successors.has(line)) continue;
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
  return [...(yield* sessionsOf(episodes, messages, { said, successors })), ...heaviestFirst];
}

/** Lists the sessions without what is no longer current of what was said in them. */
function* sessionsOf(
  episodes: readonly StoredEpisode[],
  messages: readonly SaidText[],
  { said, successors }: { said: readonly Line[]; successors: ReadonlyMap<Line, Line> },
): Generator<void, Line[]> {
  const saidIn = new Map(
    episodes.map(({ conversationId }): [string | null, SaidInSession] => [
      conversationId,
      { replaced: [], outdated: [], current: [] },
    ]),
  );
  const conversationOf = new Map(messages.map(({ id, conversationId }) => [id, conversationId]));
  for (const line of said) {
    const session = line.type === 'message' ? saidIn.get(conversationOf.get(line.id) ?? null) : undefined;
    session?.[isOutdated(line, successors) ? 'outdated' : 'current'].push(line.text);
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
  const facts = [...by, ...(mark ? [mark] : []), ...(nowMs - atMs > RECENT_MS ? [toTimestamp(atMs).slice(0, 7)] : [])];
  return facts.length === 0 ? plain : `${plain} (${facts.join(', ')})`;
}

function shortened(text: string): string {
  const line = oneLine(text);
  return line.length > MAX_LINE_CHARACTERS ? `${line.slice(0, MAX_LINE_CHARACTERS).toWellFormed()}…` : line;
}

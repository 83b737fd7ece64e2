import { mayReplace, type Origin } from '../../contract/origin.ts';
import type { ItemType } from '../../contract/search.ts';
import { english } from '../languages/english.ts';
import type { Language } from '../languages/language.ts';
import { stateSubject } from '../languages/state-subject.ts';
import { rootOf } from '../text/word-forms.ts';
import {
  isOfAnother,
  keepsAskedNumbers,
  type Replacement,
  rarityAmong,
  type SentenceWords,
  sentenceWordsOf,
  shareSubject,
  statesSameKind,
  surelyReplaces,
} from './sentence-replacement.ts';
import { MIN_SHARED, MIN_SHARED_SHARE, type StatementReader, statementReader, type Words } from './statement-words.ts';

/** A result as a statement that a newer one may replace. */
export interface Statement {
  type: ItemType;
  id: string;
  content: string;
  atMs: number;
  /** For a message, who said it: only they can take it back. */
  speaker: string | null;
  origin: Origin | null;
  /** When it was stored, in epoch milliseconds. */
  storedAtMs: number;
  /** When feedback last named it as used for words of this query; `undefined` if it did not. */
  usedAtMs: number | undefined;
}

/**
 * Longer texts make several statements, and turns of a dialogue even more so: up to 120 characters, R@10 and MRR of LoCoMo,
 * REALTALK and BEAM do not change; up to 200, LoCoMo loses .001 and .002.
 */
export const MAX_STATEMENT_CHARACTERS: Readonly<Record<ItemType, number>> = { memory: 200, message: 120, episode: 0 };
/** Texts that share this many first words, one of them asked for, are about the same thing: "my phone is …". */
const SAME_BEGINNING = 3;
/** Without one of these, what begins alike may go on with many things: "I learned to …". */
const BEING: ReadonlySet<string> = new Set(['is', 'are', 's', 're', 'was', 'were']);
/** Applies if the newer statement announces a change. */
const MIN_SHARED_OF_CHANGE = 0.3;
/** Words by which a change contradicts others: someone who "moved" no longer "lives" there. */
const STATES: ReadonlySet<string> = new Set(
  'live work use call name own drive take wear lead'.split(' ').flatMap((word) => [rootOf(word), word]),
);

/** What happens on the same day need not be the same. */
const TIMES: ReadonlySet<string> = new Set(
  `monday tuesday wednesday thursday friday saturday sunday january february march april may june july august september
  october november december spring summer autumn fall winter`
    .split(/\s+/)
    .flatMap((word) => [rootOf(word), rootOf(`${word}s`)]),
);

/** Another value is one of something else where the subject is another. */
const VALUES: ReadonlySet<Replacement> = new Set<Replacement>(['value', 'changed value']);

/**
 * Moves each newer statement about the same thing in front of the older one: "Ada moved to Graz" before "Ada lives in
 * Linz". Calls `onRestated` for each pair, and for memories that stood in this order but of which the newer replaces the
 * older. Two statements are about the same thing if they share most of their words or begin alike, or if the newer one
 * announces a change of what is asked for; and if the newer one holds all words of the query that the older one holds, except
 * one if it announces a change. Two memories also are if `surelyReplaces` holds, and the newer has the names and numbers
 * that the query asks the older for. What the user used for such words since the newer one was stored keeps its place, and so
 * do pairs for which somebody rejected it, and the rest.
 */
export function newestFirst<T>(
  items: readonly T[],
  statementOf: (item: T) => Statement,
  asked: ReadonlySet<string>,
  onRestated: (newer: T, older: T) => void,
  {
    reader = statementReader(),
    isRejected = () => false,
  }: { reader?: StatementReader; isRejected?: (olderId: string, newerId: string) => boolean } = {},
): T[] {
  const remaining = items.map((item) => ({ item, statement: statementOf(item) }));
  const words = new Map<string, Words>();
  const wordsIn = ({ id, content }: Pick<Statement, 'id' | 'content'>) => {
    const found = words.get(id) ?? reader.wordsOf(content);
    words.set(id, found);
    return found;
  };
  const ones = new Set(remaining.map(({ statement }) => statement).filter(isOne));
  const sentences = new Map(
    remaining
      .filter(({ statement }) => statement.type === 'memory' && ones.has(statement))
      .map(({ statement }) => [statement.id, sentenceWordsOf(statement.content, reader, wordsIn(statement))]),
  );
  const tells = rarityAmong(sentences.values());
  /** Makes a rule about sentences one about statements, of which only memories are read as sentences. */
  const ofStatements = (rule: (newer: SentenceWords, older: SentenceWords) => boolean) => {
    return (one: Statement, older: Statement) => {
      const [now, then] = [sentences.get(one.id), sentences.get(older.id)];
      return now !== undefined && then !== undefined && rule(now, then);
    };
  };
  const replaces = ofStatements((newer, older) => replacesAsked(newer, older, asked, tells));
  const changes = ofStatements((newer, older) => takesPlace(newer, older, asked, tells));
  const readSentence = ({ id, content }: Statement) =>
    sentences.get(id) ?? sentenceWordsOf(content, reader, wordsIn({ id, content }));
  const belongsApart = (one: Statement, older: Statement) => isOfAnother(readSentence(one), readSentence(older));
  const mayRestate = (one: Statement, older: Statement) =>
    ones.has(one) &&
    ones.has(older) &&
    canReplace(one, older) &&
    !isRejected(older.id, one.id) &&
    !isStateOfAnother(one, older, reader);
  const restates = (one: Statement, older: Statement) =>
    mayRestate(one, older) &&
    ((saysTheSame(wordsIn(one), wordsIn(older), asked, reader) && !belongsApart(one, older)) ||
      replaces(one, older) ||
      changes(one, older) ||
      changesState(one, older, asked, reader));
  const ordered: typeof remaining = [];
  for (let [first] = remaining; first !== undefined; [first] = remaining) {
    const older = first.statement;
    const same = [first, ...remaining.filter(({ statement }) => restates(statement, older))];
    const newest = newestOf(same);
    for (const other of same) if (other !== newest) onRestated(newest.item, other.item);
    // The first rule orders; to mark what stood behind already, it takes too much for the same.
    const before = ordered.filter(
      ({ statement }) => mayRestate(statement, newest.statement) && replaces(statement, newest.statement),
    );
    if (before.length > 0) onRestated(newestOf(before).item, newest.item);
    remaining.splice(remaining.indexOf(newest), 1);
    ordered.push(newest);
  }
  return ordered.map(({ item }) => item);
}

/** Whether the newer takes the place of the older by its words, and has what the query asks the older for. */
function replacesAsked(
  newer: SentenceWords,
  older: SentenceWords,
  asked: ReadonlySet<string>,
  tells: (root: string) => number,
): boolean {
  const by = surelyReplaces(newer, older, tells);
  if (by === undefined || !keepsAsked(newer, older, asked)) return false;
  if (VALUES.has(by) && !keepsSubject(newer, older, asked)) return false;
  return newer.traits().announcesChange || isAboutTheSame(newer, older, asked);
}

/**
 * Whether the newer has what is asked of the older, or as much else that is asked for. Without it, both may be worded alike
 * about two things: "the spare ladder is behind the pot" for "the spare key is under the pot", where the key is asked for.
 */
function isAboutTheSame(newer: SentenceWords, older: SentenceWords, asked: ReadonlySet<string>): boolean {
  const missing = [...older.roots].filter((root) => asked.has(root) && !newer.roots.has(root));
  const others = [...newer.roots].filter((root) => asked.has(root) && !older.roots.has(root));
  return missing.length <= others.length;
}

/**
 * Returns for each older statement the newest one that takes its place, among statements that the query did not find;
 * `tells` as for `replacementOf`, over all statements of the user.
 */
export function followersOf(
  older: readonly Statement[],
  others: readonly Statement[],
  asked: ReadonlySet<string>,
  tells: (root: string) => number,
  reader: StatementReader,
): Map<string, string> {
  const found = new Map<string, string>();
  const read = others
    .filter(isOne)
    .map((statement) => ({ statement, words: sentenceWordsOf(statement.content, reader) }));
  for (const one of older) {
    const then = sentenceWordsOf(one.content, reader);
    const newer = read.filter(
      ({ statement, words }) =>
        statement.id !== one.id &&
        canReplace(statement, one) &&
        // Statements of two things are worded alike: the lamp in the hall is not the clock in the hall.
        words.traits().announcesChange &&
        (replacesAsked(words, then, asked, tells) || takesPlace(words, then, asked, tells)),
    );
    if (newer.length > 0) found.set(one.id, newestOf(newer).statement.id);
  }
  return found;
}

/** Whether the newer has the names and numbers that the query asks the older for: Ben's work does not replace Anna's. */
export function keepsAsked(newer: SentenceWords, older: SentenceWords, asked: ReadonlySet<string>): boolean {
  return (
    keepsAskedNumbers(newer, older, asked) &&
    [...older.traits().names].every((name) => !asked.has(name) || newer.roots.has(name))
  );
}

/** Whether the newer has the subject of the older, if that is asked for, or refers to one: "she". */
function keepsSubject(newer: SentenceWords, older: SentenceWords, asked: ReadonlySet<string>): boolean {
  const [subject = ''] = older.roots;
  return !asked.has(subject) || newer.roots.has(subject) || newer.traits().refers;
}

/**
 * Whether the newer announces a change of what is asked of the older, though it may leave out the words that are asked for:
 * it says that something of the older is over, or both share a rare word and state a value of one kind. "Emil's first bell is 8:20, new timetable" for "school starts at 8:00 for Emil".
 */
function takesPlace(
  newer: SentenceWords,
  older: SentenceWords,
  asked: ReadonlySet<string>,
  tells: (root: string) => number,
): boolean {
  const shared = older.telling.filter((root) => newer.roots.has(root) && !TIMES.has(root) && tells(root) >= 1);
  if (shared.length === 0 || !keepsAsked(newer, older, asked) || isOfAnother(newer, older)) return false;
  const [now, then] = [newer.traits(), older.traits()];
  if (!now.announcesChange) return false;
  // What is at a place or has a number may be another; what a name stands for is the same.
  const isNamed = shared.some((root) => now.names.has(root) || then.names.has(root));
  if (!isNamed && !keepsSubject(newer, older, asked)) return false;
  return shared.some((root) => now.ended.has(root)) || statesSameKind(now, then);
}

/** Whether the newer announces that a state is over which the older is in: by the rules of other languages than English. */
function changesState(
  newer: Statement,
  older: Statement,
  asked: ReadonlySet<string>,
  { reading, wordsOf }: StatementReader,
): boolean {
  if (reading === undefined || ![...wordsOf(older.content).roots].some((root) => asked.has(root))) return false;
  const { language } = reading;
  const { relatives } = language.statements;
  const [now, then] = [newer, older].map(({ content }) =>
    language
      .wordsOf(content)
      .filter((word) => relatives.has(word))
      .join(),
  );
  return now === then && endsState(newer.content, older.content, language);
}

/** Whether the newer announces that somebody else, not the speaker, is no longer in the state that the older is in: by the same rules. */
function isStateOfAnother(newer: Statement, older: Statement, { reading }: StatementReader): boolean {
  const subjects = reading === undefined ? [] : subjectsOfState(newer, older, reading.language);
  return subjects.length > 0 && subjects.every(([now, then]) => now !== '' && now !== then);
}

/** Whether a text announces that whoever is in a state by an older one no longer is: "I moved to Graz" after "I live in Linz". */
export function endsState(newer: string, older: string, language: Language): boolean {
  return subjectsOfState({ content: newer }, { content: older }, language).some(([now, then]) => now === then);
}

/** Whose state the newer says is over, and who is in it by the older. */
function subjectsOfState(
  { content: newer }: Pick<Statement, 'content'>,
  { content: older }: Pick<Statement, 'content'>,
  language: Language,
) {
  return language.statements.transitions.flatMap(({ states, changes, others }) => {
    const [state, change] = [states.exec(older), changes.exec(newer)];
    if (state === null || change === null || others.test(newer) || others.test(older)) return [];
    return [[stateSubject(newer, change.index, language), stateSubject(older, state.index, language)] as const];
  });
}

/**
 * Puts what holds of the speaker in front of what holds of somebody else, for a question about the speaker: "we moved to Cádiz"
 * before "my sister lives in Dublin". Only states of which everybody has one are known, such as a home; `asked` are the
 * roots of the question. Returns the items in their new order.
 */
export function ownFirst<T>(
  items: readonly T[],
  contentOf: (item: T) => string,
  asked: ReadonlySet<string>,
  reader: StatementReader,
): T[] {
  const ordered = [...items];
  const { transitions } = (reader.reading?.language ?? english).statements;
  for (const { states, changes, others } of transitions) {
    const told = ordered
      .filter((item) => [states, changes].some((one) => one.test(contentOf(item))) && !others.test(contentOf(item)))
      .map((item) => ({ item, ...sentenceWordsOf(contentOf(item), reader).traits() }));
    const isAsked = (root: string | undefined) => root !== undefined && asked.has(root);
    const other = told.find(({ about, names }) => about !== undefined && ![about, ...names].some(isAsked));
    const at = other === undefined ? -1 : ordered.indexOf(other.item);
    const own = ordered.findIndex(
      (item, index) => index > at && told.some((one) => one.item === item && one.about === undefined),
    );
    if (at >= 0 && own > at) ordered.splice(at, 0, ...ordered.splice(own, 1));
  }
  return ordered;
}

/** Whether one text may replace another, if each is one statement. */
export function canReplace(newer: Statement, older: Statement): boolean {
  return (
    newer.type === older.type &&
    newer.speaker === older.speaker &&
    mayReplace(newer.origin, older.origin) &&
    isNewer(newer, older) &&
    !isPreferred(older, newer)
  );
}

/** Whether the user went on using the older statement when the newer one was known, and used the newer one less recently. */
function isPreferred(older: Statement, newer: Statement): boolean {
  const { usedAtMs } = older;
  return usedAtMs !== undefined && usedAtMs > newer.storedAtMs && usedAtMs > (newer.usedAtMs ?? 0);
}

/** A question, unless the text answers it: "Flags? They are in Unleash". */
const ASKS = /\?(?!\s+\p{Lu}[^?]+$)/u;

/** Whether a text is one statement: short, and not a question. */
export function isOne({ type, content }: Statement): boolean {
  return content.length <= MAX_STATEMENT_CHARACTERS[type] && !ASKS.test(content);
}

export function newestOf<Of extends { statement: Statement }>(some: readonly Of[]): Of {
  return some.reduce((latest, other) => (isNewer(other.statement, latest.statement) ? other : latest));
}

/** Ids are in the order of writing. */
function isNewer(one: Statement, other: Statement): boolean {
  return one.atMs === other.atMs ? one.id > other.id : one.atMs > other.atMs;
}

function saysTheSame(newer: Words, older: Words, asked: ReadonlySet<string>, reader: StatementReader): boolean {
  const answered = [...asked].filter((root) => older.roots.has(root));
  const isExcused = (root: string) => newer.hasChange && STATES.has(root);
  if (!answered.every((root) => newer.roots.has(root) || isExcused(root))) return false;
  if (beginAlike(newer.terms, older.terms, asked, reader)) return true;
  if (reader.reading === undefined && !shareSubject(newer, older)) return false;
  const { shared, share } = sharedRoots(newer, older);
  const isAbout = shared.some((root) => asked.has(root) && !reader.isCommon(root));
  if (newer.hasChange && isAbout && share >= MIN_SHARED_OF_CHANGE) return true;
  return shared.length >= MIN_SHARED && share >= MIN_SHARED_SHARE;
}

/** The roots that both have, and their share of those of the shorter one. */
function sharedRoots(newer: Words, older: Words): { shared: string[]; share: number } {
  const shared = [...older.roots].filter((root) => newer.roots.has(root));
  return { shared, share: shared.length / Math.min(newer.roots.size, older.roots.size) };
}

function beginAlike(
  one: readonly string[],
  other: readonly string[],
  asked: ReadonlySet<string>,
  { reading, isStopWord, rootOf: rootIn }: StatementReader,
): boolean {
  const beginning = one.slice(0, SAME_BEGINNING);
  return (
    beginning.length === SAME_BEGINNING &&
    beginning.every((term, at) => term === other[at]) &&
    one.slice(0, SAME_BEGINNING + 1).some((term) => (reading?.language.statements.singleValued ?? BEING).has(term)) &&
    beginning.some((term) => !isStopWord(term) && asked.has(rootIn(term)))
  );
}

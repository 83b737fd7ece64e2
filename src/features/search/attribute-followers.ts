import { english } from '../languages/english.ts';
import { termsOf } from '../text/terms.ts';
import { rootOf } from '../text/word-forms.ts';
import { TRAIT } from '../traits/traits.ts';
import { type AttributeReader, attributeReaderOf, type Mention } from './attributes.ts';
import type { ParsedQuery } from './parsed-query.ts';
import { canReplace, isOne, keepsAsked, newestOf, type Statement } from './restatements.ts';
import { OWNED, type SentenceWords, sentenceWordsOf } from './sentence-replacement.ts';
import { type StatementReader, statementReader } from './statement-words.ts';

/** A question for what somebody has one of at a time: "what phone have I got?". */
export interface AttributeQuestion {
  text: string;
  /** The attributes that it asks for. */
  attributes: ReadonlySet<string>;
  /** Roots of its words that do not name an attribute. */
  asked: ReadonlySet<string>;
  /** Roots of the words of the attributes. */
  words: ReadonlySet<string>;
  asksForNumber: boolean;
  /** Its terms, and who owns what is asked for: "Sam's phone". */
  terms: ReadonlySet<string>;
  owners: readonly string[];
  /** Words for relatives, of whom a statement may be instead. */
  relatives: ReadonlySet<string>;
  statements: StatementReader;
  reader: AttributeReader;
}

/** Reads which attributes a query asks for; `undefined` for none. */
export function attributeQuestionOf(text: string, parsed: ParsedQuery): AttributeQuestion | undefined {
  const language = parsed.reading?.language ?? english;
  const reader = attributeReaderOf(language);
  if (reader === undefined) return undefined;
  const mentions = reader.mentionsIn(text).filter(({ isValue }) => !isValue);
  if (mentions.length === 0) return undefined;
  const attributes = new Set(mentions.map(({ attribute }) => attribute));
  const words = reader.rootsOf(attributes);
  const { answerTraits } = parsed;
  return {
    ...{ text, attributes, words, reader, statements: statementReader(parsed.reading) },
    relatives: language.statements.relatives,
    terms: new Set(termsOf(text)),
    owners: [...text.matchAll(OWNED)].map(([, name = '']) => name),
    asked: new Set(parsed.terms.map(rootOf).filter((root) => !words.has(root))),
    asksForNumber: (answerTraits & (TRAIT.time | TRAIT.number)) !== 0 && (answerTraits & TRAIT.name) === 0,
  };
}

interface Read {
  statement: Statement;
  words: SentenceWords;
  /** Of the attributes that are asked for. */
  mentions: readonly Mention[];
}

/**
 * Returns for each older statement the newest one, of these and others, that announces a change of the attribute which is
 * asked for, of the same subject: "Smashed the Pixel, so it is a Fairphone" for "Phone's a Pixel" and "what phone have I got?".
 */
export function attributeFollowersOf(
  older: readonly Statement[],
  others: readonly Statement[],
  question: AttributeQuestion,
): Map<string, string> {
  const { attributes, reader, statements } = question;
  const read = (some: readonly Statement[]): Read[] =>
    some
      .filter(isOne)
      .map((statement) => ({
        statement,
        mentions: reader.mentionsIn(statement.content).filter(({ attribute }) => attributes.has(attribute)),
      }))
      .filter(({ mentions }) => mentions.length > 0)
      .map((one) => ({ ...one, words: sentenceWordsOf(one.statement.content, statements) }));
  const replaced = read(older);
  const newer = [...replaced, ...read(others)];
  const found = new Map<string, string>();
  for (const one of replaced) {
    const following = newer.filter(
      (other) =>
        other.statement.id !== one.statement.id &&
        canReplace(other.statement, one.statement) &&
        other.mentions.some(({ attribute }) => one.mentions.some((mention) => mention.attribute === attribute)) &&
        (announces(other, question) || statesAnother(other, one, question)) &&
        answers(one, other, question) &&
        isOfSameSubject(other, one, question),
    );
    if (following.length > 0) found.set(one.statement.id, newestOf(following).statement.id);
  }
  return found;
}

/** Whether a statement announces a change, and names a value or a new one: "new habit: no phone after ten" is no new phone. */
function announces({ statement: { content }, mentions }: Read, { reader }: AttributeQuestion): boolean {
  return reader.changes.test(content) && mentions.some(({ isValue, isNew }) => isValue || isNew);
}

/** Whether the newer names a value, and something else of the older that is not asked for. */
function statesAnother(newer: Read, older: Read, { asked, words, statements }: AttributeQuestion): boolean {
  const isOther = (root: string) => !asked.has(root) && !words.has(root) && !statements.isCommon(root);
  return (
    newer.mentions.some(({ isValue }) => isValue) &&
    older.words.telling.some((root) => newer.words.roots.has(root) && isOther(root))
  );
}

/** Whether the older is about what is asked, and the newer has the kind of value. */
function answers(older: Read, newer: Read, question: AttributeQuestion): boolean {
  const { asked, asksForNumber, reader, statements } = question;
  const { content } = newer.statement;
  if (asksForNumber && !reader.numbers.test(content)) return false;
  if (newer.mentions.every(({ attribute }) => reader.states[attribute]?.test(content) === false)) return false;
  // "Which part of Bristol do we live in?"
  const isPlace = older.mentions.some(({ attribute }) => attribute === 'live');
  const subjects = [...asked].filter((root) => !isPlace && !statements.isCommon(root) && !reader.isVerb(root));
  if (subjects.length > 0) return subjects.some((root) => older.words.roots.has(root));
  return older.mentions.some(({ isValue, isFirst }) => isValue || isFirst);
}

/** A sentence about somebody or something with a name. */
const NAMED = /^(\p{Lu}[\p{L}\p{N}]+)(?:['’]s)?[ ,](?!the\b|my\b|our\b|a\b)/u;

/** Whether the newer is not of somebody else than the older, and of whom the question names. */
function isOfSameSubject(newer: Read, older: Read, question: AttributeQuestion): boolean {
  const { asked, words, relatives, reader, statements, terms: askedTerms, owners } = question;
  if (!keepsAsked(newer.words, older.words, asked)) return false;
  const [now, then] = [newer.statement.content, older.statement.content];
  const [terms, thenTerms] = [now, then].map((one) => new Set(termsOf(one)));
  const isNew = (term: string) => !askedTerms.has(term) && !thenTerms!.has(term);
  const isHeld = (name: string) => termsOf(name).some((term) => terms!.has(term));
  const refers = reader.persons.test(now);
  for (const relative of relatives) {
    if (terms!.has(relative) ? isNew(relative) : !refers && !isNew(relative)) return false;
  }
  const says = (term: string) => !statements.isStopWord(term) && !statements.isCommon(term) && !words.has(rootOf(term));
  const isName = (name = '') => termsOf(name).some(says);
  if (!refers && !owners.filter(isName).every(isHeld)) return false;
  const shares = older.words.telling.some((root) => newer.words.roots.has(root) && !words.has(root));
  if (!newer.mentions.some(({ attribute }) => reader.people.has(attribute))) {
    const names = [NAMED.exec(now)?.[1] ?? '', ...ownersIn(now, words)].filter(isName);
    // A sentence may begin with its verb: "Moved papercut to Hetzner".
    const isOther = (name: string) => termsOf(name).every(isNew) && !reader.changes.test(`${name} the `);
    if (names.some(isOther)) return false;
    if (!refers && !shares && !ownersIn(then, words).every(isHeld)) return false;
  }
  const isMissing = (root: string) => asked.has(root) && !newer.words.roots.has(root) && !statements.isCommon(root);
  return shares || ![...older.words.roots].some(isMissing);
}

/** Who owns what is named by one of the words: "Sam's new phone". */
function ownersIn(text: string, words: ReadonlySet<string>): string[] {
  const owned = [...text.matchAll(OWNED)].filter(([, , what = '']) => words.has(rootOf(what.toLowerCase())));
  return owned.map(([, name = '']) => name);
}

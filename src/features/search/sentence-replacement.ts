import { english } from '../languages/english.ts';
import { termsOf } from '../text/terms.ts';
import { rootOf } from '../text/word-forms.ts';
import { wordsIn } from './foreign-query.ts';
import { MIN_SHARED, MIN_SHARED_SHARE, type StatementReader, statementReader, type Words } from './statement-words.ts';

/** A sentence, read for `replacesSentence`. */
export interface SentenceWords {
  /** Roots without stop words, words of change and numbers: those are values, which a change replaces. */
  roots: ReadonlySet<string>;
  numbers: ReadonlySet<string>;
  /** Of these, those that few sentences of any subject have. */
  telling: readonly string[];
  traits(): SentenceTraits;
  /** The first two roots without the further words of names. */
  beginning(): readonly string[];
}

/** What is read of a sentence if it may replace another or be replaced. */
interface SentenceTraits {
  /** The further words of names: `Amélia` in `Dona Amélia`, which is one thing. */
  restOfNames: ReadonlySet<string>;
  /** Words that begin with a capital letter. */
  names: ReadonlySet<string>;
  /** Which kinds of values it states. */
  values: readonly boolean[];
  /** Numbers that name a thing rather than being its value: "number 7", "#7", "INC-0147". */
  identifiers: readonly string[];
  /** Each two of several things that it names beside each other. */
  several(): readonly (readonly string[])[];
  announcesChange: boolean;
  /** Whether it may be about something that it does not name. */
  refers: boolean;
  /** What it says is over: "replaced borg", "Graciete has retired". */
  ended: ReadonlySet<string>;
  /** All that it says is over, behind the verb: "no longer drink _coffee in the evening_". */
  endedWith: readonly string[];
  /** What belongs to whom: "Tom's father". */
  owners: ReadonlyMap<string, string>;
  /** Whom it is about, if a relative or other people than the speaker's: "my sister", "the design team". */
  about: string | undefined;
  /** Whether it begins with the speaker. */
  isOfSpeaker: boolean;
}

/** Words and times that announce a change in a sentence which need not share its verb with the older one. */
const ANNOUNCES =
  /(?<![\p{L}\p{N}])(?:no (?:longer|more)|not any ?more|instead|(?:from|since|as of|starting|until) (?:the )?(?:\d|next|this|last|jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?|spring|summer|autumn|fall|winter|(?:mon|tues|wednes|thurs|fri|satur|sun)days?)|extend(?:ed|s)?|reach(?:ed|es)|join(?:ed|s)|took over|takes over|gone|rolled out|migrated|merged|swapped|gave up|given up|by now|these days|nowadays|after all|again|meanwhile|(?:went|gone|goes|comes?|put|is|are|was) (?:up|down) to|up from|down from|put off|brought forward|rescheduled|reschedules|moving|relocat(?:ed|ing)|transferred|shifted|slipped|bumped|doubled|halved|cut (?:back|down|to)|succeed(?:ed|s)|hand(?:ed|s) over|passed to|appointed|elected|promoted|inherited|hired|signed up|ended up|landed (?:with|at|on)|turned (?:into|out)|settled (?:on|for|in)|(?:started|began|stopped) \w+ing|back (?:on|to|at)|(?:cut|switched|moved|changed|put) (?:it|us|them|me|him|her)|hasn['’]t .{1,30}since|ran out|went (?:bankrupt|bust)|(?:didn|doesn|don)['’]t work out|made the move|(?:put|brought|got) (?:us|me|it|them) (?:up|down) to|cut it|finally|from now on|at last|took up|gave notice|dug up|traded|downgraded|phased out|ported|outgrew|outgrown)(?![\p{L}\p{N}])/iu;

/** What is over, as the object of a verb. */
const ENDED_OBJECT =
  /\b(?:replaced|dropped|retired|cancell?ed|sold|ditched|scrapped|abandoned|removed|instead of|rather than|no more|(?:got|get) rid of|done with|took over from|(?:switched|moved|migrated|changed|away|swapped)(?: \w+)? from|renamed .{1,60}? from|no longer(?: \w+)?|stopped(?: \w+ing)?|gave up|given up|swapped|quit|resigned from|deleted|uninstalled|unsubscribed from|parted with|moved out of|out of(?! the box)|(?:don['’]t|doesn['’]t|do not|does not|nobody|no one|never)(?: \w+){1,2}?(?=(?: [\w-]+){1,3}? any ?(?:more|longer)\b))\s+(?:the |my |our |a |an )?(?:last |old )?([\p{L}\p{N}_.-]{2,40})/giu;
/** What is over, as the subject. */
const ENDED_SUBJECT =
  /(?<!\bof (?:the |my |our )?)\b([\p{L}\p{N}_.-]{2,40}?)(?:['’]s)? (?:(?:has |have |is |was |got |had |has been |have been |has got |just )?(?:retired|gone|died|expired|discontinued|shut down|passed away|no longer|off to|off the list|out of business|moved out|moved away|stepped down|resigned|ran out|decommissioned|stolen|thrown (?:out|away)|(?:kicked|phased|ripped|taken) out|switched off|turned off|broke down|on (?:sabbatical|leave)|history|went (?:bankrupt|away|under|to))\b|(?:is |was |got |has been |gets )(?:ended|cancell?ed|closed|sold|deprecated|archived|replaced)\b|(?<!\b(?:floor|hand|side|door|corner|top|bottom) )(?:left|quit|ended|closed|cancell?ed)(?= (?:the |our )(?:company|firm|team|project|group)\b|\s*(?:[.,;!–—-]|$)))/giu;
/** What it is no longer used under. */
const ENDED_CONTRACT =
  /\b([\p{L}\p{N}_.-]{2,40}) (?:contract|subscription|licen[cs]e|membership|trial) (?:has |have |is |was |just )?(?:ended|ran out|run out|expired|lapsed|over|not renewed|cancell?ed)\b/giu;
/** All that is over, to the end of the clause, behind the verb. */
const ENDED_CLAUSE =
  /\b(?:no longer(?: \p{L}+)?|(?:do|does|did|is|are|am|was|were|can|could|will)(?:n['’]t| not)(?: \p{L}+)?(?=.* any ?(?:more|longer)\b))(.*?)(?=[,;.:(–—]|\b(?:because|since|so|but|as of|any ?more|any ?longer)\b|$)/giu;
/** Of several things, two that stand beside each other: "Netflix and Spotify", "a donkey, two goats and hens". */
const SEVERAL_THINGS =
  /([\p{L}\p{N}.-]+)(?:,(?=[^;.]* (?:and|or|und|oder|et|ou|y|e|i|oraz|и|或|和|と|や) )| (?:and|or|und|oder|et|ou|y|e|i|oraz|и|或|和|と|や)) (?:[\p{L}\p{N}]{1,5} )?(?=([\p{L}\p{N}.-]+))/gu;
/** What a pronoun before it stands for is over: "it gave me a cough, so we swapped it for candesartan". */
const EXCHANGE =
  /\b(?:swapped|replaced|switched|exchanged|traded|changed) (?:it|him|her|them) (?:for|with|to|by|out)\b/i;
const REFERS = /\b(?:he|she|it|they|him|her|his|its|their|them)\b/i;
/** Who owns what. From the beginning of a word only: between other than ASCII letters, `\b` is everywhere. */
export const OWNED = /(?<![\p{L}\p{M}\p{N}_])(\p{Lu}\p{L}+)['’]s (?:new |old |own )?(\p{L}+)/gu;
/** Other people than the speaker's own; "the team" alone is mostly theirs. */
const OTHERS =
  /^(?:the|another|an?|some|their) (?:(?:[\p{L}-]+ )?(customer|client|supplier|vendor|competitor|contractor)|[\p{L}-]+ (team|department|squad))s?(?:['’]s)?\b(?!.*\b(?:we|us|our|my)\b)/iu;
/** Words at the beginning, among which is whom a sentence is about. */
const SUBJECT_WORDS = 4;
const MAX_SUBJECT_CHARACTERS = 80;
const IDENTIFIER = /(?<=\bnumber )\d+|#\d+|\b\p{Lu}{2,}-\d+/gu;
/** Who likes tea may like football too. */
const SEVERAL: ReadonlySet<string> = new Set(
  'like love hate want need eat drink play know learn start begin see meet read write say have get buy keep use speak'
    .split(' ')
    .flatMap((word) => [rootOf(word), word]),
);
const NUMBER = /^\d/;
const CAPITALIZED = /(?<=\S )\p{Lu}[\p{L}\p{N}]*/gu;
const WORD_BEFORE = /(\p{L}+)\s+$/u;
const NAME = /\p{Lu}\p{L}+(?: \p{Lu}\p{L}+)+/gu;
/** A longer sentence states more than one thing. */
const MAX_VALUE_ROOTS = 6;
/** Values of which a sentence has one at a time, by what follows the number or comes with it. */
const VALUE_KINDS: readonly RegExp[] = [
  /\b\d{1,2}(?::\d\d|\s?[ap]\.?m\b)|\bhalf past\b|\bnoon\b|\bmidnight\b/i,
  /\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.? \d{1,2}(?:st|nd|rd|th)?\b|\b(?:\d{1,2}(?:st|nd|rd|th|\.)?|by|until|till) (?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)/i,
  /\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b/i,
  /[$€£]\s?\d|\d\s?(?:[$€£]|euros?\b|dollars?\b|pounds?\b|cents?\b|bucks\b|francs?\b|crowns?\b)/i,
  /\b(?:\d+|one|two|three|four|five|six|seven|eight|nine|ten|twelve) (?:minutes?|hours?|days?|weeks?|months?|years?)\b/i,
  /\bports?\b/i,
  /\b(?:v|version )?\d+\.\d+/i,
  /\d ?(?:%|percent\b|per cent\b)/i,
  /\+?\d[\d ]{6,20}\d/,
  /\b(?:room|desk|berth|spot|bay|floor|gate|ward|extension|locker|apartment|flat) (?:number )?[a-z]?\d/i,
];

/** Reads a sentence to compare it with many: its words at once, the rest when it shares some with another. */
export function sentenceWordsOf(
  sentence: string,
  reader: StatementReader = statementReader(),
  { terms, roots: all, hasChange }: Words = reader.wordsOf(sentence),
): SentenceWords {
  const roots = new Set([...all].filter((root) => !NUMBER.test(root)));
  const traits = once(() => (reader.reading ? foreignTraitsOf : traitsOf)(sentence, hasChange, reader));
  const common = reader.reading && new Set(terms.filter(reader.isCommon).map(reader.rootOf));
  return {
    roots,
    numbers: new Set([...all].filter((root) => NUMBER.test(root))),
    telling: [...roots].filter((root) => !(common ? common.has(root) : reader.isCommon(root))),
    traits,
    beginning: once(() => [...roots].filter((root) => !traits().restOfNames.has(root)).slice(0, 2)),
  };
}

function traitsOf(sentence: string, hasChange: boolean, reader: StatementReader): SentenceTraits {
  const rootsIn = (text: string) => rootsOf(text, reader);
  const ended = [ENDED_OBJECT, ENDED_SUBJECT, ENDED_CONTRACT].flatMap((pattern) =>
    [...sentence.matchAll(pattern)].flatMap(([, what = '']) => rootsIn(what)),
  );
  const exchange = EXCHANGE.exec(sentence);
  if (exchange) ended.push(...rootsIn(sentence.slice(0, exchange.index)));
  return {
    ...namesAndValuesOf(sentence, reader),
    announcesChange: hasChange || ANNOUNCES.test(sentence),
    refers: REFERS.test(sentence),
    ended: new Set(ended.filter((root) => !reader.isCommon(root))),
    endedWith: [...sentence.matchAll(ENDED_CLAUSE)].flatMap(([, what = '']) => rootsIn(what)),
  };
}

/** By the rules of another language than English. */
function foreignTraitsOf(sentence: string, hasChange: boolean, reader: StatementReader): SentenceTraits {
  const { language, ...reading } = reader.reading!;
  const ended = language.statements.over.flatMap((pattern) => {
    const terms = wordsIn(pattern.exec(sentence)?.[1] ?? '', reader.reading!);
    return terms.filter((term) => !reading.isFraming(term) && !reading.isCommon(term)).map(reading.meaningOf);
  });
  return {
    ...namesAndValuesOf(sentence, reader),
    announcesChange: hasChange || ended.length > 0,
    refers: language.said.refers.test(sentence),
    ended: new Set(ended),
    endedWith: [],
  };
}

function namesAndValuesOf(sentence: string, reader: StatementReader) {
  const { capitalizesNouns, determiners, possessives } = reader.reading?.language.statements ?? {};
  const isName = ({ index }: RegExpExecArray): boolean => {
    if (!capitalizesNouns) return true;
    const before = WORD_BEFORE.exec(sentence.slice(0, index))?.[1]?.toLowerCase() ?? '';
    return !determiners?.has(before) && !possessives?.has(before);
  };
  return {
    restOfNames: new Set((sentence.match(NAME) ?? []).flatMap((name) => restOfName(name, reader))),
    names: new Set([...sentence.matchAll(CAPITALIZED)].filter(isName).flatMap(([name]) => rootsOf(name, reader))),
    values: VALUE_KINDS.map((kind) => kind.test(sentence)),
    identifiers: sentence.match(IDENTIFIER) ?? [],
    several: once(() => severalIn(sentence, (text) => rootsOf(text, reader))),
    ...subjectOf(sentence, reader),
    owners: new Map(
      [...sentence.matchAll(OWNED)].flatMap(([, name = '', what = '']) => {
        const [[owner], [owned]] = [rootsOf(name, reader), rootsOf(what, reader)];
        return owner && owned ? [[owned, owner] as const] : [];
      }),
    ),
  };
}

function subjectOf(sentence: string, reader: StatementReader): Pick<SentenceTraits, 'about' | 'isOfSpeaker'> {
  const { wordsOf, functionWords, statements } = reader.reading?.language ?? english;
  const { relatives, speakers, possessives, determiners } = statements;
  const words = wordsOf(sentence.slice(0, MAX_SUBJECT_CHARACTERS)).slice(0, SUBJECT_WORDS);
  const at = words.findIndex((word) => relatives.has(word));
  const [first = '', second] = words.slice(0, Math.max(0, at));
  const isOf = (word: string) => possessives.has(word) || determiners.has(word);
  // "My older sister", but not "I and my sister" or "my sister and I".
  const isFirst = second === undefined ? isOf(first) : isOf(second) || (isOf(first) && !functionWords.has(second));
  const isRelative =
    (at === 0 || (at > 0 && at <= 2 && isFirst)) && !words.slice(at + 1).some((word) => speakers.has(word));
  const [, somebody, group] = (reader.reading === undefined && OTHERS.exec(sentence.trim())) || [];
  const other = isRelative ? words[at] : (somebody ?? group);
  return {
    about: other === undefined ? undefined : rootsOf(other, reader)[0],
    isOfSpeaker: other === undefined && words.some((word) => speakers.has(word)),
  };
}

/** Words by two that stand beside each other as several things. */
function severalIn(text: string, rootsIn: (text: string) => readonly string[]): string[][] {
  return [...text.matchAll(SEVERAL_THINGS)]
    .map(([, one = '', other = '']) => [one, other].flatMap((word) => rootsIn(word).slice(0, 1)))
    .filter((pair) => pair.length === 2);
}

function once<T>(compute: () => T): () => T {
  let value: T | undefined;
  return () => (value ??= compute());
}

/** By what a newer sentence takes the place of an older one. */
export type Replacement = 'most words' | 'beginning' | 'end' | 'value' | 'change' | 'changed value';

/**
 * Whether a newer sentence takes the place of an older one about the same thing: they begin alike or share most words, state
 * another value of what both name, or the newer announces a change of it, or says that it is over. `tells` says how much a
 * shared root tells that they are about the same thing: 1 for a rare one, 2 if it alone suffices.
 */
export function replacesSentence(newer: SentenceWords, older: SentenceWords, tells: (root: string) => number): boolean {
  return replacementOf(newer, older, tells) !== undefined;
}

/** Returns by what a newer sentence takes the place of an older one, if it does; see `replacesSentence`. */
export function replacementOf(
  newer: SentenceWords,
  older: SentenceWords,
  tells: (root: string) => number,
): Replacement | undefined {
  const telling = older.telling.filter((root) => newer.roots.has(root));
  if (telling.length === 0 || areNumberedApart(newer, older) || isOfAnother(newer, older)) return undefined;
  if (endsOther(newer, older)) return undefined;
  if (shareMost(newer, older)) return 'most words';
  if (beginAlike(newer, older)) return 'beginning';
  const [now, then] = [newer.traits(), older.traits()];
  const rare = telling.filter((root) => tells(root) >= 1);
  if (rare.some((root) => now.ended.has(root))) return 'end';
  const owners = new Set([...now.owners.values(), ...then.owners.values()]);
  const isNamed = (root: string) => now.names.has(root) || then.names.has(root) || owners.has(root);
  const size = Math.max(newer.roots.size, older.roots.size);
  const isOtherValue = statesSameKind(now, then) && rare.some((root) => !isNamed(root));
  if (isOtherValue && size <= MAX_VALUE_ROOTS) return 'value';
  const distinct = telling.filter((root) => !then.restOfNames.has(root));
  const isChange = now.announcesChange && distinct.reduce((sum, root) => sum + tells(root), 0) >= MIN_SHARED;
  if (isChange) return 'change';
  return isOtherValue && now.announcesChange ? 'changed value' : undefined;
}

/** Two statements that share words alone may be about two things, unless one begins with what the other names. */
const NEEDS_SUBJECT: ReadonlySet<Replacement> = new Set<Replacement>(['value', 'change']);

/** Like `replacementOf`, for two of which the newer may have been found by chance, so that what they share tells less. */
export function surelyReplaces(
  newer: SentenceWords,
  older: SentenceWords,
  tells: (root: string) => number,
): Replacement | undefined {
  const by = replacementOf(newer, older, tells);
  return by !== undefined && NEEDS_SUBJECT.has(by) && !shareSubject(newer, older) ? undefined : by;
}

/** Whether what one begins with occurs in the other. */
export function shareSubject(newer: Pick<Words, 'roots'>, older: Pick<Words, 'roots'>): boolean {
  const [now = ''] = newer.roots;
  const [then = ''] = older.roots;
  return older.roots.has(now) || newer.roots.has(then);
}

/** Whether both state a value of one kind, such as a time. */
export function statesSameKind(now: SentenceTraits, then: SentenceTraits): boolean {
  return now.values.some((has, kind) => has && then.values[kind]);
}

/** Whether the newer has the numbers that a query asks the older for: what holds of shell 8 says nothing of shell 7. */
export function keepsAskedNumbers(
  newer: SentenceWords,
  older: SentenceWords,
  asked: { has(root: string): boolean },
): boolean {
  return [...older.numbers].every((number) => !asked.has(number) || newer.numbers.has(number));
}

/** Up to so many sentences, a word is rare: it tells that two of them are about the same thing. */
export const RARE = 4;

/** Returns how much a shared root tells, by how many of these sentences have it: 1 for a rare one, less and less for others. */
export function rarityAmong(sentences: Iterable<SentenceWords>): (root: string) => number {
  const counts = new Map<string, number>();
  for (const { telling } of sentences) for (const root of telling) counts.set(root, (counts.get(root) ?? 0) + 1);
  return (root) => Math.min(1, RARE / (counts.get(root) ?? 1));
}

/** Whether both name things by numbers, and not the same. */
function areNumberedApart(newer: SentenceWords, older: SentenceWords): boolean {
  if (newer.numbers.size === 0 || older.numbers.size === 0) return false;
  const [now, then] = [newer.traits().identifiers, older.traits().identifiers];
  return now.length > 0 && then.length > 0 && !then.some((identifier) => now.includes(identifier));
}

/**
 * Whether the newer is about somebody whom the older does not name, or the older is and the newer is about the speaker; or
 * what both name belongs to somebody in the newer whom the older does not name: "Tom's father", "my father".
 */
export function isOfAnother(newer: SentenceWords, older: SentenceWords): boolean {
  const [now, then] = [newer.traits(), older.traits()];
  if (now.about !== undefined && !older.roots.has(now.about)) return true;
  if (then.about !== undefined && now.isOfSpeaker && !newer.roots.has(then.about)) return true;
  return [...newer.traits().owners].some(([owned, owner]) => older.roots.has(owned) && !older.roots.has(owner));
}

/** Whether the newer says that another thing is over than the older states, or one of several that the older names. */
export function endsOther(newer: SentenceWords, older: SentenceWords): boolean {
  const { ended, endedWith } = newer.traits();
  if (endedWith.some((root) => !NUMBER.test(root) && !older.roots.has(root))) return true;
  return (ended.size > 0 || endedWith.length > 0) && isPartOf(newer.roots, older.traits().several());
}

/** Whether one of two things that stand beside each other is named, and not the other. */
function isPartOf(named: { has(root: string): boolean }, several: readonly (readonly string[])[]): boolean {
  return several.some(([one = '', other = '']) => named.has(one) !== named.has(other));
}

/** Like `endsOther` for one of several, of a text by the words of its language. */
export function endsPart(
  text: string,
  isNamed: (word: string) => boolean,
  wordsOf: (text: string) => string[],
): boolean {
  return isPartOf({ has: isNamed }, severalIn(text, wordsOf));
}

/** Whether they share most words of the shorter one, the older one's first among them. */
function shareMost(newer: SentenceWords, older: SentenceWords): boolean {
  const [subject = ''] = older.roots;
  if (!newer.roots.has(subject)) return false;
  let shared = 0;
  let singular = 0;
  for (const root of older.roots) {
    if (!newer.roots.has(root)) continue;
    shared += 1;
    if (!SEVERAL.has(root)) singular += 1;
  }
  return singular >= MIN_SHARED && shared / Math.min(newer.roots.size, older.roots.size) >= MIN_SHARED_SHARE;
}

/** Whether both begin with the same two words, of which the second says nothing that may hold of several things. */
function beginAlike(newer: SentenceWords, older: SentenceWords): boolean {
  const [first, second] = older.beginning();
  const [newerFirst, newerSecond] = newer.beginning();
  // Potters' Union is not Potters' Arms.
  const [now, then] = [newer.traits().restOfNames, older.traits().restOfNames];
  if (now.size > 0 && then.size > 0 && ![...then].some((root) => newer.roots.has(root))) return false;
  return second !== undefined && first === newerFirst && second === newerSecond && !SEVERAL.has(second);
}

/** A sentence may begin before a name: in `Ask Dona Amélia`, the name begins with `Dona`. */
function restOfName(name: string, reader: StatementReader): string[] {
  const [first = '', second = '', ...others] = name.split(' ');
  const isBefore = reader.isStopWord(first.toLowerCase()) || reader.isCommon(first.toLowerCase());
  return rootsOf([...(isBefore ? [] : [second]), ...others].join(' '), reader);
}

function rootsOf(text: string, reader: StatementReader): string[] {
  return termsOf(text)
    .filter((term) => !reader.isStopWord(term))
    .map(reader.rootOf);
}

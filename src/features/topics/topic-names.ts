import type { Language } from '../languages/language.ts';
import { languageOf } from '../languages/languages.ts';
import { isCommonTerm } from '../text/common-words.ts';
import { stemOfTerm } from '../text/document-terms.ts';
import { STOP_WORDS } from '../text/stop-words.ts';
import { isUnspaced } from '../text/terms.ts';
import { rootOf } from '../text/word-forms.ts';
import type { WordTable } from '../words/word-table.ts';

/** English words that tell names from other capitalized words. */

/** Capitalized, and names of nothing that memories are about. */
const NO_NAMES: ReadonlySet<string> = words(`i i'm i've i'd i'll monday tuesday wednesday thursday friday saturday
  sunday mondays tuesdays wednesdays thursdays fridays saturdays sundays january february march april may june july august
  september october november december jan feb mar apr jun jul aug sep sept oct nov dec christmas easter new year eve english
  german french spanish italian portuguese dutch polish russian chinese japanese european american british irish am pm ok
  todo note fyi asap q1 q2 q3 q4 utc cet gmt est pst http https api url id pr ci cd ui ux json yaml xml csv pdf html css
  sql ssh tls dns cpu gpu ram usb eur usd kg km dont cant wont im ive ill thats doesnt didnt isnt arent wasnt lets whats
  theyre youre hes shes couldnt shouldnt wouldnt gonna wanna pls thx btw`);

/** Precede a name, and are not part of it. */
const TITLES: ReadonlySet<string> = words(
  'dr mr mrs ms prof professor doctor sir aunt uncle sr sra herr frau monsieur madame',
);

/** Stand inside a name in lower case. */
const PARTICLES: ReadonlySet<string> = words('de da do dos van von der den del di la le al bin ten');

/** Who somebody is to the speaker: "my sister Ada" and "my sister" are one. */
const ROLES: ReadonlySet<string> = words(`sister brother mother father mum mom dad son daughter wife husband partner
  girlfriend boyfriend cousin aunt uncle grandma grandmother grandpa grandfather niece nephew friend neighbor neighbour
  flatmate roommate boss manager colleague coworker mentor dentist doctor therapist physio trainer coach teacher landlord
  landlady accountant lawyer vet dog cat horse parrot rabbit tortoise bike bicycle car van boat cofounder co-founder
  assistant intern client stepson stepdaughter stepfather stepmother fiance fiancee`);

const POSSESSIVES: ReadonlySet<string> = words('my our');

/** Nouns that are too general to be a topic, though somebody says "my" of them. */
const GENERAL_NOUNS: ReadonlySet<string> = words(`own first last next new old favorite favourite main usual current
  whole name life way time day days week month year home house work job place thing things birthday age mind head hands
  opinion plan plans goal rule default preference preferences phone number address email advice answer idea problem part
  side turn family friends parents kids children people team company`);

/** Ordinary words that people and animals are called, too. */
const NAME_WORDS: ReadonlySet<string> = words(`rose will grace hope faith joy iris daisy lily ivy violet jade ruby pearl
  amber ginger basil mark bill bob pat art sue rob jack frank grant dean drew chase hunter mason carter parker cooper page
  paige summer dawn eve robin jay wren heather holly hazel olive melody harmony star penny max ray gene miles reed clay glen
  wade brook brooke chance lance chuck nick pierce rusty sandy sonny buddy shadow pepper cookie biscuit bramble peanut
  mocha honey luna bella`);

/** What a subject is followed by, besides verbs that end with "s". */
const AFTER_SUBJECTS: ReadonlySet<string> = words(`is was has had does did can will would could should must may might
  isn't wasn't hasn't doesn't didn't can't won't wouldn't couldn't shouldn't and got came went said told gave took left moved
  wrote bought sold taught thought brought kept felt met knew saw ate drank drove rode grew flew wore won paid sent`);

const ARTICLES: ReadonlySet<string> = words('the a an his her their this that');

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(/\s+/));
}

/** A name in a memory by which it may be about a topic. */
export interface TopicName {
  /** By which names are compared: folded, in lower case, without titles. */
  key: string;
  spelling: string;
  /**
   * `name`: certainly of something. `maybe`: only if it is known as a name from elsewhere, such as "Rose" at the beginning of
   * a sentence.
   */
  kind: 'name' | 'maybe';
  /** The key of the name of the same thing beside it: "ada" for "my sister". */
  sameAs?: string;
  /** The name without its first word, which may only begin the sentence: "PostgreSQL" of "Dump PostgreSQL". */
  rest?: Pick<TopicName, 'key' | 'spelling'>;
}

/** A word with what is around it. */
interface Token {
  text: string;
  /** In lower case, without an apostrophe and what follows. */
  folded: string;
  isCapital: boolean;
  startsSentence: boolean;
  /** Whether only a space, or the period of a title, precedes it. */
  isJoined: boolean;
  isPossessive: boolean;
}

/** What is read of a memory. */
export interface NamedTexts {
  content: string;
  tags: readonly string[];
  project: string | null;
}

const MAX_READ_CHARACTERS = 2000;
const MAX_NAMES = 16;
const MAX_POSSIBLE = 96;
const MAX_KEY_CHARACTERS = 80;
const MAX_RUN = 4;
const TOKENS = /[\p{L}\p{N}][\p{L}\p{N}\p{M}'’._+#@/&-]*/gu;
const HAS_INNER_CAPITAL = /\p{Ll}\p{Lu}|^\p{Lu}{2,}|\p{L}\d|\p{L}[._/+#-]\p{L}/u;

/** Returns the key of a name; empty for what has no letters or digits. */
export function nameKeyOf(name: string): string {
  const tokens = tokensOf(name.slice(0, 200));
  const words = tokens.map(({ folded }) => folded);
  const named = words.length > 1 && TITLES.has(words[0]!) ? words.slice(1) : words;
  // A cut may leave half of a character, which PostgreSQL does not take in JSON.
  return named.join(' ').slice(0, MAX_KEY_CHARACTERS).toWellFormed();
}

/** Finds the names in a memory, each once. `table` knows the common words of English; of other languages, only capitals tell names. */
export function* topicNamesIn({ content, tags, project }: NamedTexts, table: WordTable): Generator<void, TopicName[]> {
  const certain = new Map<string, TopicName>();
  const possible = new Map<string, TopicName>();
  const add = (name: TopicName) => {
    const [names, most] = name.kind === 'name' ? [certain, MAX_NAMES] : [possible, MAX_POSSIBLE];
    const isKey = name.key !== '' && name.key.length <= MAX_KEY_CHARACTERS;
    if (isKey && names.size < most && !names.has(name.key)) names.set(name.key, name);
  };
  const labels = new Set<string>();
  for (const label of [...(project === null ? [] : [project]), ...tags]) {
    const spelling = cut(label);
    const key = nameKeyOf(spelling);
    labels.add(key);
    add({ key, spelling, kind: 'name' });
  }
  const text = content.slice(0, MAX_READ_CHARACTERS);
  const language = languageOf(text);
  const tokens = tokensOf(text);
  for (let at = 0; at < tokens.length; ) {
    const run = tokens.slice(at, at + runAt(tokens, at));
    if (language.code !== 'en') {
      add(run.length > 0 ? nameOfForeignRun(run, tokens[at - 1], language) : nameOf([tokens[at]!], 'maybe'));
      at += Math.max(1, run.length);
    } else if (run.length > 0) {
      for (const name of namesOfRun(run, tokens[at + run.length], table)) add(name);
      for (const name of roleBefore(tokens, at, run)) add(name);
      at += run.length;
    } else {
      for (const name of namesOfWord(tokens, at, table)) add(name);
      at += 1;
    }
    if (at % 32 === 0) yield;
  }
  const whole = [...certain.values()];
  const isPart = ({ key }: TopicName) =>
    !labels.has(key) && whole.some((other) => other.key !== key && ` ${other.key} `.includes(` ${key} `));
  // "Ada" beside "Ada Lovelace" is nobody else.
  return [...whole, ...[...possible.values()].filter(({ key }) => !certain.has(key))].filter((name) => !isPart(name));
}

/** The words of a text as keys have them, with a space around each. */
export function keyTextOf(text: string): string {
  return ` ${tokensOf(text.slice(0, MAX_READ_CHARACTERS))
    .map(({ folded }) => folded)
    .join(' ')} `;
}

/** Whether a text, as `keyTextOf` has it, says a name. In scripts without spaces between words it may stand anywhere. */
export function saysKey(keyText: string, key: string): boolean {
  return keyText.includes(isUnspaced(key) ? key : ` ${key} `);
}

function tokensOf(given: string): Token[] {
  const text = given.normalize('NFKC');
  const tokens: Token[] = [];
  let end = 0;
  for (const match of text.matchAll(TOKENS)) {
    const between = text.slice(end, match.index);
    const word = match[0].replace(/['’]s?$|[._/&-]+$/gu, '');
    end = match.index + match[0].length;
    const before = tokens.at(-1);
    const isTitle = before !== undefined && (TITLES.has(before.folded) || before.folded === 'st');
    const isEnded = /[.!?]\s*$/.test(text.slice(Math.max(0, match.index - 4), match.index)) && !isTitle;
    tokens.push({
      text: word,
      folded: word.toLowerCase(),
      isCapital: /^\p{Lu}|^\p{Ll}\p{Lu}/u.test(word),
      startsSentence: before === undefined || isEnded || /[:;\n"“”(•–—]/.test(between),
      isJoined: before !== undefined && /^\.? $/.test(between) && !isEnded && !before.isPossessive,
      isPossessive: /['’]s?$/u.test(match[0]),
    });
  }
  return tokens;
}

/** How many words from one on are a capitalized name. */
function runAt(tokens: readonly Token[], at: number): number {
  if (!isNameWord(tokens[at]!)) return 0;
  let length = 1;
  while (length < MAX_RUN) {
    const next = tokens[at + length];
    if (next === undefined || !next.isJoined) break;
    if (isNameWord(next)) {
      length += 1;
      continue;
    }
    const after = tokens[at + length + 1];
    if (!PARTICLES.has(next.folded) || after === undefined || !after.isJoined || !isNameWord(after)) break;
    length += 2;
  }
  return length;
}

function isNameWord({ isCapital, folded }: Token): boolean {
  return isCapital && !NO_NAMES.has(folded) && !POSSESSIVES.has(folded) && (folded.length > 1 || /\p{N}/u.test(folded));
}

function namesOfRun(run: readonly Token[], next: Token | undefined, table: WordTable): TopicName[] {
  const first = run[0]!;
  const isWord = first.startsSentence && isOrdinary(first, table) && !HAS_INNER_CAPITAL.test(first.text);
  if (run.length === 1) {
    if (/n['’]t$/.test(first.folded)) return [];
    return [nameOf(run, isWord && !isSubject(first, next) ? 'maybe' : 'name')];
  }
  // "Yesterday Ada", "Standup Monday": the first word may only begin the sentence.
  if (isWord && !TITLES.has(first.folded) && !NAME_WORDS.has(first.folded) && mayPrecedeName(first, table))
    return [nameOf(run, 'maybe'), nameOf(run.slice(1), 'name')];
  const { key, spelling } = nameOf(run.slice(1), 'name');
  return [{ ...nameOf(run, 'name'), ...(isWord && { rest: { key, spelling } }) }];
}

/**
 * Of other languages than English, what is certainly a name: several words, one with a capital or digit inside, one after a
 * relative, and one inside a sentence where common nouns begin with a small letter.
 */
function nameOfForeignRun(run: readonly Token[], before: Token | undefined, language: Language): TopicName {
  const { functionWords, statements } = language;
  const { relatives, capitalizesNouns } = statements;
  const isBefore = ({ folded }: Token) => functionWords.has(folded) || relatives.has(folded);
  const named = run.length > 1 && isBefore(run[0]!) ? run.slice(1) : run;
  const first = named[0]!;
  const preceding = named === run ? before : run[0];
  const isOfRelative = preceding !== undefined && first.isJoined && relatives.has(preceding.folded);
  const isInside = !first.startsSentence && !capitalizesNouns;
  const isCertain =
    named.length > 1 || HAS_INNER_CAPITAL.test(first.text) || (!isBefore(first) && (isOfRelative || isInside));
  return nameOf(named, isCertain ? 'name' : 'maybe');
}

function nameOf(run: readonly Token[], kind: TopicName['kind']): TopicName {
  const spelling = cut(run.map(({ text, folded }) => (TITLES.has(folded) ? `${text}.` : text)).join(' '));
  return { key: nameKeyOf(spelling), spelling, kind };
}

/** Shortens a spelling to what a caller may send as a name. */
function cut(spelling: string): string {
  return [...spelling].slice(0, MAX_KEY_CHARACTERS).join('');
}

/** Whether a word may begin a sentence before a name: "Visited Ada", "Coffee with Ada", but not "Ada Lovelace" itself. */
function mayPrecedeName({ folded }: Token, table: WordTable): boolean {
  if (STOP_WORDS.has(folded) || isCommonTerm(folded) || AFTER_SUBJECTS.has(folded) || ROLES.has(folded)) return true;
  if (/(?:ed|ing)$/.test(folded)) return true;
  return (table.entryOf(stemOfTerm('', folded))?.derived.length ?? 0) > 0;
}

/** Whether a word that begins a sentence is what the sentence is about: "Rose runs the front desk". */
function isSubject(word: Token, next: Token | undefined): boolean {
  const { folded, isPossessive } = word;
  if (!NAME_WORDS.has(folded) && (STOP_WORDS.has(folded) || isCommonTerm(folded))) return false;
  if (isPossessive) return true;
  if (next === undefined || !next.isJoined) return false;
  return AFTER_SUBJECTS.has(next.folded) || /[^s]s$/.test(next.folded);
}

/** Whether a word is known without its capital. */
function isOrdinary({ folded }: Token, table: WordTable): boolean {
  const stem = stemOfTerm('', folded);
  const root = rootOf(folded);
  return (
    [folded, root].some((word) => STOP_WORDS.has(word) || isCommonTerm(word)) ||
    table.entryOf(stem) !== undefined ||
    (root !== folded && table.entryOf(stemOfTerm('', root)) !== undefined) ||
    folded.endsWith('ing')
  );
}

/** "my sister Ada": the role before a run is a name of the same person. */
function roleBefore(tokens: readonly Token[], at: number, run: readonly Token[]): TopicName[] {
  const [owner, role] = [tokens[at - 2], tokens[at - 1]];
  if (owner === undefined || role === undefined || !run[0]!.isJoined || !role.isJoined) return [];
  if (!POSSESSIVES.has(owner.folded) || !ROLES.has(role.folded)) return [];
  const spelling = `${owner.folded} ${role.folded}`;
  return [{ key: spelling, spelling, kind: 'name', sameAs: nameOf(run, 'name').key }];
}

/** Lower-case words: "my sister", "our staging database", and words that no dictionary has. */
function namesOfWord(tokens: readonly Token[], at: number, table: WordTable): TopicName[] {
  const token = tokens[at]!;
  const { folded } = token;
  if (POSSESSIVES.has(folded) || ARTICLES.has(folded)) return namesOfPossession(tokens, at, table);
  if (folded.length < 3 || STOP_WORDS.has(folded) || NO_NAMES.has(folded) || /^[\d._:/-]+$/.test(folded)) return [];
  const one = { key: folded, spelling: token.text };
  const next = tokens[at + 1];
  const pair =
    next?.isJoined && !STOP_WORDS.has(next.folded)
      ? [{ key: `${folded} ${next.folded}`, spelling: `${token.text} ${next.text}`, kind: 'maybe' as const }]
      : [];
  const isUnknown =
    !isOrdinary(token, table) &&
    !AFTER_SUBJECTS.has(folded) &&
    /^[a-z][a-z0-9._-]+$/.test(folded) &&
    !/(?:ed|ly|s)$/.test(folded);
  return [{ ...one, kind: isUnknown ? 'name' : 'maybe' }, ...pair];
}

function namesOfPossession(tokens: readonly Token[], at: number, table: WordTable): TopicName[] {
  const owner = tokens[at]!.folded;
  const [noun, next] = [tokens[at + 1], tokens[at + 2]];
  if (noun === undefined || !noun.isJoined || noun.isCapital || STOP_WORDS.has(noun.folded)) return [];
  if (ROLES.has(noun.folded) && POSSESSIVES.has(owner)) {
    // With its name beside it, it is found by `roleBefore`.
    if (next?.isJoined && isNameWord(next)) return [];
    const spelling = `${owner} ${noun.folded}`;
    return [{ key: spelling, spelling, kind: 'name' }];
  }
  const isNoun = (token: Token) => (table.entryOf(stemOfTerm('', token.folded))?.senses.length ?? 0) > 0;
  if (!isNoun(noun) && !isOrdinary(noun, table)) return [];
  if (
    next?.isJoined &&
    !next.isCapital &&
    !STOP_WORDS.has(next.folded) &&
    isNoun(next) &&
    !/(?:ed|ing|s)$/.test(next.folded)
  ) {
    const spelling = `${noun.folded} ${next.folded}`;
    return [{ key: spelling, spelling, kind: 'name' }];
  }
  if (GENERAL_NOUNS.has(noun.folded) || isCommonTerm(noun.folded)) return [];
  return [{ key: noun.folded, spelling: noun.folded, kind: 'name' }];
}

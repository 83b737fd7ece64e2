/** What the rules know of a language: how a text of it is read, and which words say what. Every language has the same shape. */
export interface Language extends Recognition, Rules {}

/** How a language is recognized, and which words a text of it has. */
interface Recognition {
  /** ISO 639-1. */
  code: string;
  /** Words by which it is recognized; they do not say what a statement is about. */
  functionWords: ReadonlySet<string>;
  /** Letters and endings of words that few others of the languages have: weaker than a word. */
  spelling: RegExp;
  /** The words of a text in lower case, with digits in the place of number words. */
  wordsOf(text: string): string[];
  /** What is the same for all forms of a word. */
  rootOf(word: string): string;
}

/** Which words of a language say what. */
interface Rules {
  /** Asks for what holds now, of which no text needs to say so. */
  present: RegExp;
  statements: StatementWords;
  said: SaidPatterns;
  /** What people have one of at a time; absent where searches know none. */
  attributes?: AttributeWords;
  /** Absent for English, of which `features/search` has its own lists. */
  search?: SearchWords;
}

/** Words by which statements are compared. */
interface StatementWords {
  /** Words that turn a statement into another one: two that differ in one of them do not say the same. */
  limits: ReadonlySet<string>;
  negations: ReadonlySet<string>;
  /** Verbs of which a subject has one value at a time. */
  singleValued: ReadonlySet<string>;
  copulas: ReadonlySet<string>;
  /** Begin a value, and say what kind of value it is. */
  prepositions: ReadonlySet<string>;
  determiners: ReadonlySet<string>;
  /** Make a noun an attribute of somebody: "my phone". */
  possessives: ReadonlySet<string>;
  /** Say little beside their object. */
  lightWords: ReadonlySet<string>;
  /** Tell things of one kind apart: what holds of the morning's handover does not hold of the evening's. */
  qualifiers: readonly ReadonlySet<string>[];
  /** What holds of the speaker does not hold of somebody else. */
  relatives: ReadonlySet<string>;
  /** The speaker, alone or with others. */
  speakers: ReadonlySet<string>;
  /** Words that mean the same, the first for all of them. */
  synonyms: ReadonlyMap<string, string>;
  transitions: readonly Transition[];
  /** Say that something takes the place of something else. */
  replaces: RegExp;
  /** Where it occurs, what is said hangs on the order of the words: "tea over coffee". */
  ordered: RegExp;
  /** Limit a change to what follows: "for invoices". */
  purposes: ReadonlySet<string>;
  /** Say what is over, as the first group that took part. */
  over: readonly RegExp[];
  /** Its verbs tell the person: "vivo en León". */
  dropsPronouns?: true;
  /** Common nouns begin with a capital letter, so that it does not tell names. */
  capitalizesNouns?: true;
}

/** A state and how its change is announced: who "moved" no longer "lives" there. */
export interface Transition {
  states: RegExp;
  changes: RegExp;
  /** Who "moved to PostgreSQL", or whose database moved, lives where they did. */
  others: RegExp;
  /** Words by which the index finds what states it, and what announces its change. */
  words: string;
}

/** What people have one of at a time, such as a home, a phone or a tool for a purpose, and how a change of it is announced. */
export interface AttributeWords {
  /**
   * One attribute a line, by name: words that ask for it and state it, and behind `>` those of its values or of its change
   * alone. Words joined by `-` stand side by side.
   */
  groups: string;
  /** Attributes whose values are people: a newer statement may be about another one. */
  people: ReadonlySet<string>;
  changes: RegExp;
  /** Before the noun, they announce another one. */
  new: ReadonlySet<string>;
  /** What a statement of some attributes says besides their words. */
  states: Readonly<Record<string, RegExp>>;
  /** Verbs of questions that say nothing of the subject. */
  verbs: ReadonlySet<string>;
  /** Refer to a person. */
  persons: RegExp;
  numbers: RegExp;
}

/** How people say what is worth remembering. */
export interface SaidPatterns {
  /** The person asks for it, or lays down a rule; the group is what to remember. */
  explicit: RegExp;
  rules: readonly RegExp[];
  /** Of the person, of what they have, or of what they work on with others. */
  stated: readonly RegExp[];
  /** Of the moment, of a wish, or of what only might be. */
  notKept: RegExp;
  /** How a request begins, or what only requests have. */
  asks: RegExp;
  /** Of short statements, that they are about something said before. */
  points: RegExp;
  /** Begins with what the sentence before it names. */
  refers: RegExp;
  /** Where a request goes on with what it needs to know. */
  clauses: RegExp;
  /** What follows from it: a request. */
  follows: RegExp;
  leading: RegExp;
}

/** What a search knows of a language besides its rules. */
export interface SearchWords {
  /** Words of questions and requests that do not say what they are about, besides function words. */
  framing: string;
  /** Words of any subject: that a text shares one with a question says little. */
  common: string;
  /** What a question asks for. */
  asks: Record<'place' | 'time' | 'number' | 'name', RegExp>;
  /** Asks for what was. */
  past: RegExp;
  /**
   * Words that mean about the same, one group a line, by any of their forms; what it includes stands behind `>`:
   * "pet animal > dog cat". The name before the colon is the same in each language.
   */
  meanings: string;
  /** Endings that its stemmer leaves, such as those of verbs. */
  endings?: RegExp;
  /** Writes compounds as one word. */
  compounds?: true;
  /** Without spaces between words: the index has pairs of characters. */
  isUnspaced?: true;
}

/** A language whose rules are made when a text of it is first read: compiling those of all takes a fifth of a start. */
export function whenRead(recognition: Recognition, rules: () => Rules): Language {
  let made: Rules | undefined;
  const read = () => (made ??= rules());
  return {
    ...recognition,
    get present() {
      return read().present;
    },
    get statements() {
      return read().statements;
    },
    get said() {
      return read().said;
    },
    get attributes() {
      return read().attributes;
    },
    get search() {
      return read().search;
    },
  };
}

/** A set of the words of a text. */
export function setOf(text: string): ReadonlySet<string> {
  return new Set(listOf(text));
}

/** The words of a text in their order. */
export function listOf(text: string): string[] {
  return text.trim().split(/\s+/);
}

/** Groups of words that mean the same, divided by `|`: each word by the first of its group. */
export function synonymsOf(groups: string, rootOf: (word: string) => string): ReadonlyMap<string, string> {
  return new Map(
    groups.split('|').flatMap((group) => {
      const roots = listOf(group).map(rootOf);
      return roots.map((root) => [root, roots[0]!] as const);
    }),
  );
}

/** Names of what people move to without leaving their home or their work. */
export const PRODUCTS = String.raw`postgres\w*|mysql|mariadb|sqlite|mongo\w*|redis|kafka|kubernetes|k8s|docker|podman|nomad|aws|azure|gcp|cloudflare|hetzner|ovh|vercel|netlify|github|gitlab|gitea|forgejo|slack|discord|teams|zoom|signal|telegram|whatsapp|notion|obsidian|linear|jira|trello|typescript|javascript|python|rust|golang|kotlin|react|vue|svelte|angular|next\.?js|vite|webpack|pnpm|npm|yarn|linux|ubuntu|debian|fedora|windows|macos|android|iphone|firefox|chrome|vim|neovim|vs ?code|terraform|ansible|graphql|http/?\d?`;

const BOUNDARY = String.raw`(?:(?<=[\p{L}\p{N}])(?![\p{L}\p{N}])|(?<![\p{L}\p{N}])(?=[\p{L}\p{N}]))`;

/** Compiles a pattern in which `\b` is a boundary of words in any script, and upper case the same as lower case. */
export function pattern(source: string, more = ''): RegExp {
  return new RegExp(source.replaceAll(String.raw`\b`, BOUNDARY).replace(/\s*\n\s*/g, ''), `iu${more}`);
}

const SPACED_WORD = /[\p{L}\p{M}][\p{L}\p{M}\p{N}]*|\p{N}+(?:[:.,h]\p{N}+)*\p{L}*/gu;

/** Splits a text of a script with spaces into its words in lower case; elided articles are words of their own. */
export function spacedWords(text: string): string[] {
  return text.normalize('NFC').toLowerCase().match(SPACED_WORD) ?? [];
}

/** Puts digits in the place of number words; tens are joined with what follows: "trente-huit" and "treinta y ocho" are 38. */
export function withNumbers(words: readonly string[], numbers: ReadonlyMap<string, number>, and = ''): string[] {
  const written: string[] = [];
  for (let index = 0; index < words.length; index += 1) {
    const number = numbers.get(words[index]!);
    if (number === undefined) {
      written.push(words[index]!);
      continue;
    }
    const next = words[index + 1] === and ? index + 2 : index + 1;
    const unit = numbers.get(words[next] ?? '');
    const isJoined = number >= 20 && unit !== undefined && unit > 0 && unit < (number < 100 ? 20 : 100);
    written.push(String(isJoined ? number + unit : number));
    if (isJoined) index = next;
  }
  return written;
}

/** Numbers by the words of a text in their order, from zero. `_` replaces one whose word is as often an article. */
export function counted(text: string): [string, number][] {
  return listOf(text)
    .map((word, number): [string, number] => [word, number])
    .filter(([word]) => word !== '_');
}

/** Returns a stemmer whose stems have no accents: forms of a word differ in them, and people leave them out. */
export function withoutAccents(stemmer: (word: string) => string): (word: string) => string {
  return (word) => stemmer(word).normalize('NFD').replace(/\p{M}/gu, '');
}

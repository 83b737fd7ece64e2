import { QUALIFIERS } from '../languages/english.ts';
import { type ReadStatement, readStatement } from './read-statement.ts';

/** English words by which a text is divided into statements that stand alone. Other languages add a table of the same form. */

/** Between two statements: a line, or the end of a sentence before a capital letter. What follows a semicolon goes on. */
const STATEMENT_BREAKS = /\s*\n+\s*|(?<=[\p{Ll}\d)]{2}[.!])\s+(?=\p{Lu})/u;
/** Questions, quotations, code, addresses, lists, steps, definitions; the whole text stays unchanged. */
const NOT_SEPARATE =
  /[?"“”„«»`{}<>=|\\→…*#]|:\/\/|:(?!\d)|(?:^|\n)\s*(?:\d+[.)]|[a-z]\))|(?:^|\s)'[^']*'|\b(?:i\.e|e\.g|etc|vs)\b\.?|\b(?:steps?|firstly|secondly|then|finally|lastly|afterwards|recipe|how to|remember|reminder|example|if|unless|when|whenever|because|so|therefore|thus|hence|thereby|but|however|although|though|instead|otherwise|except|despite|nevertheless|whereas|as long as|in case|due to|why|reason|means|meaning|which|whose)\b/i;
/** Begins a statement that goes on from the one before it, or a rule that others explain. */
const CONNECTED =
  /^(?:never|always|do not|don['’]t|and|or|also|too|plus|additionally|moreover|besides|furthermore|again|both|all|each|either|neither|one|another|others?|some|most|none|more|even|just|not|no|yes|maybe|perhaps|later|now|today|there|here|this|that|these|those|it|its|they|their|them|he|him|his|she|her|hers|who|what|as|for|in|on|at|to|with|by|from)\b/i;
/** Points to something that another statement names. */
const HAS_POINTER =
  /\b(?:it|its|it['’]s|he|him|his|she|her|hers|they|them|their|theirs|this|that|these|those|there|here|such|same|both|either|neither|one|ones|another|other|others|else|former|latter|too|also|as well|again|respectively|together|above|below|following|thereof|do so|does so|which|where|who)\b/i;
const VERB =
  'is|are|am|was born|has|have|lives?|works?|likes?|loves?|prefers?|hates?|uses?|runs?|speaks?|plays?|studies|studied|owns?|drives?|costs?|teaches|belongs|sits|listens|reports|wears?|eats?|drinks?|keeps?|pays?|hosts?|deploys?|needs?|supports?|collects?|comes from';
/** Statements of a lasting fact: of the speaker, of what they have, or of somebody or something with a name. */
const FACTS: readonly RegExp[] = [
  new RegExp(String.raw`^(?<subject>I|we)(?:\s+(?:really|mostly|usually|always))?\s+(?<verb>${VERB})\b`, 'i'),
  /^(?<subject>I|we)['’](?<verb>m|re)\b/i,
  new RegExp(
    String.raw`^(?<subject>(?:my|our)\s+(?:[\p{L}\p{N}'’-]+\s+){0,3}?[\p{L}\p{N}'’-]+)\s+(?<verb>${VERB})\b`,
    'iu',
  ),
  new RegExp(
    String.raw`^(?<subject>\p{Lu}[\p{L}\p{N}'’-]*(?:\s+\p{Lu}[\p{L}\p{N}'’-]*){0,2})\s+(?<verb>${VERB})\b`,
    'u',
  ),
  new RegExp(String.raw`^(?<subject>the\s+(?:[\p{L}\p{N}'’-]+\s+){0,3}?[\p{L}\p{N}'’-]+)\s+(?<verb>${VERB})\b`, 'iu'),
];
/** Says of something that it is or does something: "Deploys go out on Tuesdays", "Prefers short answers". */
const SAYS =
  /^(?:(?:I|We|My|Our)\b.*\s\S|(?:[\p{L}\p{N}'’./-]+\s+){0,5}?(?:is|are|am|was|were|has|have|goes?|\p{Ll}{3,}[^s\P{Ll}]s)\b|\p{Lu}\p{Ll}{2,}[^s\P{Ll}]s\s)/u;
/** Says more of what the text is about: its parts, its state. Only the first statement may begin so. */
const GOES_ON = /^the\b/i;
/** Leaves its subject out, which is that of the statement before it: "Likes short mails". */
const NO_SUBJECT = new RegExp(String.raw`^(?!deploys)(?:${VERB}|wants)\b`, 'i');
/** What somebody is or has explains what else they say of themselves: "I am allergic to nuts. I have a pen in my bag." */
const EXPLAINS = /^(?:am|is|are|m|re|has|have|needs?|keeps?)$/;
const SPEAKER = /^(?:i|we|our (?:team|group|family|company|office|house|flat))$/;
/** Those of whom several independent facts are told: the speaker, or somebody with a name. */
const SAID_OF = /^(?:i|we|\p{L}[\p{L}'’-]*(?:\s\p{L}[\p{L}'’-]*)?)$/iu;
/** Items of which a list has one line each. */
const LISTED =
  /^(?:\p{L}+day|red|green|blue|yellow|black|white|staging|production|prod|dev|test|left|right|north|south|east|west|small|medium|large|admins?|users?|guests?|january|february|march|april|may|june|july|august|september|october|november|december|breakfast|lunch|dinner)\b/iu;
/** A subject that is no name: "mountains are". */
const OF_A_KIND = /^\p{L}+s (?:are|have|need|cost|run|like|keep)$/iu;

/** Shorter texts have no room for two facts; longer ones are notes whose sentences explain each other. */
const MIN_CHARACTERS = 30;
const MAX_CHARACTERS = 500;
const MAX_STATEMENTS = 5;
const MIN_WORDS = 2;
const BULLET = /^[-•–]\s+/;

/** A statement of a text, with what it is about: the words before its verb. */
interface Part {
  text: string;
  read: ReadStatement;
  subject: string;
  verb: string;
}

/**
 * Divides a text that says several independent facts into lines that can stand alone; undefined if one of them needs
 * another. Precision comes before recall: what belongs together stays together. The rules know English.
 */
export function separateStatementsIn(text: string): string[] | undefined {
  if (text.length < MIN_CHARACTERS || text.length > MAX_CHARACTERS || NOT_SEPARATE.test(text)) return undefined;
  const lines = text
    .trim()
    .split(STATEMENT_BREAKS)
    .map((line) => line.trim().replace(BULLET, ''));
  if (lines.length < 2 || lines.length > MAX_STATEMENTS) return undefined;
  if (lines.some((line, index) => index > 0 && GOES_ON.test(line))) return undefined;
  if (!NO_SUBJECT.test(lines[0]!) && lines.some((line) => NO_SUBJECT.test(line))) return undefined;
  const parts = lines.map(partOf);
  if (!parts.every((part) => part !== undefined)) return undefined;
  return areIndependent(parts) ? lines : undefined;
}

function partOf(text: string): Part | undefined {
  if (text.split(/\s+/).length < MIN_WORDS || CONNECTED.test(text) || HAS_POINTER.test(text)) return undefined;
  const fact = FACTS.map((pattern) => pattern.exec(text)?.groups).find((groups) => groups);
  if (fact === undefined && !SAYS.test(text)) return undefined;
  const { subject = text, verb = '' } = fact ?? {};
  if (OF_A_KIND.test(`${subject} ${verb}`)) return undefined;
  return { text, read: readStatement(text), subject: subject.toLowerCase(), verb: verb.toLowerCase() };
}

function areIndependent(parts: readonly Part[]): boolean {
  return parts.every((part, index) => parts.slice(0, index).every((before) => !belongTogether(before, part)));
}

/** Whether two say something of one thing, or are items of one list. */
function belongTogether(one: Part, other: Part): boolean {
  const isOfOne = one.subject === other.subject;
  const isOfSpeaker = SPEAKER.test(one.subject) && SPEAKER.test(other.subject);
  if (isOfOne && one.verb === other.verb) return true;
  if ((isOfOne || isOfSpeaker) && (EXPLAINS.test(one.verb) || EXPLAINS.test(other.verb))) return true;
  // "Red is stop; green is go", "staging is on 8080; production is on 8081".
  if (one.verb === other.verb && (LISTED.test(one.text) || LISTED.test(other.text))) return true;
  if (QUALIFIERS.some((kind) => [one, other].every(({ read }) => read.terms.some((term) => kind.has(term)))))
    return true;
  // A name or the speaker may be in both; any other word that both have is what both are about.
  const named = new Set(readStatement(isOfOne && SAID_OF.test(one.subject) ? one.subject : '').roots.keys());
  return [...one.read.roots.keys()].some((root) => other.read.roots.has(root) && !named.has(root));
}

import { QUALIFIERS } from '../languages/english.ts';
import {
  CONNECTED,
  EXPLAINS,
  FACTS,
  GOES_ON,
  HAS_POINTER,
  LISTED,
  NOT_SEPARATE,
  OF_A_KIND,
  SAID_OF,
  SAYS,
  SPEAKER,
  STATEMENT_BREAKS,
} from './english-statements.ts';
import { type ReadStatement, readStatement } from './pair-rules.ts';

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
    .map((line) => line.trim().replace(/;$/, '').replace(BULLET, ''));
  if (lines.length < 2 || lines.length > MAX_STATEMENTS) return undefined;
  if (lines.some((line, index) => index > 0 && GOES_ON.test(line))) return undefined;
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

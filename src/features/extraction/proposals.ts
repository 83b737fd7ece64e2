import type { DecisionKind } from '../../contract/jobs.ts';
import type { Memory } from '../../contract/memories.ts';
import { parseTimestamp } from '../../lib/clock.ts';
import { queryTerms, termsOf } from '../text/terms.ts';
import type { Chunk, ChunkMessage } from './conversation-chunk.ts';
import type { Extracted } from './prompt.ts';

/** What is to be done with one memory that was drawn, before anything is stored. */
export interface Proposal {
  decision: DecisionKind;
  content: string;
  /** Those that say it, in their order. */
  cited: ChunkMessage[];
  /** The known memory that it is about. */
  target: Memory | undefined;
  occurredAt: string | undefined;
  reason: string;
}

/** More than a passage says: what goes on beyond that is nonsense. */
const MAX_EXTRACTED = 100;
const MAX_CITED = 200;
const MAX_CONTENT_CHARACTERS = 2000;
const MAX_REASON_CHARACTERS = 300;
/** English endings hide behind so many letters: "painted" and "painting" are the same here. */
const STEM_CHARACTERS = 5;

/**
 * Weighs what a model drew against what it was given. A memory without a message that says it is none: it has to name
 * one, and to have a word in common with those that it names. One that is known already changes nothing, whatever the
 * model decided. Whatever it wrote comes out as it may be stored, and at no great length.
 */
export function toProposals(
  extracted: readonly Extracted[],
  { messages }: Chunk,
  known: readonly Memory[],
): Proposal[] {
  const seen = new Set(known.map(({ content }) => wordsKey(content)));
  return extracted.slice(0, MAX_EXTRACTED).map((item) => {
    const normalized = item.content.replaceAll('\0', ' ').replace(/\s+/g, ' ').trim();
    const content = toStorable(normalized, MAX_CONTENT_CHARACTERS);
    const citedNumbers = new Set(item.messages.slice(0, MAX_CITED));
    const cited = messages.filter((_, index) => citedNumbers.has(index + 1));
    const target = known[Number(/^\[?m(\d+)\]?$/.exec(item.known.trim())?.[1] ?? 0) - 1];
    const reason = toStorable(item.reason.trim(), MAX_REASON_CHARACTERS);
    const proposal = { content, cited, target, occurredAt: timestampOf(item.date), reason };
    const objection = objectionTo(item.decision, normalized.length, proposal, seen);
    if (objection !== undefined) return { ...proposal, decision: 'nothing', reason: objection };
    if (item.decision === 'nothing') return { ...proposal, decision: 'nothing' };
    if (item.decision === 'supersede' && target && isNewer(target, cited)) {
      return { ...proposal, decision: 'nothing', reason: 'The known memory is newer than these messages.' };
    }
    seen.add(wordsKey(content));
    const decision = target === undefined ? 'add' : item.decision;
    return { ...proposal, decision, target: decision === 'add' ? undefined : target };
  });
}

function objectionTo(
  decision: DecisionKind,
  characters: number,
  { content, cited }: Pick<Proposal, 'content' | 'cited'>,
  seen: ReadonlySet<string>,
): string | undefined {
  if (characters === 0 || characters > MAX_CONTENT_CHARACTERS) return 'It is empty or too long for one fact.';
  if (cited.length === 0) return 'It names no message that it comes from.';
  if (decision !== 'nothing' && seen.has(wordsKey(content))) return 'It is known already.';
  if (!isSupportedBy(content, cited)) return 'The messages that it names do not say it.';
  return undefined;
}

/** An old conversation that is read late does not take the place of what was learned since. */
function isNewer({ occurredAt, createdAt }: Memory, cited: readonly ChunkMessage[]): boolean {
  const known = parseTimestamp(occurredAt ?? createdAt) ?? 0;
  return cited.every((message) => message.createdAt < known);
}

/** A text by its words alone: the same words in the same order say the same. */
function wordsKey(content: string): string {
  return termsOf(content).join(' ');
}

function isSupportedBy(content: string, cited: readonly ChunkMessage[]): boolean {
  const citedStems = new Set(cited.flatMap(({ text }) => termsOf(text)).map(stemOf));
  const names = new Set(cited.flatMap(({ speaker }) => termsOf(speaker)));
  const words = queryTerms(content).filter((word) => !names.has(word));
  return words.some((word) => citedStems.has(stemOf(word)));
}

function stemOf(word: string): string {
  return word.slice(0, STEM_CHARACTERS);
}

function timestampOf(date: string): string | undefined {
  const moment = `${date.trim()}T00:00:00.000Z`;
  return /^\d{4}-\d\d-\d\dT/.test(moment) && parseTimestamp(moment) !== undefined ? moment : undefined;
}

/** The first characters, as they may be stored: models write anything, a NUL and half of a surrogate pair as well. */
function toStorable(text: string, characters: number): string {
  return text.replaceAll('\0', ' ').slice(0, characters).toWellFormed();
}

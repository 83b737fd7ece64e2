import { MAX_EXTRACTED, MAX_EXTRACTED_CHARACTERS } from '../../contract/extraction-portions.ts';
import { oneLine } from '../../contract/fence.ts';
import type { DecisionKind } from '../../contract/jobs.ts';
import type { Memory } from '../../contract/memories.ts';
import { parseTimestamp } from '../../lib/clock.ts';
import { sharesWord } from '../text/support.ts';
import { termsOf } from '../text/terms.ts';
import type { Chunk, ChunkMessage } from './conversation-chunk.ts';
import { timestampOf, toStorable } from './model-text.ts';
import type { Extracted } from './prompt.ts';

/** A proposed change for one extracted memory; nothing is stored yet. */
export interface Proposal {
  decision: DecisionKind;
  content: string;
  tags: string[];
  /** The messages that support it, in conversation order. */
  cited: ChunkMessage[];
  /** The known memory that it refers to. */
  target: Memory | undefined;
  occurredAt: string | undefined;
  reason: string;
}

/** Why a memory is not stored that is. */
export const KNOWN = 'It is already known.';
const MAX_CITED = 200;
const MAX_REASON_CHARACTERS = 300;
const MAX_LABELS = 5;
const MAX_LABEL_CHARACTERS = 40;

/**
 * Validates the model's output against what it was shown, in steps. A memory must cite at least one message and share a word
 * with the messages it cites. An already known memory changes nothing, whatever the model decided. Text is made storable and
 * truncated.
 */
export function* proposalsInSteps(
  extracted: readonly Extracted[],
  { messages }: Chunk,
  known: readonly Memory[],
): Generator<void, Proposal[]> {
  const seen = new Set(known.map(({ content }) => wordsKey(content)));
  const proposals: Proposal[] = [];
  for (const item of extracted.slice(0, MAX_EXTRACTED)) {
    proposals.push(proposalOf(item, messages, known, seen));
    yield;
  }
  return proposals;
}

/** Adds what is proposed to those `seen`. */
function proposalOf(
  item: Extracted,
  messages: readonly ChunkMessage[],
  known: readonly Memory[],
  seen: Set<string>,
): Proposal {
  const normalized = item.content.replaceAll('\0', ' ').replace(/\s+/g, ' ').trim();
  const content = toStorable(normalized, MAX_EXTRACTED_CHARACTERS);
  const citedNumbers = new Set(item.messages.slice(0, MAX_CITED));
  const cited = messages.filter((_, index) => citedNumbers.has(index + 1));
  const target = findKnown(item.known.trim(), known);
  const reason = toStorable(item.reason.trim(), MAX_REASON_CHARACTERS);
  const proposal = { content, tags: tagsOf(item.tags), cited, target, occurredAt: timestampOf(item.date), reason };
  const objection = objectionTo(item.decision, normalized.length, proposal, seen);
  if (objection !== undefined) return { ...proposal, decision: 'nothing', reason: objection };
  if (item.decision === 'nothing') return { ...proposal, decision: 'nothing', reason: target ? KNOWN : reason };
  if (item.decision !== 'add' && target && cited.every(({ createdAt }) => isNewer(target, createdAt))) {
    return { ...proposal, decision: 'nothing', reason: 'The known memory is newer than these messages.' };
  }
  seen.add(wordsKey(content));
  const decision = target === undefined ? 'add' : item.decision;
  return { ...proposal, decision, target: decision === 'add' ? undefined : target };
}

/** Finds a known memory by its label or its id. */
function findKnown(name: string, known: readonly Memory[]): Memory | undefined {
  return known[Number(/^\[?m(\d+)\]?$/.exec(name)?.[1] ?? 0) - 1] ?? known.find(({ id }) => id === name);
}

/** Labels that are stored; a longer one is no label. */
function tagsOf(labels: readonly string[]): string[] {
  const short = labels.map(oneLine).filter(({ length }) => length > 0 && length <= MAX_LABEL_CHARACTERS);
  return [...new Set(short.map((label) => toStorable(label, MAX_LABEL_CHARACTERS)))].slice(0, MAX_LABELS);
}

function objectionTo(
  decision: DecisionKind,
  characters: number,
  { content, cited }: Pick<Proposal, 'content' | 'cited'>,
  seen: ReadonlySet<string>,
): string | undefined {
  if (characters === 0 || characters > MAX_EXTRACTED_CHARACTERS) return 'It is empty or too long for one fact.';
  if (cited.length === 0) return 'It cites no message.';
  if (decision !== 'nothing' && seen.has(wordsKey(content))) return KNOWN;
  if (!isSupportedBy(content, cited)) return 'The cited messages do not support it.';
  return undefined;
}

/**
 * Whether a memory happened after something was said, so that this does not supersede it: messages may be read late. A plan has
 * the day that it is for, which says nothing of when it was told.
 */
export function isNewer({ saidAt, occurredAt, createdAt }: Memory, saidMs: number): boolean {
  if (saidAt !== null) return saidMs < (parseTimestamp(saidAt) ?? 0);
  const storedMs = parseTimestamp(createdAt) ?? 0;
  const happenedMs = parseTimestamp(occurredAt ?? createdAt) ?? 0;
  return happenedMs <= storedMs && saidMs < happenedMs;
}

/** What tells words apart that have the same letters: C++ and C#, 5 € and 5 $, 5% and 5. */
const SIGNS = /[\p{Sm}\p{Sc}#%&@]|(?<!\S)-(?=\d)/gu;

/** Normalizes a text to its sequences of words and signs, for equality. */
function wordsKey(content: string): string {
  return [...termsOf(content), ...(content.normalize('NFKC').match(SIGNS) ?? [])].join(' ');
}

function isSupportedBy(content: string, cited: readonly ChunkMessage[]): boolean {
  const speakers = new Set(cited.flatMap(({ speaker }) => termsOf(speaker)));
  return sharesWord(
    content,
    cited.map(({ text }) => text),
    speakers,
  );
}

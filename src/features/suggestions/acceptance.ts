import { MAX_METADATA_MEMBERS } from '../../contract/common.ts';
import { AppError } from '../../contract/errors.ts';
import { metadataRules } from '../../contract/fields.ts';
import { lastSaid, MAX_TAGS, type Memory } from '../../contract/memories.ts';
import type { Acceptance, Suggestion } from '../../contract/suggestions.ts';
import type { Connection } from '../../db/connection.ts';
import { contentTagOf } from '../../lib/entity-tag.ts';
import type { MessageReading } from '../conversations/conversations.ts';
import { type Adder, foldedContent, type Memories } from '../memories/memories.ts';
import { laterExpiry } from '../memories/memory-merge.ts';
import { onlyAuthorOf } from '../memories/only-author.ts';
import { unlessDuplicate } from '../memories/unless-duplicate.ts';
import type { PreparedTerms } from '../text/prepared-terms.ts';
import { insertItems } from './suggestions-store.ts';

/** What accepting did, with a digest of each memory afterwards: by it, an undo finds out whether a later change stands on it. */
export interface Applied {
  /** Memories with a new version, and the version before. */
  changed: { id: string; version: number; after: string }[];
  /** Memories that are no longer valid. */
  closed: { id: string; after: string }[];
  added: { id: string; after: string }[];
}

interface Parts {
  memories: Pick<
    Memories,
    'findWithin' | 'addWithin' | 'changeWithin' | 'closeWithin' | 'reopenWithin' | 'restoreWithin' | 'removeWithin'
  >;
  reading: Pick<MessageReading, 'findMessages'>;
  nowMs: number;
  terms: PreparedTerms;
}

/**
 * Applies a suggestion in the caller's transaction. Nothing is erased: what another memory takes the place of stays in the
 * history. In a space, a text keeps its author if it stands in what one member wrote, in evidence or in a memory.
 * Throws `conflict` if a memory is no longer valid, `invalid_request` for a contradiction without a choice, and `quota_exceeded`.
 */
export async function applySuggestion(
  connection: Connection,
  parts: Parts,
  adder: Adder,
  suggestion: Suggestion,
  { content: edited, keep }: Acceptance,
): Promise<Applied> {
  const { memories, nowMs, terms } = parts;
  const { tenantId } = adder;
  const { kind } = suggestion;
  const content = edited ?? suggestion.content ?? undefined;
  const about = await findAbout(connection, parts, tenantId, suggestion.memoryIds);
  const messageIds = suggestion.evidence.flatMap(({ id }) => (id.startsWith('msg_') ? [id] : []));
  const messages = await parts.reading.findMessages(connection, tenantId, messageIds);
  const holding = [...messages, ...about].filter((one) => content !== undefined && saysVerbatim(one.content, content));
  const writer = { ...adder, author: onlyAuthorOf(holding) ?? adder.author };
  const applied: Applied = { changed: [], closed: [], added: [] };

  const change = async (memory: Memory, fields: Parameters<Memories['changeWithin']>[3]) => {
    const changed = await memories.changeWithin(connection, writer, memory.id, fields, terms);
    if (changed.version === memory.version) return;
    applied.changed.push({ id: memory.id, version: memory.version, after: digestOf(changed) });
  };
  /** Gives a memory the first of some texts that no other has; returns it, or `undefined` if there is none. */
  const changeToOneOf = async (memory: Memory, texts: readonly string[]) => {
    for (const text of texts) {
      const changed = await unlessDuplicate(change(memory, { content: text, saidAtMs: null }).then(() => text));
      if (changed !== undefined) return changed;
    }
    return undefined;
  };
  const close = async ({ id, validFrom }: Memory, by: Memory | undefined, endMs: number) => {
    const validTo = Math.max(Date.parse(validFrom), endMs);
    const closing = { tenantId, id, validTo, supersededBy: by?.id ?? null };
    applied.closed.push({ id, after: digestOf(await memories.closeWithin(connection, closing, terms)) });
  };
  const add = async (contents: readonly string[], like: Partial<Memory>) => {
    const { source, occurredAt, expiresAt, pinned, tags = [] } = like;
    const added = contents.map((text) => ({
      content: text,
      user: suggestion.user,
      origin: 'extraction' as const,
      ...(suggestion.project !== null && { project: suggestion.project }),
      ...(source && { source }),
      ...(occurredAt && { occurredAt }),
      ...(expiresAt && { expiresAt }),
      ...(pinned && { pinned }),
      tags,
    }));
    const stored = await memories.addWithin(connection, writer, added, terms);
    for (const memory of stored) {
      if (!memory.duplicate) applied.added.push({ id: memory.id, after: digestOf(memory) });
    }
    await insertItems(
      connection,
      stored.map(({ id: itemId }) => ({ tenantId, itemId, suggestionId: suggestion.id })),
    );
  };

  const fromMs = suggestion.validFrom === null ? undefined : Date.parse(suggestion.validFrom);
  if (kind === 'add') {
    const occurredAt = suggestion.validFrom ?? undefined;
    const message = messages.find(({ id }) => id === messageIds[0]);
    const source = message ? { conversationId: message.conversationId, messageId: message.id } : null;
    await add([content!], { source, occurredAt: occurredAt ?? null });
  } else if (kind === 'expire') {
    await close(about[0]!, undefined, Math.min(fromMs ?? nowMs, nowMs));
  } else if (kind === 'split') {
    const lines = linesOf(content!);
    if (lines.length > MAX_SPLIT_LINES) {
      const errors = [{ path: '/content', message: `must have at most ${MAX_SPLIT_LINES} lines` }];
      throw new AppError('invalid_request', `A memory is split into at most ${MAX_SPLIT_LINES}.`, { errors });
    }
    const original = about[0]!;
    const kept = await changeToOneOf(original, lines);
    if (kept === undefined) await close(original, undefined, nowMs);
    // The others were told when it was, and are not newer than what was told since.
    const like = { ...original, occurredAt: lastSaid(original) };
    await add(
      lines.filter((line) => line !== kept),
      like,
    );
  } else {
    const kept = keptOf(kind, about, keep);
    const others = about.filter(({ id }) => id !== kept.id);
    if (kind === 'merge') requireOwn(about);
    // Close first: the one that stays may get the content of another.
    for (const other of others) await close(other, kept, kind === 'merge' ? nowMs : (fromMs ?? startOf(kept)));
    const united = kind === 'merge' ? { ...unionOf(kept, others), saidAtMs: Math.max(...about.map(saidMs)) } : {};
    const isRewritten = content !== undefined && content !== kept.content;
    // Only a person who words it says it again.
    const worded = isRewritten && { content, ...(edited === undefined && kind !== 'merge' && { saidAtMs: null }) };
    const fields = { ...united, ...worded };
    if (Object.keys(fields).length > 0) await change(kept, fields);
  }
  return applied;
}

/**
 * Restores what was before a suggestion was accepted, in the caller's transaction. Throws `conflict` if a memory was changed
 * since, or if another has its content now.
 */
export async function undoApplied(
  connection: Connection,
  { memories, terms }: Parts,
  tenantId: string,
  applied: Applied,
): Promise<void> {
  for (const { id, after } of [...applied.changed, ...applied.closed, ...applied.added]) {
    const memory = await memories.findWithin(connection, tenantId, id);
    if (memory && digestOf(memory) === after) continue;
    const what = memory ? 'was changed' : 'was erased';
    throw new AppError(
      'conflict',
      `The memory ${id} ${what} after the suggestion was accepted: undoing would lose that.`,
    );
  }
  for (const { id } of applied.closed) {
    const { supersededBy } = (await memories.findWithin(connection, tenantId, id))!;
    const successor = supersededBy === null ? undefined : await memories.findWithin(connection, tenantId, supersededBy);
    if (!successor || successor.validTo === null) continue;
    throw new AppError(
      'conflict',
      `The memory ${successor.id} holds no longer: undoing would make the older ${id} current beside what took its place.`,
    );
  }
  for (const { id } of applied.added) await memories.removeWithin(connection, tenantId, id);
  for (const { id, version } of applied.changed)
    await memories.restoreWithin(connection, tenantId, { id, version }, terms);
  for (const { id } of applied.closed) await memories.reopenWithin(connection, tenantId, id, terms);
}

/** A digest of what a memory says and of its validity, whatever its version: one that is restored counts as unchanged. */
function digestOf(memory: Memory): string {
  const { content, tags, metadata, project, externalId, occurredAt, expiresAt, pinned, validTo, supersededBy } = memory;
  return contentTagOf([
    ...[content, tags, metadata, project, externalId, occurredAt, expiresAt, pinned, validTo, supersededBy],
  ]);
}

/** The most texts of a `split`: all are stored in one transaction, which others wait for. */
export const MAX_SPLIT_LINES = 100;

/** The texts of a `split`. */
export function linesOf(content: string): string[] {
  return content
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

/** Finds the memories of a suggestion, oldest first. Throws `conflict` if one is no longer valid. */
async function findAbout(
  connection: Connection,
  { memories }: Parts,
  tenantId: string,
  ids: readonly string[],
): Promise<Memory[]> {
  const found: Memory[] = [];
  for (const id of ids) {
    const memory = await memories.findWithin(connection, tenantId, id);
    if (!memory || memory.validTo !== null) throw new AppError('conflict', `The memory ${id} is no longer valid.`);
    found.push(memory);
  }
  return found;
}

/** Throws `conflict` if another program keeps one of the memories, such as a file, which it would lose. */
function requireOwn(memories: readonly Memory[]): void {
  const kept = memories.find(({ externalId }) => externalId !== null);
  if (!kept) return;
  const { id, externalId } = kept;
  throw new AppError('conflict', `Another program keeps the memory ${id} as ${externalId}: change it there.`);
}

/** The memory that stays: the oldest of a merge, the newest of those that it supersedes, or the chosen one. */
function keptOf(kind: Suggestion['kind'], about: readonly Memory[], keep: string | undefined): Memory {
  if (keep === undefined && kind === 'contradiction') {
    const errors = [{ path: '/keep', message: 'is missing' }];
    throw new AppError('invalid_request', 'Name the memory that holds as keep.', { errors });
  }
  const kept = keep === undefined ? about.at(kind === 'merge' ? 0 : -1) : about.find(({ id }) => id === keep);
  if (kept) return kept;
  const errors = [{ path: '/keep', message: 'is not among memoryIds' }];
  throw new AppError('invalid_request', 'The memory in keep is not one of the suggestion.', { errors });
}

/**
 * The tags and metadata of all, as far as a memory may have so many, and the widest project, the last expiry and any pin. Where
 * members of metadata differ, those of the one that stays.
 */
function unionOf(kept: Memory, others: readonly Memory[]): Parameters<Memories['changeWithin']>[3] {
  const tags = [...new Set([...kept.tags, ...others.flatMap((other) => other.tags)])].slice(0, MAX_TAGS);
  const metadata = metadataOf([kept, ...others.toReversed()]);
  const expiresAt = laterExpiry([kept, ...others].map((one) => one.expiresAt));
  return {
    ...(others.some(({ project }) => project !== kept.project) && kept.project !== null && { project: null }),
    ...(expiresAt !== kept.expiresAt && { expiresAt }),
    ...(!kept.pinned && others.some(({ pinned }) => pinned) && { pinned: true }),
    ...(tags.length > kept.tags.length && { tags }),
    ...(Object.keys(metadata).length > Object.keys(kept.metadata).length && { metadata }),
  };
}

/** The metadata of the first, and the members of the others that it lacks while there is room. */
function metadataOf(memories: readonly Memory[]): Record<string, unknown> {
  let united: Record<string, unknown> = {};
  for (const [name, value] of memories.flatMap(({ metadata }) => Object.entries(metadata))) {
    if (Object.hasOwn(united, name) || Object.keys(united).length >= MAX_METADATA_MEMBERS) continue;
    const next = { ...united, [name]: value };
    if (Buffer.byteLength(JSON.stringify(next)) <= metadataRules.maxBytes) united = next;
  }
  return united;
}

function saidMs(memory: Memory): number {
  return Date.parse(lastSaid(memory));
}

function startOf({ occurredAt, validFrom }: Memory): number {
  return Date.parse(occurredAt ?? validFrom);
}

/** Whether a text holds all lines of another one, but for case and spaces: nobody signs what they did not write. */
function saysVerbatim(text: string, content: string): boolean {
  const plain = (one: string) => foldedContent(one).replace(/[.!]$/, '');
  return content.split('\n').every((line) => plain(text).includes(plain(line)));
}

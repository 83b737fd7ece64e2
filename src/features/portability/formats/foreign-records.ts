import type { LeftOut } from '../../../contract/import-outcome.ts';
import type { PortableConversation, PortableMemory, PortableMessage } from '../../../contract/portability.ts';
import { toTimestamp, toTimestampOrNull } from '../../../lib/clock.ts';
import type { ImportGiven } from '../import-items.ts';
import { deriveId } from './derived-id.ts';
import { clip, oneLine, storable, storableObject } from './foreign-values.ts';

/** What other systems' files are turned into. */
export type ForeignRecord = PortableMemory | PortableConversation | PortableMessage;

/** What the reader of a format yields. */
export type RecordRead = { place: string } & ({ record: ForeignRecord } | LeftOut);

/**
 * Reads a file of another system as it streams in and yields what it holds, in the order in which it can be stored: a
 * conversation before its messages. What the file does not say is taken from `given`; its tags every memory gets. The
 * same file gives the same user the same ids each time.
 */
export type ReadRecords = (bytes: AsyncIterable<Uint8Array>, given: ImportGiven) => AsyncGenerator<RecordRead>;

/** A memory as another system knows it. */
export interface ForeignMemory {
  /** The format and what the memory is called there, or its text where it has no name. */
  source: readonly string[];
  content: string;
  tags: readonly string[];
  metadata: Record<string, unknown>;
  user?: string | undefined;
  occurredMs?: number | undefined;
  expiresMs?: number | undefined;
  createdMs?: number | undefined;
  updatedMs?: number | undefined;
}

const TAG_CHARACTERS = 256;

/** Something that was left out on purpose. */
export function remark(place: string, reason: string): RecordRead {
  return { place, reason, fault: false };
}

/** Something that cannot be read and that somebody should look at. */
export function fault(place: string, reason: string): RecordRead {
  return { place, reason, fault: true };
}

/** A memory as a record, or why it can be none. */
export function readMemory(place: string, memory: ForeignMemory, given: ImportGiven): RecordRead {
  const metadata = storableObject(memory.metadata);
  if (metadata === undefined) return fault(place, 'Its metadata is nested too deep: 31 levels fit.');
  const createdMs = memory.createdMs ?? given.nowMs;
  const user = (memory.user && oneLine(memory.user)) || given.user;
  const record: PortableMemory = {
    type: 'memory',
    id: deriveId('mem', memory.createdMs, user, memory.source),
    content: storable(memory.content),
    tags: tagsOf([...given.tags, ...memory.tags]),
    source: null,
    occurredAt: toTimestampOrNull(memory.occurredMs ?? null),
    expiresAt: toTimestampOrNull(memory.expiresMs ?? null),
    validFrom: toTimestamp(createdMs),
    validTo: null,
    supersededBy: null,
    version: 1,
    user,
    metadata,
    createdAt: toTimestamp(createdMs),
    updatedAt: toTimestamp(memory.updatedMs ?? createdMs),
  };
  return checked(place, record, given);
}

/** The record if the contract takes it, else the fault. */
export function checked(place: string, record: ForeignRecord, { check }: ImportGiven): RecordRead {
  const wrong = check(record.type, record);
  return wrong ? { place, ...wrong } : { place, record };
}

function tagsOf(tags: readonly string[]): string[] {
  return [...new Set(tags.map((tag) => clip(oneLine(tag), TAG_CHARACTERS)))].filter((tag) => tag !== '');
}

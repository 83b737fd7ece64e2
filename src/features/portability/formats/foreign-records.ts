import type { SkipReason } from '../../../contract/import-outcome.ts';
import type { PortableConversation, PortableMemory, PortableMessage } from '../../../contract/portability.ts';
import { toTimestamp, toTimestampOrNull } from '../../../lib/clock.ts';
import { finish, runInSlices } from '../../../lib/time-slices.ts';
import { deriveId } from './derived-id.ts';
import { clip, MAX_STORED_LENGTH, oneLine, storable, storableObject } from './foreign-values.ts';
import type { ReaderOptions } from './import-reader.ts';

/** A record that a file from another system is converted to. */
export type ForeignRecord = PortableMemory | PortableConversation | PortableMessage;

/** A record or a skipped item, with its location in the file. */
export type ForeignItem = { place: string } & ({ record: ForeignRecord } | SkipReason);

/**
 * Reads a file from another system as it streams in. Yields records in the order in which they can be stored: a
 * conversation before its messages. The same file always gives the same ids for the same user.
 */
export type ForeignReader = (bytes: AsyncIterable<Uint8Array>, options: ReaderOptions) => AsyncGenerator<ForeignItem>;

/** The items of a line or of an item of another program, with pauses where nothing is read yet. */
export type ItemSteps = Generator<ForeignItem | undefined, void>;

/** A memory as another system describes it. */
export interface ForeignMemory {
  /** Identifies the memory: the format, then its id in the other system, or its content if it has none. */
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
/** Of more, some are the same. */
export const MAX_GIVEN_TAGS = 1000;

/** Reports an item that is left out on purpose. */
export function skipped(place: string, reason: string): ForeignItem {
  return { place, reason, fault: false };
}

/** Reports an item that cannot be read and needs attention. */
export function fault(place: string, reason: string): ForeignItem {
  return { place, reason, fault: true };
}

/** Converts a memory to a record, or reports why it cannot be stored. */
export function readMemory(place: string, memory: ForeignMemory, options: ReaderOptions): ForeignItem {
  const metadata = storableObject(memory.metadata);
  if (metadata === undefined) return fault(place, 'The metadata is nested more than 31 levels deep.');
  const createdMs = memory.createdMs ?? options.nowMs;
  const user = (memory.user && oneLine(memory.user)) || options.user;
  const record: PortableMemory = {
    type: 'memory',
    id: deriveId('mem', memory.createdMs, user, memory.source),
    content: storable(memory.content.slice(0, MAX_STORED_LENGTH)),
    tags: tagsOf([...options.tags, ...memory.tags]),
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
  return checkedRecord(place, record, options);
}

/** Returns the record if it conforms to the contract, else a fault. */
export function checkedRecord(place: string, record: ForeignRecord, { check }: ReaderOptions): ForeignItem {
  const invalid = finish(check(record.type, record));
  return invalid ? { place, ...invalid } : { place, record };
}

/** All tags, or more than a memory can have. */
function tagsOf(tags: readonly string[]): string[] {
  const lines = tags.slice(0, MAX_GIVEN_TAGS).map((tag) => clip(oneLine(tag), TAG_CHARACTERS));
  return [...new Set(lines)].filter((tag) => tag !== '');
}

/** Yields the items of a line or an item in a tenant's time slices. */
export async function* itemsInSlices(
  items: Iterable<ForeignItem | undefined>,
  { tenantId }: Pick<ReaderOptions, 'tenantId'>,
): AsyncGenerator<ForeignItem> {
  const steps = items[Symbol.iterator]();
  for (;;) {
    const item = await runInSlices(nextItem(steps), tenantId);
    if (item === undefined) return;
    yield item;
  }
}

function* nextItem(steps: Iterator<ForeignItem | undefined>): Generator<void, ForeignItem | undefined> {
  for (let step = steps.next(); !step.done; step = steps.next()) {
    if (step.value !== undefined) return step.value;
    yield;
  }
  return undefined;
}

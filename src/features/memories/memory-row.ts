import { createHash } from 'node:crypto';
import { type Memory, memoryFields } from '../../contract/memories.ts';
import { createRowCodec, type RowOf } from '../../db/row-codec.ts';
import { columnNames } from '../../db/values.ts';
import { toStreamSafe } from '../../lib/text.ts';
import type { TextEntry } from '../text/text-index-sqlite.ts';
import { type Derived, deriveFrom } from '../text/traits.ts';

/** The columns beside the fields. */
interface MemoryStorage extends Derived {
  tenantId: string;
  /** 1 for the newest version. */
  current: number;
  scope: number;
  contentHash: string;
}

/** One version of a memory as it is stored. */
export interface NewMemoryRow extends RowOf<typeof memoryFields>, MemoryStorage {}

export interface MemoryRow extends NewMemoryRow {
  number: number;
}

/** Between rows and what the interface shows and takes. */
export const memoryCodec = createRowCodec(memoryFields);
export const { toAnswer: toMemory } = memoryCodec;

export const MEMORY_COLUMNS: readonly (keyof NewMemoryRow)[] = [
  ...memoryCodec.columns,
  ...columnNames<MemoryStorage>({
    tenantId: true,
    current: true,
    scope: true,
    contentHash: true,
    traits: true,
    dates: true,
  }),
];

/** What a search wants to know of a content beside its words. */
export function derivedOf(content: string, occurredAt: number | null, createdAt: number): Derived {
  return deriveFrom(content, occurredAt ?? createdAt);
}

/** A stored version as the full-text index takes it. */
export function textEntryOf(row: MemoryRow, part: TextEntry['part']): TextEntry {
  const { number, scope, content, tags, occurredAt, createdAt, dates } = row;
  const at = occurredAt ?? createdAt;
  return { number, scope, texts: [content, ...(JSON.parse(tags) as string[])], days: { at, until: at, dates }, part };
}

/** Two contents with this hash in common are the same memory: white space and case are folded. */
export function contentHashOf(content: string): string {
  const folded = toStreamSafe(content).normalize('NFC').trim().replace(/\s+/g, ' ').toLowerCase();
  return createHash('sha256').update(folded).digest('base64url');
}

/** The strong entity tag of a state: of a version, and of the end of its validity. */
export function etagOf({
  version,
  updatedAt,
  validTo,
  supersededBy,
}: Pick<Memory, 'version' | 'updatedAt' | 'validTo' | 'supersededBy'>): string {
  const end = validTo === null ? '' : `-${Date.parse(validTo).toString(36)}-${supersededBy ?? ''}`;
  return `"${version}-${Date.parse(updatedAt).toString(36)}${end}"`;
}

/** Whether the memory's time has come: from this instant on it is as gone as an erased one. */
export function hasExpired({ expiresAt }: Pick<MemoryRow, 'expiresAt'>, nowMs: number): boolean {
  return expiresAt !== null && expiresAt <= nowMs;
}

import { createHash } from 'node:crypto';
import type { Memory } from '../../contract/memories.ts';
import { toTimestamp, toTimestampOrNull } from '../../lib/clock.ts';
import { toStreamSafe } from '../../lib/text.ts';
import type { TextEntry } from '../text/text-index-sqlite.ts';
import { type Derived, deriveFrom } from '../text/traits.ts';

/** One version of a memory as it is stored; instants are epoch milliseconds, `tags`, `metadata` and `source` JSON. */
export interface MemoryRow extends Derived {
  number: number;
  tenantId: string;
  id: string;
  version: number;
  /** 1 for the newest version. */
  current: number;
  scope: number;
  endUser: string;
  content: string;
  contentHash: string;
  tags: string;
  metadata: string;
  source: string | null;
  occurredAt: number | null;
  expiresAt: number | null;
  validFrom: number;
  validTo: number | null;
  supersededBy: string | null;
  createdAt: number;
  updatedAt: number;
}

export type NewMemoryRow = Omit<MemoryRow, 'number'>;

/** A stored version as the interface shows it. */
export function toMemory(row: NewMemoryRow): Memory {
  return {
    id: row.id,
    content: row.content,
    user: row.endUser,
    tags: JSON.parse(row.tags) as string[],
    metadata: JSON.parse(row.metadata) as Record<string, unknown>,
    source: row.source === null ? null : (JSON.parse(row.source) as Memory['source']),
    occurredAt: toTimestampOrNull(row.occurredAt),
    expiresAt: toTimestampOrNull(row.expiresAt),
    validFrom: toTimestamp(row.validFrom),
    validTo: toTimestampOrNull(row.validTo),
    supersededBy: row.supersededBy,
    version: row.version,
    createdAt: toTimestamp(row.createdAt),
    updatedAt: toTimestamp(row.updatedAt),
  };
}

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

import { createHash } from 'node:crypto';
import type { Memory } from '../../contract/memories.ts';
import { toTimestamp, toTimestampOrNull } from '../../lib/clock.ts';

/** One version of a memory as it is stored; instants are epoch milliseconds, `tags`, `metadata` and `source` JSON. */
export interface MemoryRow {
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

/** Two contents with this hash in common are the same memory: white space and case are folded. */
export function contentHashOf(content: string): string {
  const folded = content.normalize('NFC').trim().replace(/\s+/g, ' ').toLowerCase();
  return createHash('sha256').update(folded).digest('base64url');
}

/** The strong entity tag of a state; closing a memory's validity changes it too. */
export function etagOf({ version, updatedAt }: Pick<Memory, 'version' | 'updatedAt'>): string {
  return `"${version}-${Date.parse(updatedAt).toString(36)}"`;
}

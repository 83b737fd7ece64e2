import { createHash } from 'node:crypto';
import { lastSaid, type Memory, memoryFields } from '../../contract/memories.ts';
import { createRowCodec, createWideRows, type RowOf } from '../../db/row-codec.ts';
import { columnNames, textBytesOf } from '../../db/values.ts';
import { toTimestamp } from '../../lib/clock.ts';
import { toStreamSafe } from '../../lib/text.ts';
import type { TextEntry } from '../text/text-indices.ts';
import { type Derived, deriveFrom } from '../traits/traits.ts';

/** The columns that are not API fields. */
interface MemoryStorage extends Derived {
  tenantId: string;
  /** 1 for the newest version. */
  current: number;
  scope: number;
  contentHash: string;
}

/** A stored version of a memory. */
export interface NewMemoryRow extends RowOf<typeof memoryFields>, MemoryStorage {}

export interface MemoryRow extends NewMemoryRow {
  number: number;
}

/** Converts between rows and API values. */
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

export const memoryRows = createWideRows<MemoryRow>([...MEMORY_COLUMNS, 'number']);

/** The columns that count as stored bytes, and that are overwritten when a version is erased. */
export const MEMORY_TEXTS = ['content', 'tags', 'metadata', 'source'] as const;

/** Returns the stored bytes of a version. */
export function bytesOf(row: Pick<NewMemoryRow, (typeof MEMORY_TEXTS)[number]>): number {
  return textBytesOf(row, MEMORY_TEXTS);
}

/** Derives the search signals of a memory: traits and mentioned dates. */
export function derivedOf(content: string, occurredAt: number | null, createdAt: number): Derived {
  return deriveFrom(content, occurredAt ?? createdAt);
}

/** Parses the `tags` column. */
export function tagsIn(tags: string): string[] {
  return JSON.parse(tags) as string[];
}

/** Parses the `source` column: the ids that it names. */
export function sourceIdsIn(source: string | null): string[] {
  return source === null ? [] : [...new Set(Object.values(JSON.parse(source) as Record<string, string>))];
}

/** The indexed texts of a memory. */
export function textsOf({ content, tags }: Pick<NewMemoryRow, 'content' | 'tags'>): string[] {
  return [content, ...tagsIn(tags)];
}

/** Converts a stored version to a full-text index entry. */
export function textEntryOf(row: MemoryRow, part: TextEntry['part']): TextEntry {
  const { tenantId, scope, number, occurredAt, createdAt, dates } = row;
  const at = occurredAt ?? createdAt;
  return { tenantId, scope, number, texts: textsOf(row), days: { at, until: at, dates }, part };
}

/** The index entry of a stored row. */
export function storedEntryOf(row: MemoryRow): TextEntry {
  return textEntryOf(row, isLive(row) ? 'live' : 'past');
}

/** Returns content as comparisons use it: without case and differences in white space. Takes time linear in its length. */
export function foldedContent(content: string): string {
  return toStreamSafe(content).normalize('NFC').trim().replace(/\s+/g, ' ').toLowerCase();
}

/** Hashes content for duplicate detection. */
export function contentHashOf(content: string): string {
  return createHash('sha256').update(foldedContent(content)).digest('base64url');
}

/** Returns the strong entity tag of a version; it changes when the version is superseded. */
export function etagOf({
  version,
  updatedAt,
  validTo,
  supersededBy,
}: Pick<Memory, 'version' | 'updatedAt' | 'validTo' | 'supersededBy'>): string {
  const end = validTo === null ? '' : `-${Date.parse(validTo).toString(36)}-${supersededBy ?? ''}`;
  return `"${version}-${Date.parse(updatedAt).toString(36)}${end}"`;
}

/** Whether a version is the current one and valid. */
export function isLive({ current, validTo }: Pick<NewMemoryRow, 'current' | 'validTo'>): boolean {
  return current === 1 && validTo === null;
}

/** When a row was last said, once it is said at a time too, as its column has it. */
export function saidAgain(row: Pick<NewMemoryRow, 'saidAt' | 'occurredAt' | 'createdAt'>, atMs: number): number | null {
  return atMs > lastSaid(row) ? atMs : row.saidAt;
}

/**
 * When a changed row was last said, as its column has it: with a time of the event that its writer gives, then; with another
 * text, at `saidAtMs` or now; with `null` for `saidAtMs`, as before.
 */
export function saidAtOf(
  row: NewMemoryRow,
  changed: NewMemoryRow,
  { saidAtMs, occurredAt }: { saidAtMs?: number | null; occurredAt?: unknown },
  nowMs: number,
): number | null {
  if (saidAtMs === null) return row.saidAt;
  if (saidAtMs !== undefined) return saidAgain(changed, saidAtMs);
  if (occurredAt !== undefined) return null;
  return changed.content === row.content ? row.saidAt : saidAgain(changed, nowMs);
}

/** Returns a changed row as the next version of its memory. */
export function nextVersionOf(changed: NewMemoryRow, nowMs: number): NewMemoryRow {
  return {
    ...changed,
    contentHash: contentHashOf(changed.content),
    ...derivedOf(changed.content, changed.occurredAt, changed.createdAt),
    version: changed.version + 1,
    validFrom: Math.max(nowMs, changed.validFrom),
    updatedAt: Math.max(nowMs, changed.updatedAt),
  };
}

/** Whether a memory has expired. An expired memory behaves like an erased one, even before it is swept. */
export function hasExpired({ expiresAt }: Pick<MemoryRow, 'expiresAt'>, nowMs: number): boolean {
  return expiresAt !== null && expiresAt <= nowMs;
}

const REDACTED = '[redacted]';

/** Returns a version that says nothing but when it was redacted, and has only some tags. */
export function redactedRow(row: MemoryRow, tags: readonly string[], nowMs: number): MemoryRow {
  return {
    ...row,
    content: REDACTED,
    contentHash: contentHashOf(REDACTED),
    tags: JSON.stringify(tags),
    metadata: JSON.stringify({ redactedAt: toTimestamp(nowMs) }),
    source: null,
    externalId: null,
    occurredAt: null,
    saidAt: null,
    ...derivedOf(REDACTED, null, row.createdAt),
  };
}

/** Returns when a version was redacted. */
export function redactedAtOf({ content, metadata }: Pick<MemoryRow, 'content' | 'metadata'>): string | undefined {
  const { redactedAt } = JSON.parse(metadata) as { redactedAt?: unknown };
  return content === REDACTED && typeof redactedAt === 'string' ? redactedAt : undefined;
}

import type { NewMemory } from '../../contract/memories.ts';
import { parseTimestamp } from '../../lib/clock.ts';

export type ImportFormat = 'ndjson' | 'lines';

/** A line that is a memory. */
export interface ImportEntry {
  line: number;
  memory: NewMemory;
}

/** A line that is none, and why; `fault` where somebody should look at it. */
export interface SkippedLine {
  line: number;
  reason: string;
  fault: boolean;
}

/** What every imported memory gets that does not say otherwise. */
export interface ImportDefaults {
  user?: string | undefined;
  tags?: readonly string[] | undefined;
}

/** What the contract has against a memory, or `undefined`. */
export type CheckMemory = (memory: unknown) => string | undefined;

/** Fields that an export, a list or a search answer carries and that the daemon gives anew. */
const GIVEN_ANEW = new Set([
  ...['id', 'validFrom', 'validTo', 'supersededBy', 'version', 'createdAt', 'updatedAt', 'duplicate'],
  ...['type', 'score', 'why'],
]);

/** Reads one line; nothing for a blank one. */
export function createLineReader(
  format: ImportFormat,
  defaults: ImportDefaults,
  check: CheckMemory,
  nowMs: number,
): (text: string, line: number) => ImportEntry | SkippedLine | undefined {
  const read = format === 'lines' ? readPlain : readObject;
  return (text, line) => {
    if (text.trim() === '') return undefined;
    const found = read(text, nowMs);
    if (typeof found === 'string') return { line, reason: found, fault: !found.startsWith('left out') };
    const memory = withDefaults(found, defaults);
    const reason = check(memory);
    return reason === undefined ? { line, memory: memory as NewMemory } : { line, reason, fault: true };
  };
}

type Fields = Record<string, unknown>;

function readPlain(text: string): Fields {
  return { content: text.trim() };
}

/** The fields that the daemon takes, or why the line is no memory. */
function readObject(text: string, nowMs: number): Fields | string {
  const value = parsed(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return 'no JSON object (for lines of plain text give --format lines)';
  }
  const fields = value as Fields;
  const { expiresAt } = fields;
  if (fields.supersededBy != null) return 'left out: superseded by a newer memory';
  if (typeof expiresAt === 'string' && (parseTimestamp(expiresAt) ?? nowMs + 1) <= nowMs) return 'left out: expired';
  const taken = Object.entries(fields).filter(([name, given]) => !GIVEN_ANEW.has(name) && given !== null);
  return { ...noted(fields), ...Object.fromEntries(taken) };
}

/** An exported memory keeps when it was noted: to the account that imports it, that is when it was said. */
function noted({ id, createdAt, occurredAt }: Fields): Fields {
  return typeof id === 'string' && typeof createdAt === 'string' && occurredAt == null ? { occurredAt: createdAt } : {};
}

function withDefaults(fields: Fields, { user, tags }: ImportDefaults): Fields {
  const given =
    Array.isArray(fields.tags) || fields.tags === undefined ? ((fields.tags ?? []) as unknown[]) : undefined;
  return {
    ...(user !== undefined && { user }),
    ...fields,
    ...(tags && given && { tags: [...new Set([...given, ...tags])] }),
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

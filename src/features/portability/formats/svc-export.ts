import { AppError } from '../../../contract/errors.ts';
import { type SkipReason, skipReasonOf } from '../../../contract/import-outcome.ts';
import { AddedMemory, lastSaid, NewMemory } from '../../../contract/memories.ts';
import type { PortableRecord } from '../../../contract/portability.ts';
import { Found } from '../../../contract/search.ts';
import { parseStorableInSteps } from '../../../contract/storable-steps.ts';
import { parseTimestamp } from '../../../lib/clock.ts';
import { type Fields, fieldsOf, kindName } from './foreign-values.ts';
import type { ImportReader, ParsedItem, ReaderOptions } from './import-reader.ts';
import { finishLine, readLines } from './lines.ts';
import { createOmissions, type Omissions } from './omissions.ts';

/**
 * Reads an export of svc, or memories to add, one JSON object per line. After the head of an export, unknown fields and
 * line types are left out and reported once each at the end; without a head they are faults.
 */
export const readSvcExport: ImportReader = async function* (stream, options) {
  let unknown: Omissions | undefined;
  for await (const line of readLines(stream, options)) {
    if ('reason' in line) yield { ...line, reason: `${line.reason} (${OTHER_FORMATS})` };
    else {
      const item = await finishLine(line, options, readLine(line.bytes, options, unknown));
      if (item === undefined) continue;
      if ('marker' in item && item.marker === 'head') unknown ??= createOmissions();
      yield { place: line.place, ...item };
    }
  }
  if (unknown) yield* unknown.reasons('the file');
};

/** Reads something in steps. */
type Reading<Read = ParsedItem | undefined> = Generator<void, Read>;

/** Returns `undefined` for an unknown line type after a head. Throws `unprocessable` for the head of another program. */
function* readLine(bytes: Buffer, options: ReaderOptions, unknown: Omissions | undefined): Reading {
  try {
    const fields = fieldsOf(yield* parseStorableInSteps(bytes));
    yield;
    return fields ? yield* readObject(fields, options, unknown) : NOT_AN_OBJECT;
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'invalid_request') throw error;
    return error.options.errors ? skipReasonOf(error) : NOT_AN_OBJECT;
  }
}

/** Hints at the usual mistake: a missing `--format`. */
const OTHER_FORMATS = 'plain text needs --format lines, a file of another system its own --format';
const NOT_AN_OBJECT: SkipReason = { reason: `is not a JSON object (${OTHER_FORMATS})`, fault: true };
const KINDS = ['memory', 'conversation', 'message', 'episode', 'learned', 'suggestion'] as const;

function* readObject(fields: Fields, options: ReaderOptions, unknown: Omissions | undefined): Reading {
  const { type, version, score } = fields;
  // A memory in a search response has a type too.
  if (type === undefined || (type === 'memory' && (version === undefined || score !== undefined))) {
    return yield* readMemory(fields, options);
  }
  if (type === 'svc-export') return readHead(fields);
  if (type === 'end') return { marker: 'end' };
  const kind = KINDS.find((name) => name === type);
  if (kind === undefined) {
    if (!unknown) return { reason: `has an unknown type: ${kindName(type)}`, fault: true };
    unknown.add(`line(s) of unknown type ${kindName(type)}`);
    return undefined;
  }
  const record = kind === 'memory' ? withTags(fields, options.tags) : fields;
  const onUnknown = unknown && ((field: string) => unknown.add(`value(s) of unknown ${kind} field ${kindName(field)}`));
  return (yield* options.check(kind, record, onUnknown)) ?? { record: record as PortableRecord };
}

/** In exports of the first version, `format` is a number. */
function readHead({ format, version }: Fields): ParsedItem {
  const isKnown = typeof format === 'number' || (format === 'svc' && Number.isInteger(version));
  if (!isKnown) throw new AppError('unprocessable', 'The first line names a format that svc cannot read.');
  return { marker: 'head' };
}

/** Fields of list and search responses that a new memory does not take over. */
const IGNORED_FIELDS = new Set(
  Object.keys({ ...Found.properties, ...AddedMemory.properties }).filter((name) => !(name in NewMemory.properties)),
);

function* readMemory(
  fields: Fields,
  { nowMs, user, tags, check }: ReaderOptions,
): Reading<{ memory: NewMemory } | SkipReason> {
  const { expiresAt } = fields;
  if (fields.supersededBy != null) return { reason: 'left out: superseded by a newer memory', fault: false };
  if (fields.validTo != null) return { reason: 'left out: outdated', fault: false };
  if (typeof expiresAt === 'string' && (parseTimestamp(expiresAt) ?? nowMs + 1) <= nowMs) {
    return { reason: 'left out: expired', fault: false };
  }
  const kept = Object.entries(fields).filter(([name, value]) => !IGNORED_FIELDS.has(name) && value !== null);
  const memory = withTags({ user, ...occurrenceOf(fields), ...Object.fromEntries(kept) }, tags);
  return (yield* check('new', memory)) ?? { memory: memory as unknown as NewMemory };
}

/** Takes when a listed memory was last said as its `occurredAt`, because the memory gets a new `createdAt`. */
function occurrenceOf({ id, createdAt, occurredAt, saidAt = null }: Fields): Fields {
  if (typeof id !== 'string' || typeof createdAt !== 'string' || occurredAt != null) return {};
  return { occurredAt: lastSaid<unknown>({ saidAt, occurredAt: null, createdAt }) };
}

function withTags(fields: Fields, tags: readonly string[]): Fields {
  const { tags: own = [] } = fields;
  if (tags.length === 0 || !Array.isArray(own)) return fields;
  return { ...fields, tags: [...new Set([...own, ...tags])] };
}

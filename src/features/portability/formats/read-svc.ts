import { AppError } from '../../../contract/errors.ts';
import { type LeftOut, leftOutBecause } from '../../../contract/import-outcome.ts';
import type { NewMemory } from '../../../contract/memories.ts';
import type { PortableRecord } from '../../../contract/portability.ts';
import { parseStorableText } from '../../../contract/storable.ts';
import { parseTimestamp } from '../../../lib/clock.ts';
import type { Found, ImportGiven, ReadItems } from '../import-items.ts';
import { readLines } from '../import-lines.ts';
import { type Fields, fieldsOf, kindName } from './foreign-values.ts';
import { createOmissions, type Omissions } from './omissions.ts';

/** More than the largest thing there is takes as JSON. */
const LONGEST_MIB = 1;

/**
 * Reads the lines of an export of svc, or lines that are memories to add. After the head of an export, fields and types
 * of line that this version does not know are left out and reported once each at the end; without a head they are faults.
 */
export const readSvc: ReadItems = async function* (stream, given) {
  let unknown: Omissions | undefined;
  for await (const line of readLines(stream, LONGEST_MIB)) {
    if ('reason' in line) yield { ...line, reason: `${line.reason} (${OTHER_FORMATS})` };
    else {
      const found = readLine(line.text, given, unknown);
      if (found === undefined) continue;
      if ('mark' in found && found.mark === 'head') unknown ??= createOmissions();
      yield { place: line.place, ...found };
    }
  }
  if (unknown) yield* unknown.reasons('the file');
};

/** Returns nothing for a line of an unknown type after a head. Throws `unprocessable` for a head of another program. */
function readLine(text: string, given: ImportGiven, unknown: Omissions | undefined): Found | undefined {
  try {
    const fields = fieldsOf(parseStorableText(text));
    return fields ? readObject(fields, given, unknown) : NOT_AN_OBJECT;
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'invalid_request') throw error;
    return error.options.errors ? leftOutBecause(error) : NOT_AN_OBJECT;
  }
}

/** The usual mistake with a file of which nothing can be read. */
const OTHER_FORMATS = 'plain text needs --format lines, a file of another system its own --format';
const NOT_AN_OBJECT: LeftOut = { reason: `is not a JSON object (${OTHER_FORMATS})`, fault: true };
const KINDS = ['memory', 'conversation', 'message', 'episode', 'learned'] as const;

function readObject(fields: Fields, given: ImportGiven, unknown: Omissions | undefined): Found | undefined {
  const { type } = fields;
  // A search answer's memory has a type too.
  if (type === undefined || (type === 'memory' && fields.version === undefined)) return readMemory(fields, given);
  if (type === 'svc-export') return readHead(fields);
  if (type === 'end') return { mark: 'end' };
  const kind = KINDS.find((name) => name === type);
  if (kind === undefined) {
    if (!unknown) return { reason: 'has a type that svc does not know', fault: true };
    unknown.add(`line(s) of the unknown type ${kindName(type)}`);
    return undefined;
  }
  const record = kind === 'memory' ? withTags(fields, given.tags) : fields;
  const onUnknown =
    unknown && ((field: string) => unknown.add(`value(s) of the unknown ${kind} field ${kindName(field)}`));
  return given.check(kind, record, onUnknown) ?? { record: record as PortableRecord };
}

/** Exports of the first version have a number as their format. */
function readHead({ format, version }: Fields): Found {
  const isKnown = typeof format === 'number' || (format === 'svc' && Number.isInteger(version));
  if (!isKnown) throw new AppError('unprocessable', 'The first line names a format that svc does not read.');
  return { mark: 'head' };
}

/** Fields that a list, a search answer or an older export carries and that are given anew. */
const GIVEN_ANEW = new Set([
  ...['id', 'validFrom', 'validTo', 'supersededBy', 'version', 'createdAt', 'updatedAt', 'duplicate'],
  ...['type', 'score', 'why'],
]);

function readMemory(fields: Fields, { nowMs, user, tags, check }: ImportGiven): { memory: NewMemory } | LeftOut {
  const { expiresAt } = fields;
  if (fields.supersededBy != null) return { reason: 'left out: superseded by a newer memory', fault: false };
  if (typeof expiresAt === 'string' && (parseTimestamp(expiresAt) ?? nowMs + 1) <= nowMs) {
    return { reason: 'left out: expired', fault: false };
  }
  const taken = Object.entries(fields).filter(([name, value]) => !GIVEN_ANEW.has(name) && value !== null);
  const memory = withTags({ user, ...noted(fields), ...Object.fromEntries(taken) }, tags);
  return check('new', memory) ?? { memory: memory as unknown as NewMemory };
}

/** A listed memory keeps when it was noted: to the account that takes it in, that is when it was said. */
function noted({ id, createdAt, occurredAt }: Fields): Fields {
  return typeof id === 'string' && typeof createdAt === 'string' && occurredAt == null ? { occurredAt: createdAt } : {};
}

function withTags(fields: Fields, tags: readonly string[]): Fields {
  const { tags: own = [] } = fields;
  if (tags.length === 0 || !Array.isArray(own)) return fields;
  return { ...fields, tags: [...new Set([...own, ...tags])] };
}

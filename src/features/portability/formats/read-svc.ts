import { AppError } from '../../../contract/errors.ts';
import { type LeftOut, leftOutBecause } from '../../../contract/import-outcome.ts';
import type { NewMemory } from '../../../contract/memories.ts';
import { EXPORT_FORMAT, type PortableRecord } from '../../../contract/portability.ts';
import { parseStorableText } from '../../../contract/storable.ts';
import { parseTimestamp } from '../../../lib/clock.ts';
import type { Found, ImportGiven, ReadItems } from '../import-items.ts';
import { readLines } from '../import-lines.ts';
import { type Fields, fieldsOf } from './foreign-values.ts';

/** More than the largest thing there is takes as JSON. */
const LONGEST_MIB = 1;

/** Reads the lines of an export of svc, and lines that are memories to add. */
export const readSvc: ReadItems = async function* (stream, given) {
  for await (const line of readLines(stream, LONGEST_MIB)) {
    if ('reason' in line) yield { ...line, reason: `${line.reason} (${ANOTHER_FORMAT})` };
    else yield { place: line.place, ...readLine(line.text, given) };
  }
};

/** Throws `unprocessable` for an export of a newer svc. */
function readLine(text: string, given: ImportGiven): Found {
  try {
    const fields = fieldsOf(parseStorableText(text));
    return fields ? readObject(fields, given) : NO_OBJECT;
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'invalid_request') throw error;
    return error.options.errors ? leftOutBecause(error) : NO_OBJECT;
  }
}

/** What most often is wrong with a file of which nothing can be read. */
const ANOTHER_FORMAT = 'plain text needs --format lines, a file of another system its --format';
const NO_OBJECT: LeftOut = { reason: `no JSON object (${ANOTHER_FORMAT})`, fault: true };
const KINDS = ['memory', 'conversation', 'message', 'episode', 'learned'] as const;

function readObject(fields: Fields, given: ImportGiven): Found {
  const { type } = fields;
  // A search answer's memory says its type too.
  if (type === undefined || (type === 'memory' && fields.version === undefined)) return readMemory(fields, given);
  if (type === 'svc-export') {
    if (fields.format !== EXPORT_FORMAT) throw newer();
    return { mark: 'head' };
  }
  if (type === 'end') return { mark: 'end' };
  const kind = KINDS.find((name) => name === type);
  if (kind === undefined) return { reason: 'has a type that svc does not know', fault: true };
  const record = kind === 'memory' ? withTags(fields, given.tags) : fields;
  return given.check(kind, record) ?? { record: record as PortableRecord };
}

function newer(): AppError {
  const message = 'The file was written by another version of svc, whose exports this one does not read.';
  return new AppError('unprocessable', `${message} Bring this svc up to date.`);
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

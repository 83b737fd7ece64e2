import { nextUtcDayMs, toTimestamp } from '../../../lib/clock.ts';
import type { ImportGiven } from '../import-items.ts';
import { fault, type ReadRecords, type RecordRead, readMemory, remark } from './foreign-records.ts';
import { type Fields, fieldsOf, instantIn, textOf, textsIn } from './foreign-values.ts';
import { type JsonItem, readJsonItems } from './json-items.ts';

/**
 * What `get_all` of Mem0 answers, of the platform or of the open source library: `{"results": [...]}`, or the list
 * alone. Described at https://docs.mem0.ai/api-reference/memory/get-memories and in `mem0/memory/main.py` of
 * https://github.com/mem0ai/mem0. Relations of its graph are left out: they are in the memories in words.
 */
export const readMem0Export: ReadRecords = (bytes, given) =>
  readJsonItems(
    bytes,
    { array: ['$.*'], object: ['$.results.*', '$.relations', '$.next'] },
    ({ list, key }) => (typeof key === 'number' ? `${list ?? ''}[${key}]` : key),
    (item, place) => readItem(item, place, given),
  );

const FORMAT = 'mem0';
/** What says where a memory comes from; kept beside the metadata of its own. */
const ORIGINS = ['agent_id', 'app_id', 'run_id', 'actor_id', 'role'];

function* readItem({ key, value }: JsonItem, place: string, given: ImportGiven): Generator<RecordRead> {
  if (key === 'next') {
    if (value !== null) yield fault(place, 'The file is one page of several: the memories of the next are missing.');
  } else if (key === 'relations') {
    if (Array.isArray(value) && value.length > 0) yield remark(place, `${value.length} relations left out`);
  } else yield readOne(fieldsOf(value), place, given);
}

function readOne(fields: Fields | undefined, place: string, given: ImportGiven): RecordRead {
  const content = textOf(fields?.memory);
  if (fields === undefined || content === undefined) return fault(place, 'It has no text under “memory”.');
  const expiresMs = expiryOf(fields.expiration_date);
  if (expiresMs !== undefined && expiresMs <= given.nowMs) {
    return remark(place, `Expired at ${toTimestamp(expiresMs)}: left out`);
  }
  const origins = ORIGINS.flatMap((name) => (textOf(fields[name]) ? [[name, fields[name]]] : []));
  const memory = {
    source: [FORMAT, textOf(fields.id) ?? content],
    content,
    tags: textsIn(fields.categories),
    metadata: { ...Object.fromEntries(origins), ...fieldsOf(fields.metadata) },
    user: textOf(fields.user_id),
    expiresMs,
    createdMs: instantIn(fields.created_at),
    updatedMs: instantIn(fields.updated_at),
  };
  return readMemory(place, memory, given);
}

/** A memory is good through the day that it names. */
function expiryOf(date: unknown): number | undefined {
  const epochMs = instantIn(date);
  return epochMs !== undefined && String(date).trim().length === 10 ? nextUtcDayMs(epochMs) : epochMs;
}

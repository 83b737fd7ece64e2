import { nextUtcDayMs, toTimestamp } from '../../../lib/clock.ts';
import { type ForeignItem, type ForeignReader, fault, MAX_GIVEN_TAGS, readMemory, skipped } from './foreign-records.ts';
import { type Fields, fieldsOf, listOf, parseInstant, textOf } from './foreign-values.ts';
import type { ReaderOptions } from './import-reader.ts';
import { type JsonItem, readJsonItems } from './json-items.ts';

/**
 * Reads the response of Mem0's `get_all`, from the platform or the open source library: `{"results": [...]}`, or the
 * bare list. Format: https://docs.mem0.ai/api-reference/memory/get-memories and `mem0/memory/main.py` in
 * https://github.com/mem0ai/mem0. Graph relations are left out: the memories state the same facts in words.
 */
export const readMem0Export: ForeignReader = (bytes, options) =>
  readJsonItems(
    bytes,
    options,
    { array: ['$.*'], object: ['$.results.*', '$.relations', '$.next'] },
    ({ list, key }) => (typeof key === 'number' ? `${list ?? ''}[${key}]` : key),
    (item, place) => readItem(item, place, options),
  );

const FORMAT = 'mem0';
/** Fields that say where a memory comes from; stored with its metadata. */
const ORIGIN_FIELDS = ['agent_id', 'app_id', 'run_id', 'actor_id', 'role'];

function* readItem({ key, value }: JsonItem, place: string, options: ReaderOptions): Generator<ForeignItem> {
  if (key === 'next') {
    if (value !== null) yield fault(place, 'The file is one page of several: the memories on later pages are missing.');
  } else if (key === 'relations') {
    if (Array.isArray(value) && value.length > 0) yield skipped(place, `${value.length} relations left out`);
  } else yield readMem0Memory(fieldsOf(value), place, options);
}

function readMem0Memory(fields: Fields | undefined, place: string, options: ReaderOptions): ForeignItem {
  const content = textOf(fields?.memory);
  if (fields === undefined || content === undefined) return fault(place, '“memory” is missing or empty.');
  const expiresMs = expiryOf(fields.expiration_date);
  if (expiresMs !== undefined && expiresMs <= options.nowMs) {
    return skipped(place, `Expired at ${toTimestamp(expiresMs)}: left out`);
  }
  const origins = ORIGIN_FIELDS.flatMap((name) => (textOf(fields[name]) ? [[name, fields[name]]] : []));
  const memory = {
    source: [FORMAT, textOf(fields.id) ?? content],
    content,
    tags: listOf(fields.categories)
      .slice(0, MAX_GIVEN_TAGS)
      .filter((tag) => typeof tag === 'string'),
    metadata: { ...Object.fromEntries(origins), ...fieldsOf(fields.metadata) },
    user: textOf(fields.user_id),
    expiresMs,
    createdMs: parseInstant(fields.created_at),
    updatedMs: parseInstant(fields.updated_at),
  };
  return readMemory(place, memory, options);
}

/** Parses an expiration; a bare date includes that whole day. */
function expiryOf(date: unknown): number | undefined {
  const epochMs = parseInstant(date);
  return epochMs !== undefined && String(date).trim().length === 10 ? nextUtcDayMs(epochMs) : epochMs;
}

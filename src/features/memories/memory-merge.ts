import { MAX_METADATA_MEMBERS } from '../../contract/common.ts';
import { AppError } from '../../contract/errors.ts';
import type { ChangeOf } from '../../contract/fields.ts';
import { metadataRules } from '../../contract/fields.ts';
import { MAX_TAGS, type MemoryChange, type memoryFields } from '../../contract/memories.ts';
import { storedJson } from '../../db/row-codec.ts';
import { type NewMemoryRow, tagsIn } from './memory-row.ts';

type Metadata = Record<string, unknown>;

/** Columns that a duplicate can add to. */
type Additions = Pick<NewMemoryRow, 'tags' | 'metadata' | 'project' | 'externalId' | 'expiresAt'>;

/**
 * Resolves patches of tags and metadata to whole values, without `validTo`. Who said other content is unknown unless the
 * change says so. Throws `invalid_request` for a patch beside a replacement, and for `validTo` beside anything.
 */
export function resolveChange(
  row: Pick<NewMemoryRow, 'content' | 'tags' | 'metadata'>,
  given: MemoryChange,
): ChangeOf<typeof memoryFields> {
  const { metadataPatch, addTags, removeTags, validTo, ...change } = given;
  if (metadataPatch && change.metadata) throw combined('metadataPatch', 'metadata');
  if (change.tags && (addTags || removeTags)) throw combined(addTags ? 'addTags' : 'removeTags', 'tags');
  if (validTo !== undefined) {
    const other = Object.keys(given).find((name) => name !== 'validTo');
    if (other) throw combined('validTo', other);
  }
  const resolved = { ...change };
  if (change.content !== undefined && change.content !== row.content) resolved.origin ??= null;
  if (addTags || removeTags) {
    const kept = tagsIn(row.tags).filter((tag) => !removeTags?.includes(tag));
    resolved.tags = requireTagCount([...new Set([...kept, ...(addTags ?? [])])], '/addTags');
  }
  if (metadataPatch) {
    const merged = mergePatch(JSON.parse(row.metadata) as Metadata, metadataPatch) as Metadata;
    resolved.metadata = requireMemberCount(merged, '/metadataPatch');
  }
  return resolved;
}

/** JSON Merge Patch (RFC 7396, section 2). */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const merged = new Map(isObject(target) ? Object.entries(target) : []);
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) merged.delete(name);
    else merged.set(name, mergePatch(merged.get(name), value));
  }
  return Object.fromEntries(merged);
}

/**
 * Returns what a memory with the same content adds to a stored one: tags, metadata members and an external id that it
 * lacks, and a later expiry or none. With another project the memory belongs to none. `undefined` if it adds nothing. Throws `invalid_request` if the
 * result would be too large.
 */
export function additionsTo(row: NewMemoryRow, same: Additions): Additions | undefined {
  const tags = tagsIn(row.tags);
  const newTags = tagsIn(same.tags).filter((tag) => !tags.includes(tag));
  const metadata = JSON.parse(row.metadata) as Metadata;
  const given = Object.entries(JSON.parse(same.metadata) as Metadata);
  const newMembers = given.filter(([name]) => !Object.hasOwn(metadata, name));
  const externalId = row.externalId ?? same.externalId;
  const project = same.project === null || same.project === row.project ? row.project : null;
  const expiresAt = laterExpiry([row.expiresAt, same.expiresAt]);
  const isSame = externalId === row.externalId && project === row.project && expiresAt === row.expiresAt;
  if (newTags.length === 0 && newMembers.length === 0 && isSame) return undefined;
  const members = requireMemberCount({ ...metadata, ...Object.fromEntries(newMembers) }, '/metadata');
  return {
    tags: newTags.length === 0 ? row.tags : JSON.stringify(requireTagCount([...tags, ...newTags], '/tags')),
    metadata: newMembers.length === 0 ? row.metadata : storedJson(metadataRules, members, 'metadata', ''),
    externalId,
    project,
    expiresAt,
  };
}

/** The last of several times of expiry; `null` if one of them is `null`, for never. */
export function laterExpiry<T extends number | string>(expiries: readonly (T | null)[]): T | null {
  return expiries.reduce((last, one) => (last === null || one === null ? null : one > last ? one : last));
}

function isObject(value: unknown): value is Metadata {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function requireTagCount(tags: string[], path: string): string[] {
  if (tags.length > MAX_TAGS)
    throw tooMany(path, `the memory would have ${tags.length} tags; at most ${MAX_TAGS} are allowed`);
  return tags;
}

function requireMemberCount(metadata: Metadata, path: string): Metadata {
  const count = Object.keys(metadata).length;
  const limit = MAX_METADATA_MEMBERS;
  if (count > limit) throw tooMany(path, `the metadata would have ${count} members; at most ${limit} are allowed`);
  return metadata;
}

function tooMany(path: string, message: string): AppError {
  return new AppError('invalid_request', `${path}: ${message}.`, { errors: [{ path, message }] });
}

function combined(patch: string, replacement: string): AppError {
  const errors = [{ path: `/${patch}`, message: `cannot be combined with ${replacement}` }];
  return new AppError('invalid_request', `Send either ${patch} or ${replacement}, not both.`, { errors });
}

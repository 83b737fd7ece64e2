import { createHash } from 'node:crypto';

/** Whether `If-Match` matches this entity tag: strong comparison (RFC 9110, section 13.1.1). */
export function matchesStrongly(header: string, etag: string): boolean {
  return tagsIn(header).some((tag) => tag === '*' || tag === etag);
}

/** Whether `If-None-Match` matches this entity tag: weak comparison (RFC 9110, section 13.1.2). */
export function matchesWeakly(header: string, etag: string): boolean {
  return tagsIn(header).some((tag) => tag === '*' || tag.replace(/^W\//, '') === etag);
}

/** The strong entity tag of a resource whose version increases with every change. */
export function versionTagOf({ version, updatedAt }: { version: number; updatedAt: string }): string {
  return `"${version}-${Date.parse(updatedAt).toString(36)}"`;
}

/** The strong entity tag of a resource without a version: a digest of its content. */
export function contentTagOf(resource: unknown): string {
  return `"${digestOf(resource)}"`;
}

/**
 * The entity tag of a resource that also shows figures which svc counts, such as usage. `state` is the part that callers
 * change: see `matchesState`.
 */
export function countedTagOf(state: unknown, resource: unknown): string {
  return `"${digestOf(state)}.${digestOf(resource)}"`;
}

/** Whether `If-Match` has a `countedTagOf` this state, whatever was counted since. */
export function matchesState(header: string, state: unknown): boolean {
  return tagsIn(header).some((tag) => tag === '*' || tag.startsWith(`"${digestOf(state)}.`));
}

function digestOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('base64url').slice(0, 22);
}

function tagsIn(header: string): string[] {
  return header.match(/(?:W\/)?"[^"]*"|\*/g) ?? [];
}

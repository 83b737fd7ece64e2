import { changedSinceRead } from '../../contract/errors.ts';
import { matchesStrongly } from '../../lib/entity-tag.ts';

/**
 * Checks `If-Match` against the current entity tag; `undefined` if the resource does not exist. Throws
 * `precondition_failed`.
 */
export function requireMatch(ifMatch: string | undefined, etag: string | undefined, resource: string): void {
  if (ifMatch === undefined || (etag !== undefined && matchesStrongly(ifMatch, etag))) return;
  throw changedSinceRead(resource);
}

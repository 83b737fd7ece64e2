import type { BoundedListQuery } from '../../contract/common.ts';
import { AppError } from '../../contract/errors.ts';
import type { Sealer } from '../../lib/seal.ts';
import { equalSecrets } from '../../lib/secret.ts';

/** Opaque positions in a list, bound by a MAC to the tenant and filter they were issued for. */
export interface Cursors {
  /** Throws `invalid_request` for a cursor that was altered or issued for another tenant or filter. */
  read(cursor: string, boundTo: readonly unknown[]): string;
  /** Makes the cursor of a position. */
  write(position: string, boundTo: readonly unknown[]): string;
  /** Cuts a list that was read one item past `limit` into a page with the cursor of the next, if any. */
  page<T>(
    items: readonly T[],
    limit: number,
    boundTo: readonly unknown[],
    positionOf: (item: T) => string,
  ): { data: T[]; nextCursor: string | null };
  /**
   * Cuts a page out of a list that was read as a whole, in the order of its positions; without a limit, all that follows the
   * cursor. Throws `invalid_request` like `read`.
   */
  pageOfAll<T>(
    items: readonly T[],
    query: BoundedListQuery,
    boundTo: readonly unknown[],
    order: { by: 'asc' | 'desc'; positionOf: (item: T) => string },
  ): { data: T[]; nextCursor: string | null };
}

/** 132 bits in base64url. */
const MAC_CHARACTERS = 22;

export function createCursors({ sealer }: { sealer: Sealer }): Cursors {
  const macOf = (position: string, boundTo: readonly unknown[]) =>
    sealer.authenticate(JSON.stringify([position, ...boundTo]), 'cursor').slice(0, MAC_CHARACTERS);
  const write = (position: string, boundTo: readonly unknown[]) =>
    Buffer.from(`${macOf(position, boundTo)}${position}`).toString('base64url');
  function read(cursor: string, boundTo: readonly unknown[]): string {
    const position = Buffer.from(cursor, 'base64url').toString('utf8').slice(MAC_CHARACTERS);
    // Compares the whole cursor: base64 decoding accepts variants that were never issued.
    if (!equalSecrets(cursor, write(position, boundTo))) {
      const errors = [{ path: 'cursor', message: 'is not a cursor of this list' }];
      throw new AppError('invalid_request', 'The cursor does not belong to this list and filter.', { errors });
    }
    return position;
  }

  function page<T>(
    items: readonly T[],
    limit: number,
    boundTo: readonly unknown[],
    positionOf: (item: T) => string,
  ): { data: T[]; nextCursor: string | null } {
    const data = items.slice(0, limit);
    return { data, nextCursor: items.length > limit ? write(positionOf(data[limit - 1]!), boundTo) : null };
  }

  return {
    write,
    read,
    page,
    pageOfAll(items, { limit = items.length, cursor }, boundTo, { by, positionOf }) {
      const after = cursor === undefined ? undefined : read(cursor, boundTo);
      const follows = (position: string) => after === undefined || (by === 'asc' ? position > after : position < after);
      return page(
        items.filter((item) => follows(positionOf(item))),
        limit,
        boundTo,
        positionOf,
      );
    },
  };
}
